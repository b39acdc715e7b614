"""The only place that knows how "unlabeled" is spelt: y → codes, classes, mask.

Unlabeled is ``-1`` (integers), ``NaN`` or ``-1`` (floats), and ``None``, ``""``, ``NaN`` or ``-1`` (anything else).
Everything behind this page sees integer codes: the position in the sorted classes, or ``UNLABELED``.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import DataConversionWarning

from smatter.errors import InputError, LabelError

UNLABELED = -1
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Labels:
    """Labels as codes into sorted classes."""

    codes: Codes
    classes: NDArray[Any]

    @property
    def labeled(self) -> NDArray[np.bool_]:
        """True where a row has a label."""
        return self.codes != UNLABELED

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many labeled rows each class has."""
        return np.bincount(self.codes[self.labeled], minlength=len(self.classes))

    def decode(self, codes: ArrayLike) -> NDArray[Any]:
        """Turn codes back into labels; every code must be that of a class."""
        return self.classes[np.asarray(codes)]

    def one_hot(self) -> NDArray[np.float64]:
        """Rows of the identity for labeled rows, of zeros for the rest (n × K)."""
        targets = np.zeros((len(self.codes), len(self.classes)))
        rows = np.flatnonzero(self.labeled)
        targets[rows, self.codes[rows]] = 1.0
        return targets


def is_unlabeled(y: ArrayLike) -> NDArray[np.bool_]:
    """Say for each entry of ``y`` whether it spells "unlabeled".

    >>> is_unlabeled(["spam", "", None, float("nan"), -1]).tolist()
    [False, True, True, True, True]
    >>> is_unlabeled([0, 1, -1]).tolist()
    [False, False, True]
    """
    values = _as_vector(y)
    if values.dtype.kind in "iu":
        return np.asarray(values == UNLABELED)
    if values.dtype.kind == "f":
        return np.isnan(values) | (values == UNLABELED)
    if values.dtype.kind == "b":
        return np.zeros(len(values), dtype=bool)
    if values.dtype.kind in "US":
        return np.asarray(values == values.dtype.type())
    return np.fromiter((_is_missing(value) for value in values), dtype=bool, count=len(values))


def encode_labels(y: ArrayLike, classes: ArrayLike | None = None) -> Labels:
    """Encode labels of any dtype; classes are sorted, so that they do not depend on the order of the rows.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels, some of them unlabeled.
    classes : array-like, optional
        The classes to encode against, sorted and kept as they are; a label outside of them is an error.

    Examples
    --------
    >>> labels = encode_labels(["ham", None, "spam", "ham"])
    >>> labels.codes.tolist(), labels.classes.tolist()
    ([0, -1, 1, 0], ['ham', 'spam'])

    """
    values = _as_vector(y)
    labeled = ~is_unlabeled(values)
    present = values[labeled]
    if present.dtype.kind == "O":
        present = _narrow(present)
    if present.dtype.kind == "f" and not np.isfinite(present).all():
        raise LabelError("y holds infinity; a label is a finite number, a string or a truth value: replace it.")
    if classes is None:
        known, inverse = np.unique(present, return_inverse=True)
    else:
        known = np.unique(_narrow(np.asarray(classes)))
        inverse = _look_up(present, known)
    codes = np.full(len(values), UNLABELED, dtype=np.int64)
    codes[labeled] = inverse
    return Labels(codes, known)


def _look_up(present: NDArray[Any], known: NDArray[Any]) -> NDArray[np.int64]:
    positions = {label: code for code, label in enumerate(known.tolist())}
    strangers = sorted({str(label) for label in present.tolist() if label not in positions})
    if strangers:
        raise LabelError(
            f"y holds {strangers[:5]}, which are not among the {len(known)} known classes {known.tolist()[:10]}: "
            "correct the label or add its class."
        )
    return np.fromiter((positions[label] for label in present.tolist()), dtype=np.int64, count=len(present))


def _as_vector(y: ArrayLike) -> NDArray[Any]:
    if y is None:
        raise InputError("y is None; a model needs one label a row (-1, None, '' or NaN where unknown): pass y.")
    if hasattr(y, "__array__") and not hasattr(y, "to_numpy"):
        values = np.asarray(y)
    elif hasattr(y, "to_numpy"):
        values = _from_series(y)
    elif isinstance(y, (list, tuple)) and any(value is None or isinstance(value, str) for value in y):
        values = np.empty(len(y), dtype=object)  # np.asarray would turn NaN among strings into the word "nan"
        values[:] = y
    else:
        values = np.asarray(y)
    if values.ndim == 2 and values.shape[1] == 1:
        warnings.warn(
            f"A column-vector y was passed when a 1d array was expected: y has shape {values.shape}; pass y.ravel().",
            DataConversionWarning,
            stacklevel=4,
        )
        values = values.ravel()
    if values.ndim != 1:
        raise InputError(f"y has shape {values.shape}; labels are one value a row: pass a vector of shape (n,).")
    if values.dtype.kind == "c":
        raise LabelError("y holds complex numbers; a label is a whole number, a string or a truth value.")
    return values


def _from_series(series: Any) -> NDArray[Any]:
    """Pandas and polars columns: nullable and categorical ones carry their gaps in an object array."""
    values = np.asarray(series.to_numpy())
    if values.dtype.kind in "biufUS" or values.dtype.kind == "O":
        return values
    return values.astype(object)


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Give an object array of one kind its own dtype, so that it sorts and compares."""
    if values.dtype.kind != "O" or len(values) == 0:
        return values
    kinds = {_kind(value) for value in values}
    if kinds == {"text"}:
        return values  # stays object: scikit-learn's users expect the strings that they gave
    if len(kinds) > 1:
        examples = [repr(next(value for value in values if _kind(value) == kind)) for kind in sorted(kinds)]
        raise LabelError(
            f"y mixes labels of different kinds, as {' and '.join(examples)}; the classes need one order: "
            "make all of them strings or all of them numbers."
        )
    kind = kinds.pop()
    if kind == "other":
        raise LabelError(
            f"Unknown label type: y holds {values[0]!r} of type {type(values[0]).__name__}; a label is a whole "
            "number, a string or a truth value: convert it."
        )
    return np.asarray(values.tolist())


def _kind(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "truth"
    if isinstance(value, str):
        return "text"
    return "number" if isinstance(value, (int, float, np.number)) else "other"


def _is_missing(value: Any) -> bool:
    if value is None or value is _pandas_gap(value):
        return True
    if isinstance(value, str):
        return value == ""
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value)) or value == UNLABELED
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value == UNLABELED


def _pandas_gap(value: Any) -> Any:
    """Recognize pandas' NA and NaT by type name: pandas need not be installed."""
    return value if type(value).__name__ in ("NAType", "NaTType") else _NOTHING


_NOTHING = object()

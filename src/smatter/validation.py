"""Parameters and input, checked once, at the door."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import _check_sample_weight, validate_data

from smatter.errors import InputError

Matrix: TypeAlias = Any  # a float64 array or csr_array of two dimensions; scipy has no types of its own


@dataclass(frozen=True)
class Number:
    """A real number between two bounds; ``whole`` for integers, ``above`` where the lower bound itself is out."""

    low: float = -np.inf
    high: float = np.inf
    whole: bool = False
    above: bool = False

    def accepts(self, value: object) -> bool:
        """Say whether the value keeps the rule."""
        kind = Integral if self.whole else Real
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, kind) or np.isnan(float(value)):
            return False
        return (self.low < float(value) if self.above else self.low <= float(value)) and float(value) <= self.high

    def __str__(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        lower = "" if self.low == -np.inf else f" {'above' if self.above else 'of at least'} {self.low:g}"
        upper = "" if self.high == np.inf else f"{' and' if lower else ''} at most {self.high:g}"
        return kind + lower + upper


@dataclass(frozen=True)
class OneOf:
    """One of a few fixed values."""

    values: tuple[Any, ...]

    def __init__(self, *values: Any) -> None:
        object.__setattr__(self, "values", values)

    def accepts(self, value: object) -> bool:
        """Say whether the value keeps the rule."""
        return any(value is known or (type(value) is type(known) and value == known) for known in self.values)

    def __str__(self) -> str:
        return " or ".join(repr(value) for value in self.values)


@dataclass(frozen=True)
class Instance:
    """An object of one of the types, which the words describe."""

    types: tuple[type, ...]
    words: str

    def accepts(self, value: object) -> bool:
        """Say whether the value keeps the rule."""
        return isinstance(value, self.types)

    def __str__(self) -> str:
        return self.words


ARRAY = Instance((list, tuple, np.ndarray), "an array")
SEED = (OneOf(None), Number(0, whole=True), Instance((np.random.RandomState,), "a RandomState"))
TRUTH = Instance((bool, np.bool_), "True or False")
Rule = Number | OneOf | Instance
Rules = Mapping[str, Rule | tuple[Rule, ...]]


def check_parameters(estimator: Any, rules: Rules) -> None:
    """Raise for the first parameter that keeps none of its rules."""
    for name, rule in rules.items():
        alternatives = rule if isinstance(rule, tuple) else (rule,)
        value = getattr(estimator, name)
        if not any(alternative.accepts(value) for alternative in alternatives):
            allowed = ", or ".join(str(alternative) for alternative in alternatives)
            raise InputError(f"{name}={value!r} of {type(estimator).__name__} must be {allowed}: change {name}.")


def check_matrix(estimator: Any, X: Any, *, reset: bool, nonnegative: bool = False) -> Matrix:
    """Turn X into a float64 array or CSR array with finite entries; sparse stays sparse.

    ``reset`` is True while fitting: the number and names of the features are then remembered on the estimator.
    """
    try:
        X = validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr",
            dtype=np.float64,
            ensure_all_finite=False,
            accept_large_sparse=True,
        )
    except ValueError as error:
        if "could not convert string" not in str(error):
            raise
        raise InputError(
            f"X of {type(estimator).__name__} holds text ({error}); its entries must be numbers: turn documents into "
            "counts with smatter.WordCounts first, or categories into numbers."
        ) from error
    if sp.issparse(X):
        X = sp.csr_array(X)
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
    _check_entries(type(estimator).__name__, X, nonnegative)
    return X


def _check_entries(name: str, X: Matrix, nonnegative: bool) -> None:
    values = X.data if sp.issparse(X) else X
    if not np.isfinite(values.sum()) and not np.isfinite(values).all():
        row, column, value = _first(X, ~np.isfinite(values))
        kind = "NaN" if np.isnan(value) else "infinity"
        raise InputError(
            f"Input X of {name} contains {kind} at row {row}, column {column}; every entry must be a finite number: "
            "remove the row or fill the gap. (NaN or infinity is never treated as 0.)"
        )
    if nonnegative and values.size and values.min() < 0:
        row, column, value = _first(X, values < 0)
        raise InputError(
            f"Negative values in data passed to {name}: X[{row}, {column}] is {value:g}; counts and weights of words "
            "must be 0 or more: pass counts or tf-idf, not centered features."
        )


def _first(X: Matrix, wrong: NDArray[np.bool_]) -> tuple[int, int, float]:
    if sp.issparse(X):
        position = int(np.argmax(wrong))
        row = int(np.searchsorted(X.indptr, position, side="right")) - 1
        return row, int(X.indices[position]), float(X.data[position])
    row, column = (int(index) for index in np.unravel_index(int(np.argmax(wrong)), X.shape))
    return row, column, float(X[row, column])


def check_weights(sample_weight: ArrayLike | None, X: Matrix) -> NDArray[np.float64]:
    """One finite weight of at least 0 a row; ones where None."""
    if sample_weight is None:
        return np.ones(X.shape[0])
    weights = np.asarray(_check_sample_weight(sample_weight, X, dtype=np.float64))
    if not np.isfinite(weights).all() or (weights < 0).any():
        row = int(np.argmax(~(weights >= 0) | np.isinf(weights)))
        raise InputError(
            f"sample_weight[{row}] is {weights[row]:g}; a weight must be a finite number of at least 0: correct it."
        )
    return weights


def empty_rows(X: Matrix) -> NDArray[np.bool_]:
    """Say for each row whether it has no entry other than 0."""
    if sp.issparse(X):
        return np.asarray(X.count_nonzero(axis=1) == 0)
    return np.logical_not(np.asarray(X).any(axis=1))

"""Tables of attributes as an event model: each value of each attribute becomes a word."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names, _check_n_features

from smatter.errors import InputError
from smatter.models.bayes._events import EventModel, LeftOut, Sums, left_out_shares, log_shares
from smatter.models.bayes._rows import Floats, Rows
from smatter.validation import Matrix


@dataclass
class Categorical:
    """Attributes with few values each, any of them missing: P(x | m) = Π_a P(x_a | m), missing ones skipped.

    Values may be strings or numbers. A column of fractions is cut into ``n_bins`` bins of about equal size. Missing
    is NaN or None. A value never seen before counts as missing.
    """

    n_bins: int = 10
    silent_when_empty: bool = field(default=False, init=False)
    cuts: list[Floats | None] = field(default_factory=list, init=False)
    values: list[list[Any]] = field(default_factory=list, init=False)

    def check(self, estimator: Any, X: Any, reset: bool) -> Matrix:
        """Accept a dense table of any dtype."""
        if sp.issparse(X):
            raise InputError(
                f"X is sparse, but event_model='categorical' of {type(estimator).__name__} reads a table: "
                "pass a dense array or data frame, or use event_model='multinomial' for counts."
            )
        _check_feature_names(estimator, X, reset=reset)
        table = np.asarray(X, dtype=object) if not isinstance(X, np.ndarray) else X
        if table.ndim != 2 or 0 in table.shape:
            raise InputError(
                f"X has shape {table.shape}; it must be a table with at least one row (sample) and one column "
                "(feature). Reshape your data."
            )
        _check_n_features(estimator, table, reset=reset)
        return table

    def prepare(self, X: Matrix, weights: Floats | None = None) -> Rows:
        """One column a value of an attribute, a one where the row has it (n × all values), sparse."""
        if weights is not None:
            self.cuts, self.values = [], []
        columns = [self._codes(X[:, a].tolist(), a, weights) for a in range(X.shape[1])]
        rows = np.concatenate([np.flatnonzero(codes >= 0) for codes in columns])
        starts = self._starts()
        cells = np.concatenate([codes[codes >= 0] + starts[a] for a, codes in enumerate(columns)])
        return Rows.plain(sp.csr_array((np.ones(len(rows)), (rows, cells)), shape=(X.shape[0], int(starts[-1]))))

    def estimate(self, sums: Sums, smoothing: float) -> tuple[Floats, Floats]:
        """P(value | m), normalized within each attribute."""
        log_p = np.empty_like(sums.words)
        for group in self._groups():
            log_p[:, group] = log_shares(sums.words[:, group], smoothing)
        return log_p, np.zeros(len(log_p))

    def probabilities(self, log_p: Floats) -> Floats:
        """P(value | m)."""
        return np.exp(log_p)

    def left_out(self, held: LeftOut, sums: Sums, smoothing: float) -> Floats:
        """Each attribute is a multinomial of its own."""
        X, left = held.rows.X, np.zeros(len(held.rows))
        for group in self._groups():
            left += left_out_shares(X[:, group], held, sums.words[:, group], smoothing)
        return left

    def speaks_like(self, other: EventModel) -> bool:
        """The values and bins of every attribute must be the same."""
        if not isinstance(other, Categorical) or self.values != other.values:
            return False
        return all(_cut_alike(mine, theirs) for mine, theirs in zip(self.cuts, other.cuts, strict=True))

    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum([len(values) for values in self.values])])

    def _groups(self) -> list[slice]:
        return [slice(int(a), int(b)) for a, b in pairwise(self._starts()) if b > a]

    def _codes(self, column: list[Any], a: int, weights: Floats | None) -> NDArray[np.int64]:
        """Codes of one attribute's values; −1 where missing or never seen."""
        missing = np.array([_is_missing(value) for value in column])
        if weights is not None:
            known = np.flatnonzero(~missing & (weights > 0))
            self.cuts.append(_equal_cuts([column[i] for i in known], weights[known], self.n_bins))
        keys = _keys(column, missing, self.cuts[a], a)
        if weights is not None:
            self.values.append(sorted({keys[i] for i in known}, key=lambda key: (isinstance(key, str), key)))
        position = {key: code for code, key in enumerate(self.values[a])}
        return np.array([-1 if gone else position.get(key, -1) for key, gone in zip(keys, missing, strict=True)])


def _cut_alike(mine: Floats | None, theirs: Floats | None) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    return np.array_equal(mine, theirs)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def _keys(column: list[Any], missing: NDArray[np.bool_], cuts: Floats | None, a: int) -> list[Any]:
    """What values are told apart by: the number of their bin, or themselves."""
    if cuts is None:
        return [_plain(value) for value in column]
    try:
        numbers = [0.0 if gone else float(value) for value, gone in zip(column, missing, strict=True)]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"Column {a} held fractions while fitting and now holds something else ({error}): pass numbers there."
        ) from error
    return np.searchsorted(cuts, numbers, side="right").tolist()


def _equal_cuts(known: list[Any], weights: Floats, n_bins: int) -> Floats | None:
    """Weighted quantiles of a column of fractions; None for a column of strings or whole numbers."""
    if not all(isinstance(value, (bool, int, float, np.number)) for value in known):
        return None
    numbers = np.asarray(known, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise InputError("Input X contains infinity in a numeric attribute: replace it (NaN or None means missing).")
    if (numbers == np.floor(numbers)).all():
        return None
    order = np.argsort(numbers, kind="stable")
    reached = np.cumsum(weights[order])
    return np.unique(numbers[order][np.searchsorted(reached, reached[-1] * np.arange(1, n_bins) / n_bins)])


def _plain(value: Any) -> Any:
    """1, 1.0 and np.int64(1) are one category."""
    return float(value) if isinstance(value, (bool, int, float, np.number)) else str(value)

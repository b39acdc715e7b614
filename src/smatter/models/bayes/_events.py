"""Event models: what a document is, given its component.

Each turns the user's X into a sparse or dense matrix once (``check``, ``prepare``) and from then on speaks in sums:

    prepare      learn from rows and their weights while fitting; apply what was learned where weights are None
    statistics   S = Rᵀ X          expected counts per component, for responsibilities R (n × M)
    estimate     log P(w | m)      from S, smoothed: the MAP under a Dirichlet (Beta) prior with α = 1 + smoothing
    log_likelihood                 log P(x | m) up to a constant in m (n × M)
    log_prior                      log P(θ) up to a constant
    left_out                       log P(x | own component), the document's own counts taken out of S first
"""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import _check_feature_names, _check_n_features

from smatter.errors import InputError
from smatter.validation import Matrix, check_matrix

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LeftOut:
    """The rows that take turns at being left out: the component that each is counted in, and with what weight."""

    components: NDArray[np.int64]
    weights: Floats


class EventModel(Protocol):
    """What an event model does for the mixtures."""

    silent_when_empty: bool

    def check(self, estimator: Any, X: Any, reset: bool) -> Matrix: ...
    def prepare(self, X: Matrix, weights: Floats | None = None) -> Matrix: ...
    def statistics(self, X: Matrix, responsibilities: Floats) -> Floats: ...
    def estimate(self, counts: Floats, totals: Floats, smoothing: float) -> Floats: ...
    def log_likelihood(self, X: Matrix, log_p: Floats) -> Floats: ...
    def log_prior(self, log_p: Floats, smoothing: float) -> float: ...
    def left_out(self, X: Matrix, held: LeftOut, counts: Floats, totals: Floats, smoothing: float) -> Floats: ...


@dataclass
class Multinomial:
    """Counts of words: P(x | m) ∝ Π_w P(w | m)^n(w, x).

    ``length_exponent`` e shrinks long documents: the counts of a document of length L are multiplied by
    (L̄ / L)^(1 − e), L̄ being the mean length. At e = 1 they are the counts themselves; at e = 0 every document weighs
    the same. Words of one document depend on each other, so a long one says less than its length claims.
    """

    length_exponent: float = 1.0
    silent_when_empty: bool = field(default=True, init=False)
    mean_length: float = field(default=1.0, init=False)

    def check(self, estimator: Any, X: Any, reset: bool) -> Matrix:
        """Accept finite numbers of at least 0."""
        return check_matrix(estimator, X, reset=reset, nonnegative=True)

    def prepare(self, X: Matrix, weights: Floats | None = None) -> Matrix:
        """Scale documents by their length; the counts themselves where the exponent is 1."""
        if self.length_exponent == 1.0:
            return X
        lengths = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
        if weights is not None:
            counted = weights * (lengths > 0)
            self.mean_length = float(counted @ lengths / counted.sum()) if counted.any() else 1.0
        scale = np.ones_like(lengths)
        np.power(self.mean_length / np.where(lengths > 0, lengths, 1.0), 1.0 - self.length_exponent, out=scale)
        if not sp.issparse(X):
            return X * scale[:, None]
        return sp.csr_array((X.data * np.repeat(scale, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape)

    def statistics(self, X: Matrix, responsibilities: Floats) -> Floats:
        """S = Rᵀ X."""
        return np.asarray(X.T @ responsibilities).T

    def estimate(self, counts: Floats, totals: Floats, smoothing: float) -> Floats:
        """P(w | m) = (S_mw + s) / Σ_w (S_mw + s), N eq. 2.9; logs."""
        log_p = np.log(np.maximum(counts + smoothing, TINY))
        log_p -= np.log(np.maximum(counts.sum(axis=1, keepdims=True) + smoothing * counts.shape[1], TINY))
        return log_p

    def log_likelihood(self, X: Matrix, log_p: Floats) -> Floats:
        """Σ_w n(w, x) log P(w | m)."""
        return np.asarray(X @ log_p.T)

    def log_prior(self, log_p: Floats, smoothing: float) -> float:
        """Σ_m Σ_w s log P(w | m): the Dirichlet with α = 1 + s."""
        return smoothing * float(log_p.sum()) if smoothing else 0.0

    def left_out(self, X: Matrix, held: LeftOut, counts: Floats, totals: Floats, smoothing: float) -> Floats:
        """Σ_w n log P(w | own class), each document's own counts subtracted."""
        return _left_out_of_group(X, held, counts, smoothing, slice(None))


@dataclass
class Categorical:
    """Attributes with few values each, any of them missing: P(x | m) = Π_a P(x_a | m), missing ones skipped.

    Values may be strings or numbers. A column of fractions is cut into ``n_bins`` bins of about equal size. Missing
    is NaN or None. A value never seen before counts as missing.
    """

    n_bins: int = 10
    silent_when_empty: bool = field(default=False, init=False)
    cuts: list[NDArray[Any] | None] = field(default_factory=list, init=False)
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

    def prepare(self, X: Matrix, weights: Floats | None = None) -> Matrix:
        """One column a value of an attribute, a one where the row has it (n × all values), sparse."""
        columns = [self._column(X[:, a], a, reset=weights is not None) for a in range(X.shape[1])]
        rows = np.concatenate([np.flatnonzero(codes >= 0) for codes in columns])
        starts = self._starts()
        cells = np.concatenate([codes[codes >= 0] + starts[a] for a, codes in enumerate(columns)])
        shape = (X.shape[0], int(starts[-1]))
        return sp.csr_array((np.ones(len(rows)), (rows, cells)), shape=shape)

    def _starts(self) -> NDArray[np.int64]:
        return np.concatenate([[0], np.cumsum([len(values) for values in self.values])])

    def _column(self, column: NDArray[Any], a: int, *, reset: bool) -> NDArray[np.int64]:
        """Codes of one attribute's values; −1 where missing or never seen."""
        missing = np.array([value is None or value != value for value in column.tolist()])
        numbers = _as_numbers(column, missing)
        if reset:
            cuts = None if numbers is None else _equal_cuts(numbers[~missing], self.n_bins)
            self.cuts = [*self.cuts[:a], cuts]
        cuts = self.cuts[a]
        if cuts is not None:
            if numbers is None:
                raise InputError(f"Column {a} held fractions while fitting and holds {column[0]!r} now: pass numbers.")
            keys = np.searchsorted(cuts, numbers, side="right").tolist()
        else:
            keys = [value if isinstance(value, str) else _plain(value) for value in column.tolist()]
        if reset:
            seen = {key for key, gone in zip(keys, missing, strict=True) if not gone}
            self.values = [*self.values[:a], sorted(seen, key=lambda key: (isinstance(key, str), key))]
        position = {key: code for code, key in enumerate(self.values[a])}
        return np.array([-1 if gone else position.get(key, -1) for key, gone in zip(keys, missing, strict=True)])

    def statistics(self, X: Matrix, responsibilities: Floats) -> Floats:
        """S = Rᵀ X."""
        return np.asarray(X.T @ responsibilities).T

    def estimate(self, counts: Floats, totals: Floats, smoothing: float) -> Floats:
        """P(value | m), normalized within each attribute."""
        log_p = np.log(np.maximum(counts + smoothing, TINY))
        for group in self._groups():
            mass = counts[:, group].sum(axis=1, keepdims=True) + smoothing * (group.stop - group.start)
            log_p[:, group] -= np.log(np.maximum(mass, TINY))
        return log_p

    def _groups(self) -> list[slice]:
        starts = self._starts()
        return [slice(int(a), int(b)) for a, b in pairwise(starts) if b > a]

    def log_likelihood(self, X: Matrix, log_p: Floats) -> Floats:
        """Σ_a log P(x_a | m) over the attributes that are there."""
        return np.asarray(X @ log_p.T)

    def log_prior(self, log_p: Floats, smoothing: float) -> float:
        """Sum of s log P(value | m)."""
        return smoothing * float(log_p.sum()) if smoothing else 0.0

    def left_out(self, X: Matrix, held: LeftOut, counts: Floats, totals: Floats, smoothing: float) -> Floats:
        """Each attribute is a multinomial of its own."""
        return np.sum([_left_out_of_group(X, held, counts, smoothing, group) for group in self._groups()], axis=0)


@dataclass
class Bernoulli:
    """Presence of words: P(x | m) = Π_w p_mw^[w in x] (1 − p_mw)^[w not in x]. Absent words speak too."""

    silent_when_empty: bool = field(default=False, init=False)

    def check(self, estimator: Any, X: Any, reset: bool) -> Matrix:
        """Accept finite numbers of at least 0."""
        return check_matrix(estimator, X, reset=reset, nonnegative=True)

    def prepare(self, X: Matrix, weights: Floats | None = None) -> Matrix:
        """Ones where a word is present."""
        if not sp.issparse(X):
            return (X > 0).astype(np.float64)
        present = sp.csr_array(((X.data > 0).astype(np.float64), X.indices, X.indptr), shape=X.shape)
        if not present.data.all():
            present = present.copy()
            present.eliminate_zeros()
        return present

    def statistics(self, X: Matrix, responsibilities: Floats) -> Floats:
        """S = Rᵀ X: expected documents with the word."""
        return np.asarray(X.T @ responsibilities).T

    def estimate(self, counts: Floats, totals: Floats, smoothing: float) -> Floats:
        """Return log p and log(1 − p) side by side (M × 2d), p = (S + s) / (N + 2s)."""
        mass = np.log(np.maximum(totals[:, None] + 2 * smoothing, TINY))
        present = np.log(np.maximum(counts + smoothing, TINY)) - mass
        absent = np.log(np.maximum(totals[:, None] - counts + smoothing, TINY)) - mass
        return np.hstack([present, absent])

    def log_likelihood(self, X: Matrix, log_p: Floats) -> Floats:
        """Σ_w log(1 − p) + Σ_{w in x} (log p − log(1 − p))."""
        present, absent = np.hsplit(log_p, 2)
        return np.asarray(X @ (present - absent).T) + absent.sum(axis=1)

    def log_prior(self, log_p: Floats, smoothing: float) -> float:
        """Beta(1 + s, 1 + s) on every p."""
        return smoothing * float(log_p.sum()) if smoothing else 0.0

    def left_out(self, X: Matrix, held: LeftOut, counts: Floats, totals: Floats, smoothing: float) -> Floats:
        """Every word changes its odds when a document leaves: dense, one row at a time."""
        left = np.empty(X.shape[0])
        for i, (own, weight) in enumerate(zip(held.components, held.weights, strict=True)):
            x = X[[i]].toarray() if sp.issparse(X) else X[[i]]
            rest = np.maximum(totals[[own]] - weight, 0.0)
            left[i] = self.log_likelihood(x, self.estimate(counts[[own]] - weight * x, rest, smoothing))[0, 0]
        return left


def _left_out_of_group(X: Matrix, held: LeftOut, counts: Floats, smoothing: float, group: slice) -> Floats:
    """Σ_w n log(S_w − v n + s) − L log(Σ_w S_w − v L + s d), S that of the row's own component; over one group."""
    X, counts = sp.csr_array(X)[:, group], counts[:, group]
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    rest = counts[held.components[rows], X.indices] - held.weights[rows] * X.data
    lengths = np.asarray(X.sum(axis=1)).ravel()
    mass = counts.sum(axis=1)[held.components] - held.weights * lengths
    log_rest = np.log(np.maximum(np.maximum(rest, 0.0) + smoothing, TINY))
    log_mass = np.log(np.maximum(np.maximum(mass, 0.0) + smoothing * X.shape[1], TINY))
    return np.bincount(rows, weights=X.data * log_rest, minlength=X.shape[0]) - lengths * log_mass


def _as_numbers(column: NDArray[Any], missing: NDArray[np.bool_]) -> Floats | None:
    """Return the column as numbers if it is one of fractions, None if its values are categories as they are."""
    try:
        numbers = np.array([np.nan if gone else float(v) for v, gone in zip(column.tolist(), missing, strict=True)])
    except (TypeError, ValueError):
        return None
    if any(isinstance(value, str) for value in column.tolist()):
        return None
    known = numbers[~missing]
    return numbers if not np.isfinite(known).all() or (known != np.floor(known)).any() else None


def _equal_cuts(known: Floats, n_bins: int) -> Floats:
    if not np.isfinite(known).all():
        raise InputError("Input X contains infinity in a numeric attribute: replace it (NaN or None means missing).")
    return np.unique(np.quantile(known, np.linspace(0, 1, n_bins + 1)[1:-1]))


def _plain(value: Any) -> Any:
    """1, 1.0 and np.int64(1) are one category."""
    return float(value) if isinstance(value, (bool, int, float, np.number)) else str(value)


TINY = 1e-300  # keeps log(0) finite: an impossible word makes a class impossible, never NaN

EVENT_MODELS: dict[str, type[Multinomial] | type[Bernoulli] | type[Categorical]] = {
    "multinomial": Multinomial,
    "bernoulli": Bernoulli,
    "categorical": Categorical,
}

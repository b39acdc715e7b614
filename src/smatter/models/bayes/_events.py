"""Event models: what a document is, given its component.

Whatever the model, log P(x | m) = log_blank[m] + Σ_w x_w log_p[m, w] up to a constant in m, and the component's
parameters come from two sums. So an event model says only

    prepare      what x is: learn from rows and their weights while fitting, apply what was learned where they are None
    estimate     log_p and log_blank from the sums: the MAP under a Dirichlet (Beta) prior with α = 1 + smoothing
    left_out     log P(x | own component), the document's own counts taken out of the sums first
    speaks_like  whether the words of another fit are the same, so that its parameters mean the same
"""

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import expit

from smatter.errors import InputError
from smatter.models.bayes._rows import Floats, Rows
from smatter.validation import Matrix, check_matrix

TINY = 1e-300  # stands for 0 under a logarithm: an impossible word makes a class impossible, never NaN
_LARGEST = 1e100
_WORDS = 1024  # worked on at a time where temporary tables are needed


@dataclass(frozen=True)
class Sums:
    """Expected counts: of words in each component, S = Rᵀ X (M × d), and of documents, N = Rᵀ 1 (M)."""

    words: Floats
    documents: Floats

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(self.words + other.words, self.documents + other.documents)


@dataclass(frozen=True)
class LeftOut:
    """Rows that take turns at being left out: the component that each is counted in, and with what weight."""

    rows: Rows
    components: NDArray[np.int64]
    weights: Floats


class EventModel(Protocol):
    """What an event model does for the mixtures."""

    silent_when_empty: bool

    def check(self, estimator: Any, X: Any, reset: bool) -> Matrix: ...
    def prepare(self, X: Matrix, weights: Floats | None = None) -> Rows: ...
    def estimate(self, sums: Sums, smoothing: float) -> tuple[Floats, Floats]: ...
    def probabilities(self, log_p: Floats) -> Floats: ...
    def left_out(self, held: LeftOut, sums: Sums, smoothing: float) -> Floats: ...
    def speaks_like(self, other: "EventModel") -> bool: ...


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
        """Accept numbers of at least 0 whose sums are finite."""
        X = check_matrix(estimator, X, reset=reset, nonnegative=True)
        values = X.data if sp.issparse(X) else X
        if values.size and values.max() > _LARGEST:
            raise InputError(
                f"X holds {values.max():g}, which is too large to sum up; a count is at most {_LARGEST:g}: divide X by "
                "a constant."
            )
        return X

    def prepare(self, X: Matrix, weights: Floats | None = None) -> Rows:
        """Scale documents by their length; leave them as they are where the exponent is 1."""
        if self.length_exponent == 1.0:
            return Rows.plain(X)
        lengths = np.asarray(X.sum(axis=1), dtype=np.float64).ravel()
        if weights is not None:
            counted = weights * (lengths > 0)
            self.mean_length = float((counted * lengths).sum() / counted.sum()) if counted.any() else 1.0
        return Rows(X, (self.mean_length / np.where(lengths > 0, lengths, 1.0)) ** (1.0 - self.length_exponent))

    def estimate(self, sums: Sums, smoothing: float) -> tuple[Floats, Floats]:
        """P(w | m) = (S_mw + s) / Σ_w (S_mw + s), N eq. 2.9."""
        return log_shares(sums.words, smoothing), np.zeros(len(sums.words))

    def probabilities(self, log_p: Floats) -> Floats:
        """P(w | m)."""
        return np.exp(log_p)

    def left_out(self, held: LeftOut, sums: Sums, smoothing: float) -> Floats:
        """Σ_w n log P(w | own class), each document's own counts subtracted."""
        return left_out_shares(sp.csr_array(held.rows.matrix()), held, sums.words, smoothing)

    def speaks_like(self, other: EventModel) -> bool:
        """Words are the columns of X, whatever their scale."""
        return isinstance(other, Multinomial)


@dataclass
class Bernoulli:
    """Presence of words: P(x | m) = Π_w p_mw^[w in x] (1 − p_mw)^[w not in x]. Absent words speak too."""

    silent_when_empty: bool = field(default=False, init=False)

    def check(self, estimator: Any, X: Any, reset: bool) -> Matrix:
        """Accept numbers of at least 0 and turn them into 1 where there is something, in place if they are a copy."""
        checked = check_matrix(estimator, X, reset=reset, nonnegative=True)
        values = checked.data if sp.issparse(checked) else checked
        given = X.data if sp.issparse(X) else X
        is_copy = isinstance(given, np.ndarray) and not np.may_share_memory(values, given)
        present = np.greater(values, 0.0, out=values if is_copy else np.empty_like(values))
        return sp.csr_array((present, checked.indices, checked.indptr), checked.shape) if sp.issparse(X) else present

    def prepare(self, X: Matrix, weights: Floats | None = None) -> Rows:
        """Presence it is already."""
        return Rows.plain(X)

    def estimate(self, sums: Sums, smoothing: float) -> tuple[Floats, Floats]:
        """Return log-odds of p = (S + s) / (N + 2s), and Σ_w log(1 − p)."""
        s, n_words = max(smoothing, TINY), sums.words.shape[1]
        log_p, log_blank = np.empty_like(sums.words), -n_words * np.log(sums.documents + 2 * s)
        for first in range(0, n_words, _WORDS):
            words = sums.words[:, first : first + _WORDS]
            absent = np.log(np.maximum(sums.documents[:, None] - words, 0.0) + s)
            log_p[:, first : first + _WORDS] = np.log(words + s) - absent
            log_blank += absent.sum(axis=1)
        return log_p, log_blank

    def probabilities(self, log_p: Floats) -> Floats:
        """P(w in x | m)."""
        return expit(log_p)

    def left_out(self, held: LeftOut, sums: Sums, smoothing: float) -> Floats:
        """Let the document's words take back their counts and all words the document; alike for rows of one class."""
        X, s = sp.csr_array(held.rows.X), max(smoothing, TINY)
        left = np.empty(X.shape[0])
        cases, case_of_row = np.unique(np.stack([held.components, held.weights], axis=1), axis=0, return_inverse=True)
        for case, (component, weight) in enumerate(cases):
            words, documents = sums.words[int(component)], max(sums.documents[int(component)] - weight, 0.0)
            absent = np.log(np.maximum(documents - words, 0.0) + s)
            odds = np.log(np.maximum(words - weight, 0.0) + s) - absent
            rows = np.flatnonzero(case_of_row.ravel() == case)
            left[rows] = X[rows] @ odds + absent.sum() - X.shape[1] * np.log(documents + 2 * s)
        return left

    def speaks_like(self, other: EventModel) -> bool:
        """Words are the columns of X."""
        return isinstance(other, Bernoulli)


def log_shares(counts: Floats, smoothing: float) -> Floats:
    """Logarithms of each row's smoothed shares; without smoothing, the limit of ever less."""
    log_p = counts + max(smoothing, TINY)
    mass = log_p.sum(axis=1)
    np.log(log_p, out=log_p)
    log_p -= np.log(mass)[:, None]
    return log_p


def left_out_shares(X: Matrix, held: LeftOut, counts: Floats, smoothing: float) -> Floats:
    """Σ_w n log(S_w − v n + s) − L log(Σ_w S_w − v L + s d), S that of the row's own component."""
    s = max(smoothing, TINY)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    rest = counts[held.components[rows], X.indices] - held.weights[rows] * X.data
    lengths = np.asarray(X.sum(axis=1)).ravel()
    mass = counts.sum(axis=1)[held.components] - held.weights * lengths
    log_rest = np.log(np.maximum(rest, 0.0) + s)
    log_mass = np.log(np.maximum(mass, 0.0) + s * X.shape[1])
    return np.bincount(rows, weights=X.data * log_rest, minlength=X.shape[0]) - lengths * log_mass

"""How much a document resembles the others (McCallum and Nigam 1998): a factor for other strategies."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from smatter.active.state import Floats, State
from smatter.active.strategy import Strategy
from smatter.validation import Matrix, Number, Rules


@dataclass(frozen=True)
class Density(Strategy):
    """Z(x) = exp(−β/n Σ_h KL(P(w|x_h) ‖ λ P(w|x) + (1 − λ) P(w))): the geometric mean of the overlap with all others.

    The sum over all n documents needs one pass over the non-zeros, since λ P(w|x) + (1 − λ) P(w) differs from
    (1 − λ) P(w) on the words of x only. Scaled so that the densest row has 1; a document without a word has what
    (1 − λ) P(w) alone gives.

    Parameters
    ----------
    mix : float in (0, 1), default 0.5
        λ.
    sharpness : float, default 3.0
        β.

    References
    ----------
    A. McCallum and K. Nigam, Employing EM and pool-based active learning for text classification, ICML 1998.

    Examples
    --------
    >>> from smatter.labels import encode_labels
    >>> X = np.array([[4.0, 1.0, 0.0], [3.0, 1.0, 0.0], [4.0, 2.0, 0.0], [0.0, 0.0, 5.0]])
    >>> state = State(np.full((4, 2), 0.5), encode_labels([None] * 4, ["a", "b"]), X=X)
    >>> int(Density().utility(state).argmin())
    3

    """

    rules: ClassVar[Rules] = {"mix": Number(1e-6, 1 - 1e-6), "sharpness": Number(0)}
    mix: float = 0.5
    sharpness: float = 3.0

    def utility(self, state: State) -> Floats:
        """Return Z(x), the largest one of all rows being 1."""
        X = state.need("X", self)
        overlap = state.remember((Density, self.mix), lambda: mean_log_overlap(X, self.mix))
        return np.exp(self.sharpness * (overlap - overlap.max()))[state.candidates]


def mean_log_overlap(X: Matrix, mix: float) -> Floats:
    """Σ_w Q(w) log(λ P(w|x) + (1 − λ) P(w)) of each row but for a constant, Q(w) the mean of P(w|x_h)."""
    counts = sp.csr_array(X, dtype=np.float64, copy=True)
    totals = np.asarray(counts.sum(axis=0)).ravel()
    marginal = totals / max(totals.sum(), 1e-300)
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    row_of = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))
    counts.data /= np.maximum(lengths, 1e-300)[row_of]
    mean_given_document = np.asarray(counts.sum(axis=0)).ravel() / max(np.count_nonzero(lengths), 1)
    words = counts.indices
    gain = np.log1p(mix * counts.data / ((1.0 - mix) * np.maximum(marginal[words], 1e-300)))
    sums = np.bincount(row_of, weights=mean_given_document[words] * gain, minlength=counts.shape[0])
    return sums.astype(np.float64)

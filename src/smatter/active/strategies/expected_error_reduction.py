"""I7: the answer that would lower the expected error most (K algorithm 11)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from smatter.active.state import Floats, State
from smatter.active.strategies.class_entropy import entropy
from smatter.active.strategy import NEVER, Strategy
from smatter.models.bayes._events import Multinomial, log_shares
from smatter.validation import Matrix, Number, OneOf, Rules

_NEGLIGIBLE = 1e-6  # a class less probable than that changes no expectation that matters


@dataclass(frozen=True)
class ExpectedErrorReduction(Strategy):
    """How much lower the expected loss on the pool is, on average over the answers that the row may get.

    For each candidate x* and class y naive Bayes is updated with (x*, y), and its loss on the unlabeled rows is either
    −1/n Σ_x Σ_y P*(y|x) log P*(y|x) (K 3.1) or 1/n Σ_x (1 − max_y P*(y|x)) (K 3.2); the losses are averaged by the
    model's P(y|x*). The update is exact and no refit: a document in class y changes the score of y alone, on documents
    with which it shares words.

    Parameters
    ----------
    loss : {"log", "zero_one"}, default "log"
        Equation 3.1 or 3.2.
    smoothing : float, default 0.1
        Added to each count of a word.
    length_exponent : float in [0, 1], default 0.5
        As in :class:`NaiveBayes`: below 1, long documents are weighed down, and posteriors are less extreme.
    pool : int, default 500
        Unlabeled rows whose loss is looked at, drawn anew each round; all, where there are no more.
    candidates : int, default 200
        Candidates that are looked at, drawn anew each round; the others are left out.

    References
    ----------
    N. Roy and A. McCallum, Toward optimal active learning through sampling estimation of error reduction, ICML 2001.

    Examples
    --------
    >>> from smatter.labels import encode_labels
    >>> X = np.array([[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    >>> state = State(np.full((5, 2), 0.5), encode_labels(["a", "b", None, None, None]), X=X)
    >>> ExpectedErrorReduction().utility(state).argmin().item()
    2

    """

    rules: ClassVar[Rules] = {
        "loss": OneOf("log", "zero_one"),
        "smoothing": Number(0, above=True),
        "length_exponent": Number(0, 1),
        "pool": Number(1, whole=True),
        "candidates": Number(1, whole=True),
    }
    loss: str = "log"
    smoothing: float = 0.1
    length_exponent: float = 0.5
    pool: int = 500
    candidates: int = 200

    def utility(self, state: State) -> Floats:
        """Return the loss now less the expected loss after the answer."""
        random = state.random(_SAMPLE)
        rows = self._rows(state)
        pool = _some(state.unlabeled, self.pool, random)
        positions = _some(np.arange(len(state.candidates)), self.candidates, random)
        asked = state.candidates[positions]
        update = _Update.of(rows, state, self.smoothing, pool)
        values = np.full(len(state.candidates), NEVER)
        expected = update.expected_losses(rows[asked], state.posterior[asked], self.loss == "zero_one")
        values[positions] = _LOSSES[self.loss](update.posterior()).mean() - expected
        return values

    def _rows(self, state: State) -> Matrix:
        """Scale documents once for all rounds."""
        X = state.need("X", self)

        def scale() -> Matrix:
            matrix = Multinomial(self.length_exponent).prepare(X, np.ones(X.shape[0])).matrix()
            return sp.csr_array(matrix, dtype=np.float64)

        return state.remember((ExpectedErrorReduction, self.length_exponent), scale)


_SAMPLE = 5
_LOSSES = {"log": entropy, "zero_one": lambda P: 1.0 - P.max(axis=1)}


def _some(rows: NDArray[np.intp], n: int, random: np.random.Generator) -> NDArray[np.intp]:
    return rows if len(rows) <= n else np.sort(random.choice(rows, n, replace=False))


@dataclass(frozen=True)
class _Update:
    """Naive Bayes on the labeled rows, and all that an update of one class leaves as it is."""

    pool: Matrix
    word_counts: Floats  # words × K, smoothed
    class_counts: Floats  # K, smoothed by 1 (N 2.10)
    scores: Floats  # log P(x, y) of the pool, n × K

    @classmethod
    def of(cls, rows: Matrix, state: State, smoothing: float, pool: NDArray[np.intp]) -> "_Update":
        """Count the labeled rows and score the pool."""
        counts = np.asarray(rows.T @ state.labels.one_hot())
        class_counts = state.labels.counts.astype(np.float64) + 1.0
        scores = rows[pool] @ log_shares(counts.T, smoothing).T + np.log(class_counts / class_counts.sum())
        return cls(rows[pool], np.ascontiguousarray(counts + smoothing), class_counts, np.asarray(scores))

    def posterior(self) -> Floats:
        """P(y|x) of the pool."""
        return np.exp(self.scores - np.logaddexp.reduce(self.scores, axis=1)[:, None])

    def expected_losses(self, asked: Matrix, odds: Floats, zero_one: bool) -> Floats:
        """Σ_y P(y|x*) of the mean loss on the pool after (x*, y), for each asked row."""
        from smatter.active import _kernels as kernels

        n, K = self.scores.shape
        columns = sp.csc_array(self.pool)
        losses = np.zeros(odds.shape)
        worth = odds > _NEGLIGIBLE
        kernels.expected_losses(
            (columns.indptr, columns.indices, columns.data, _lengths(self.pool)),
            (asked.indptr, asked.indices, asked.data, _lengths(asked)),
            (self.word_counts, self.word_counts.sum(axis=0), np.log1p(1.0 / self.class_counts)),
            np.ascontiguousarray(self.scores),
            self._rest(),
            worth,
            zero_one,
            (np.zeros((n, K)), np.zeros(K)),
            losses,
        )
        kept = np.where(worth, odds, 0.0)
        return (kept * losses).sum(axis=1) / np.maximum(kept.sum(axis=1), 1e-300)

    def _rest(self) -> tuple[Floats, Floats, Floats]:
        """Log Σ_{j≠k} exp score_j, and the entropy and largest probability among the classes other than k."""
        shape = self.scores.shape
        log_mass, spread, largest = np.empty(shape), np.empty(shape), np.empty(shape)
        for k in range(shape[1]):
            others = np.delete(self.scores, k, axis=1)
            log_mass[:, k] = np.logaddexp.reduce(others, axis=1)
            P = np.exp(others - log_mass[:, [k]])
            spread[:, k], largest[:, k] = entropy(P), P.max(axis=1)
        return log_mass, spread, largest


def _lengths(X: Matrix) -> Floats:
    return np.asarray(X.sum(axis=1), dtype=np.float64).ravel()

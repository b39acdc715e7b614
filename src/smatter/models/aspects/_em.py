"""EM for every aspect model: the E-step of a document depends on its kind alone, through a table of g_α.

P(w, x) = P(x) Σ_α P(w|α) P(α|x) g_α(x)                                               (K 4.1)
π_α(w, x) ∝ P(α|x) P(w|α) g_α(x)                                                      (K 4.8, 4.9, 4.13)
P(w|α) ∝ Σ_x n(w, x) π_α(w, x),  P(α|x) ∝ Σ_w n(w, x) π_α(w, x)                       (K 4.7, 4.10)

Everything else that a variant re-estimates it reads off the sums of n π by kind of document (a 2K × A table).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from smatter.models.aspects._corpus import Corpus, Floats, Workers, lay_out_by_word
from smatter.models.aspects._priors import Prior

Table = NDArray[np.float64]
_UNUSED = 0.01  # of an aspect's even part of the words: it has died out


@dataclass
class Solution:
    """The parameters of one start; matrices by aspect are padded to whole vectors."""

    word_given_aspect: Floats
    aspect_given_document: Floats
    class_given_aspect: Table  # P(y|α), A × K; 0 or 1 but for free aspects
    imperfect_class_given_aspect: Table  # P̃(y|α) on unlabeled documents, A × K
    label_given_aspect: Table  # P(z|α), A × (K + 1), the fake label y0 last
    mislabel: Table  # β(ỹ|y), K × K, columns sum to 1
    by_kind: Table  # Σ n π by kind of document, 2K × A
    word_counts: Floats  # Σ_x n π, words × A
    log_prior: float = 0.0

    @property
    def n_aspects(self) -> int:
        """A, without the padding."""
        return len(self.class_given_aspect)

    @property
    def aspect_prior(self) -> NDArray[np.float64]:
        """P(α) over all documents."""
        totals = self.by_kind.sum(axis=0) + 1e-12
        return totals / totals.sum()


@dataclass
class Allowed:
    """The aspects that a labeled document of each class may use, as one list with its starts."""

    starts: NDArray[np.int64]
    aspects: NDArray[np.int64]

    def windows(self) -> "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]":
        """Return the vectors of lanes that hold them: the starts of each class, and from where to where each is."""
        from smatter.kernels.lanes import LANES

        starts, lows, highs = [0], list[int](), list[int]()
        for start, stop in pairwise(self.starts):
            vectors = np.unique(self.aspects[start:stop] // LANES)
            for run in np.split(vectors, np.flatnonzero(np.diff(vectors) > 1) + 1):
                lows.append(int(run[0]) * LANES)
                highs.append(int(run[-1] + 1) * LANES)
            starts.append(len(lows))
        return np.array(starts), np.array(lows), np.array(highs)

    @classmethod
    def of(cls, allowed: NDArray[np.bool_]) -> "Allowed":
        """Take an A × K table of truth values apart."""
        starts = np.concatenate([[0], np.cumsum(allowed.sum(axis=0))])
        return cls(starts, np.concatenate([np.flatnonzero(column) for column in allowed.T]))

    def table(self, n_aspects: int) -> NDArray[np.bool_]:
        """Say for each class, and in a last row for unlabeled documents, which aspects a document may use."""
        table = np.ones((len(self.starts), n_aspects), dtype=bool)
        for k, (start, stop) in enumerate(pairwise(self.starts)):
            table[k] = np.isin(np.arange(n_aspects), self.aspects[start:stop])
        return table


@dataclass
class Step:
    """One EM step over a corpus, with the buffers that every iteration uses again."""

    corpus: Corpus
    allowed: Allowed
    prior: Prior
    temperature: float
    run: Workers
    before: Solution | None = None  # of documents seen before, whose expected counts stay (partial_fit)

    def __post_init__(self) -> None:
        self.columns = lay_out_by_word(self.corpus)
        self.windows = self.allowed.windows()
        self.log_likelihoods = np.zeros(self.corpus.n_documents)

    def e_step(self, solution: Solution, weights: Table) -> float:
        """Turn P(α|x) into Σ_w n π and fill Σ_x n π; return Σ n log Σ_α P(w|α) P(α|x) g_α."""
        from smatter.kernels import aspects as kernels

        D, W = solution.aspect_given_document, solution.word_given_aspect
        self._temper(W, D, weights)
        self._pass_over_words(W, D, solution.word_counts)
        self._pass_over_documents(W, D)
        by_kind = self._tables(lambda begin, end, table: kernels.sum_by_kind(
            D, self.corpus.kinds, self.corpus.weights, begin, end, table), weights.shape[0], D.shape[1])  # fmt: skip
        solution.by_kind = by_kind[:, : solution.n_aspects] + (0 if self.before is None else self.before.by_kind)
        return float(self.log_likelihoods @ self.corpus.weights) / self.temperature

    def m_step(self, solution: Solution) -> None:
        """Normalize the expected counts into P(w|α) and P(α|x) (K 4.7, 4.10)."""
        fallback = _fallback(solution, self.allowed)
        log_prior = self.prior.settle_words(solution, solution.word_counts.sum(axis=0, dtype=np.float64), self.run)
        solution.log_prior = log_prior + self.prior.settle_documents(
            solution.aspect_given_document, self.corpus, fallback, self.allowed, self.run
        )

    def _temper(self, W: Floats, D: Floats, weights: Table) -> None:
        """(P(α|x) g_α)^τ and P(w|α)^τ, in place; the passes then know of neither g nor τ."""
        from smatter.kernels import aspects as kernels

        table = np.zeros((weights.shape[0], D.shape[1]), dtype=np.float32)
        table[:, : weights.shape[1]] = weights
        self.run.run(lambda begin, end: kernels.scale_rows(D, self.corpus.kinds, table, begin, end), self._all_parts())
        if self.temperature != 1:
            np.power(D, np.float32(self.temperature), out=D)
            np.power(W, np.float32(self.temperature), out=W)

    def _pass_over_words(self, W: Floats, D: Floats, N: Floats) -> None:
        from smatter.kernels import aspects as kernels

        columns, corpus, parts = self.columns, self.corpus, self.columns.parts()
        pseudo_counts = self.prior.pseudo_counts

        def task(begin: int, end: int) -> None:
            kernels.pass_over_words(
                columns.starts, columns.splits, columns.documents, columns.counts, corpus.kinds, D, W,
                *self.windows, pseudo_counts, begin, end, N,
            )  # fmt: skip

        self.run.run(task, parts)
        if self.before is not None:
            N += self.before.word_counts - self.prior.pseudo_counts[:, None]

    def _pass_over_documents(self, W: Floats, D: Floats) -> None:
        from smatter.kernels import aspects as kernels

        corpus, longest = self.corpus, self.corpus.longest

        def labeled(begin: int, end: int) -> None:
            kernels.pass_over_labeled_documents(
                corpus.pointers, corpus.words, corpus.counts, corpus.rows, corpus.kinds, D, W, *self.windows,
                begin, end, *_buffers(longest, D.shape[1]), self.log_likelihoods,
            )  # fmt: skip

        self.run.run(labeled, corpus.parts(0, corpus.n_labeled))
        self.run.run(lambda begin, end: _pass(corpus, D, W, begin, end, self.log_likelihoods), self._unlabeled_parts())

    def _tables(self, add: Callable[[int, int, Table], None], n_kinds: int, width: int) -> Table:
        """Sum the table of every part, in the order of the parts."""

        def task(begin: int, end: int) -> Table:
            table = np.zeros((n_kinds, width))
            add(begin, end, table)
            return table

        return sum(self.run.run(task, self._all_parts()), np.zeros((n_kinds, width)))

    def _all_parts(self) -> list[tuple[int, int]]:
        return self.corpus.parts(0, self.corpus.n_documents)

    def _unlabeled_parts(self) -> list[tuple[int, int]]:
        return self.corpus.parts(self.corpus.n_labeled, self.corpus.n_documents)


def fold_in(corpus: Corpus, solution: Solution, prior: Prior, n_iterations: int, run: Workers) -> Floats:
    """P(α|x) by EM with P(w|α) fixed (K algorithm 15), from the uniform start; labels are not looked at.

    An aspect that no document of the fit uses holds pseudo-counts alone. Those are P(w), which fits any document a
    little, and its P(y|α) is that of nothing: it gets no part.
    """
    W, A = solution.word_given_aspect, solution.n_aspects
    D = np.zeros((corpus.n_documents, W.shape[1]), dtype=np.float32)
    used = solution.aspect_prior > _UNUSED / A
    D[:, :A] = used / used.sum()
    everything = Allowed.of(np.ones((A, 1), dtype=bool))
    blank = Corpus(**{**vars(corpus), "kinds": np.zeros(corpus.n_documents, dtype=np.int32), "n_labeled": 0})
    fallback = _fallback(solution, everything)
    unread = np.empty(corpus.n_documents)
    parts = corpus.parts(0, corpus.n_documents)
    for _ in range(n_iterations):
        run.run(lambda begin, end: _pass(corpus, D, W, begin, end, unread), parts)
        prior.settle_documents(D, blank, fallback, everything, run)
    return D


def rows_to_one(table: Table) -> Table:
    """Normalize the rows; an empty one becomes uniform."""
    table = table + 1e-12
    return np.asarray(table / table.sum(axis=1, keepdims=True))


def _pass(corpus: Corpus, D: Floats, W: Floats, begin: int, end: int, log_likelihoods: NDArray[np.float64]) -> None:
    from smatter.kernels import aspects as kernels

    kernels.pass_over_documents(
        corpus.pointers, corpus.words, corpus.counts, corpus.rows, D, W, begin, end,
        *_buffers(corpus.longest, D.shape[1]), log_likelihoods,
    )  # fmt: skip


def _buffers(longest: int, width: int) -> tuple[Floats, Floats]:
    return np.empty(longest, dtype=np.float32), np.zeros(width, dtype=np.float32)


def _fallback(solution: Solution, allowed: Allowed) -> Floats:
    """P(α) by kind, for documents without a known word: over the aspects of the class where there is one."""
    K = len(allowed.starts) - 1
    fallback = np.zeros((2 * K, solution.word_given_aspect.shape[1]), dtype=np.float32)
    fallback[:, : solution.n_aspects] = solution.aspect_prior
    for k in range(K):
        own = allowed.aspects[allowed.starts[k] : allowed.starts[k + 1]]
        restricted = np.zeros(fallback.shape[1], dtype=np.float32)
        restricted[own] = fallback[k, own]
        fallback[k] = restricted / max(restricted.sum(), np.float32(1e-30))
    return fallback

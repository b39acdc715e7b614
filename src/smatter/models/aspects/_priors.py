"""The two ways from expected counts to P(w|α) and P(α|x): a maximum (PLSA) and a Dirichlet posterior (LDA)."""

from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from smatter.models.aspects._corpus import Corpus, Floats, Workers
from smatter.validation import Number, Rules

if TYPE_CHECKING:
    from smatter.models.aspects._em import Allowed, Solution

CONCENTRATIONS: Rules = {"smoothing": Number(0, above=True), "document_concentration": Number(0, above=True)}
_ROWS_AT_ONCE = 4096  # bounds the float64 copies of the digamma functions


class Prior(Protocol):
    """What EM asks of a prior; both methods work in place and return the log-prior's part of the objective."""

    pseudo_counts: Floats

    def settle_words(self, solution: "Solution", column_sums: NDArray[np.float64], run: Workers) -> float:
        """Turn Σ_x n π + pseudo-counts into P(w|α)."""

    def settle_documents(self, D: Floats, corpus: Corpus, fallback: Floats, allowed: "Allowed", run: Workers) -> float:
        """Turn Σ_w n π into P(α|x)."""

    def mean_words(self, solution: "Solution") -> Floats:
        """P(w|α) as it is shown."""


class Smoothing:
    """Maximum a posteriori with pseudo-counts on words: P(w|α) ∝ Σ_x n π + ε_w, P(α|x) ∝ Σ_w n π."""

    def __init__(self, pseudo_counts: NDArray[np.float64]) -> None:
        self.pseudo_counts = pseudo_counts.astype(np.float32)

    def settle_words(self, solution: "Solution", column_sums: NDArray[np.float64], run: Workers) -> float:
        """Divide by the sums of the columns; log-prior Σ ε_w log P(w|α)."""
        from smatter.kernels import aspects as kernels

        A = solution.n_aspects
        factors = np.zeros(len(column_sums), dtype=np.float32)
        factors[:A] = 1.0 / np.maximum(column_sums[:A], 1e-30)

        def task(begin: int, end: int) -> float:
            log_prior = np.zeros(1)
            kernels.scale_columns(
                solution.word_counts, factors, self.pseudo_counts, begin, end, solution.word_given_aspect, log_prior
            )
            return float(log_prior[0])

        return sum(run.run(task, _even_parts(len(self.pseudo_counts))))

    def settle_documents(self, D: Floats, corpus: Corpus, fallback: Floats, allowed: "Allowed", run: Workers) -> float:
        """Divide by the sum of the row."""
        from smatter.kernels import aspects as kernels

        parts = corpus.parts(0, corpus.n_documents)
        run.run(lambda begin, end: kernels.normalize_documents(D, corpus.kinds, fallback, begin, end), parts)
        return 0.0

    def mean_words(self, solution: "Solution") -> Floats:
        """P(w|α) itself."""
        return solution.word_given_aspect


class Dirichlet:
    """Variational Bayes (Blei et al. 2003): the passes get exp E[log P(·|·)] where PLSA has P(·|·).

    q(P(·|α)) = Dirichlet(b + Σ_x n π), q(P(·|x)) = Dirichlet(a + Σ_w n π); the objective is the evidence lower bound.
    """

    def __init__(self, document_concentration: float, word_concentrations: NDArray[np.float64]) -> None:
        self.document_concentration = document_concentration
        self.word_concentrations = word_concentrations[:, None]
        self.pseudo_counts = np.zeros(len(word_concentrations), dtype=np.float32)

    def settle_words(self, solution: "Solution", column_sums: NDArray[np.float64], run: Workers) -> float:
        """P(w|α) ← exp E[log P(w|α)]; returns −Σ_α KL(q ‖ prior)."""
        from scipy.special import gammaln, psi

        A, concentrations = solution.n_aspects, self.word_concentrations
        N, W = solution.word_counts, solution.word_given_aspect
        totals = concentrations.sum() + column_sums[:A]
        digamma_totals = psi(totals)

        def task(begin: int, end: int) -> float:
            b = concentrations[begin:end]
            counts = N[begin:end, :A].astype(np.float64) + b
            expected_log = psi(counts) - digamma_totals
            W[begin:end, :A] = np.exp(expected_log)
            return float((gammaln(counts) - gammaln(b) + (b - counts) * expected_log).sum())

        parts = [(first, min(first + _ROWS_AT_ONCE, len(N))) for first in range(0, len(N), _ROWS_AT_ONCE)]
        return sum(run.run(task, parts)) + float((gammaln(concentrations.sum()) - gammaln(totals)).sum())

    def settle_documents(self, D: Floats, corpus: Corpus, fallback: Floats, allowed: "Allowed", run: Workers) -> float:
        """P(α|x) ← exp E[log P(α|x)] over the aspects that the document may use; returns −Σ_x KL(q ‖ prior)."""
        from scipy.special import gammaln, psi

        A, a = int(allowed.aspects.max()) + 1, self.document_concentration
        may_use = allowed.table(A)

        def task(begin: int, end: int) -> float:
            usable = may_use[np.minimum(corpus.kinds[begin:end], len(may_use) - 1)]
            counts = np.where(usable, D[begin:end, :A].astype(np.float64) + a, 1.0)
            totals = (counts * usable).sum(axis=1)
            expected_log = psi(counts) - psi(totals)[:, None]
            D[begin:end, :A] = np.exp(expected_log) * usable
            by_aspect = ((gammaln(counts) - gammaln(a) + (a - counts) * expected_log) * usable).sum(axis=1)
            by_document = by_aspect + gammaln(a * usable.sum(axis=1)) - gammaln(totals)
            return float(by_document @ corpus.weights[begin:end])

        parts = [(first, min(first + _ROWS_AT_ONCE, len(D))) for first in range(0, len(D), _ROWS_AT_ONCE)]
        return sum(run.run(task, parts))

    def mean_words(self, solution: "Solution") -> Floats:
        """E[P(w|α)] under q."""
        A = solution.n_aspects
        counts = solution.word_counts[:, :A] + self.word_concentrations.astype(np.float32)
        return counts / counts.sum(axis=0, dtype=np.float64).astype(np.float32)


def _even_parts(n: int) -> list[tuple[int, int]]:
    edges = np.linspace(0, n, min(8, 1 + n // 1000) + 1).astype(int).tolist()
    return list(pairwise(edges))

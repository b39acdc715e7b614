"""Probabilities that mean what they say: one exponent, fitted on labeled documents that are left out of P(w|α).

P(y|x) ∝ Σ_α P(α|x) P(y|α) is the share of words that speak for a class, not the probability of the class. It is raised
to a power κ and normalized; κ maximizes the likelihood of the labels of labeled documents, each folded in with its own
words subtracted from the counts behind P(w|α).
"""

import numpy as np
from numpy.typing import NDArray

from smatter.models.aspects._em import Solution, Step, Table
from smatter.models.aspects._starts import FOLD_IN_ITERATIONS

_MOST_DOCUMENTS = 500
_EXPONENTS = np.geomspace(0.25, 512.0, 89)
_USUAL_EXPONENT = 16.0  # where the labels are too few to say: the center of a log-normal prior
_PRIOR_WEIGHT = 2.0  # of that prior, in documents
_FLOOR = 1e-6  # a class never has less: a word that the class has not shown yet is not impossible


def sharpen(shares: Table, exponent: float) -> Table:
    """Return shares^κ with rows that sum to 1."""
    logs = exponent * np.log(np.maximum(shares, _FLOOR))
    logs -= logs.max(axis=1, keepdims=True)
    powers = np.exp(logs)
    return powers / powers.sum(axis=1, keepdims=True)


def fit_exponent(shares: Table, codes: NDArray[np.int64]) -> float:
    """Return the κ of the largest log Σ_x P(y(x)|x), with a weak prior."""
    rows = np.arange(len(codes))
    scores = [
        np.log(np.maximum(sharpen(shares, kappa)[rows, codes], 1e-300)).sum()
        - 0.5 * _PRIOR_WEIGHT * np.log(kappa / _USUAL_EXPONENT) ** 2
        for kappa in _EXPONENTS
    ]
    return float(_EXPONENTS[int(np.argmax(scores))])


def leave_out_shares(step: Step, solution: Solution, decision: Table) -> tuple[Table, NDArray[np.int64]]:
    """Σ_α P(α|x) P(y|α) of labeled documents without their own words, and their classes; at most 500, evenly spread."""
    corpus, n = step.corpus, step.corpus.n_labeled
    positions = np.unique(np.linspace(0, n - 1, min(n, _MOST_DOCUMENTS)).astype(int))
    totals = solution.word_counts[:, : solution.n_aspects].sum(axis=0, dtype=np.float64)
    shares = np.stack([_fold_in_without(step, solution, position, totals) @ decision for position in positions])
    return shares, corpus.kinds[positions].astype(np.int64)


def _fold_in_without(step: Step, solution: Solution, position: int, totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """P(α|x) of one labeled document, folded in where its expected counts are taken back out of P(w|α)."""
    corpus, allowed, A = step.corpus, step.allowed, solution.n_aspects
    kind, row = corpus.kinds[position], corpus.rows[position]
    own = allowed.aspects[allowed.starts[kind] : allowed.starts[kind + 1]]
    span = slice(corpus.pointers[row], corpus.pointers[row + 1])
    words, counts = corpus.words[span], corpus.counts[span].astype(np.float64)
    P = solution.word_given_aspect[words, :A].astype(np.float64)
    joint = P[:, own] * solution.aspect_given_document[position, own]
    responsibility = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-30)
    expected = (corpus.weights[position] * counts)[:, None] * responsibility
    least = np.maximum(step.prior.pseudo_counts[words], 1e-6)[:, None]
    P[:, own] = np.maximum(solution.word_counts[words][:, own] - expected, least) / np.maximum(
        totals[own] - expected.sum(axis=0), 1e-9
    )
    D = np.full(A, 1.0 / A)
    for _ in range(FOLD_IN_ITERATIONS):
        D *= (counts / np.maximum(P @ D, 1e-30)) @ P
        D = D / D.sum() if D.sum() > 0 else np.full(A, 1.0 / A)
    return D

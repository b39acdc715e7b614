"""Probabilities that mean what they say: one exponent, fitted on labeled documents that a refit has not seen.

P(y|x) ∝ Σ_α P(α|x) P(y|α) is the share of words that speak for a class, not the probability of the class. It is raised
to a power κ and normalized; κ maximizes the likelihood of labels that were held out. Leaving the words of one document
out of P(w|α) is not enough: unlabeled documents, decided by its help, still speak for it. So the labeled documents are
cut into folds, and each fold is taken out of the collection while a short EM runs on the rest.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from smatter.models.aspects._corpus import Corpus
from smatter.models.aspects._em import Table

FOLDS = 3
ITERATIONS = 8  # of each refit: decisions change little after, and the whole costs about as much as the fit itself
USUAL_EXPONENT = 2.0  # where the labels are too few to say: the center of a log-normal prior
_EXPONENTS = np.geomspace(0.25, 512.0, 89)
_PRIOR_WEIGHT = 10.0  # of that prior, in documents
_FLOOR = 1e-6  # a class never has less: a word that the class has not shown yet is not impossible


def sharpen(shares: Table, exponent: float) -> Table:
    """Return shares^κ with rows that sum to 1."""
    logs = exponent * np.log(np.maximum(shares, _FLOOR))
    logs -= logs.max(axis=1, keepdims=True)
    powers = np.exp(logs)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def fit_exponent(shares: Table, codes: NDArray[np.int64], weights: NDArray[np.float64] | None = None) -> float:
    """Return the κ of the largest log Σ_x P(y(x)|x), with a weak prior."""
    rows = np.arange(len(codes))
    weights = np.ones(len(codes)) if weights is None else weights
    scores = [
        weights @ np.log(np.maximum(sharpen(shares, kappa)[rows, codes], 1e-300))
        - 0.5 * _PRIOR_WEIGHT * np.log(kappa / USUAL_EXPONENT) ** 2
        for kappa in _EXPONENTS
    ]
    return float(_EXPONENTS[int(np.argmax(scores))])


def folds(corpus: Corpus, word_prior: NDArray[np.float64]) -> Iterator[tuple[Corpus, Corpus]]:
    """Yield the corpus without a fold of its labeled documents, and that fold as documents without a label.

    Within a class the documents are dealt out in the order of their mean log P(w): the order of rows, words and classes
    does not matter, and copies stay together. A class keeps at least one document.
    """
    fold_of = _deal(corpus, word_prior)
    for fold in range(FOLDS):
        held_out = fold_of == fold
        if held_out.any():
            n_labeled = corpus.n_labeled - int(held_out.sum())
            yield replace(_take(corpus, ~held_out), n_labeled=n_labeled), replace(_take(corpus, held_out), n_labeled=0)


def _deal(corpus: Corpus, word_prior: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the fold of each position, −1 for what is never held out."""
    fold_of = np.full(corpus.n_documents, -1)
    labeled = corpus.matrix()[corpus.rows[: corpus.n_labeled]]
    typical = (labeled @ np.log(word_prior)) / np.maximum(labeled.sum(axis=1), 1e-30)
    for kind in np.unique(corpus.kinds[: corpus.n_labeled]):
        positions = np.flatnonzero(corpus.kinds[: corpus.n_labeled] == kind)
        different, ranks = np.unique(typical[positions], return_inverse=True)
        if len(different) > 1:
            fold_of[positions] = ranks % FOLDS
    return fold_of


def _take(corpus: Corpus, chosen: NDArray[np.bool_]) -> Corpus:
    return replace(corpus, rows=corpus.rows[chosen], kinds=corpus.kinds[chosen], weights=corpus.weights[chosen])

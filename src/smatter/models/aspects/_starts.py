"""Where EM starts: B1 on the labeled documents and a fold-in of the unlabeled ones, or the last solution."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from smatter.models.aspects._corpus import Corpus
from smatter.models.aspects._em import Solution, Step, Table, fold_in
from smatter.models.aspects._layout import class_given_aspect, owned

_SUPERVISED_ITERATIONS = 5  # of B1 on the labeled documents, before the unlabeled ones take part
FOLD_IN_ITERATIONS = 4  # more fit the words of one document, and decide no better
_SURE = 0.9  # of β(y|y) and P̃(y|α) at the start: close to P(y|α), nothing forced to zero (K 4.7)


def random_start(labeled: Step, aspect_class: NDArray[np.int64], n_classes: int, seed: int) -> Solution:
    """Share every labeled document out among the aspects of its class, at random."""
    from smatter.kernels.lanes import padded

    corpus, A = labeled.corpus, len(aspect_class)
    D = np.zeros((corpus.n_documents, padded(A)), dtype=np.float32)
    directions = _random_directions(corpus, A, seed)
    owned_by = _seeded(class_given_aspect(aspect_class, n_classes), ~owned(aspect_class), directions, corpus)
    D[:, :A] = np.exp(directions) * (owned_by * labeled.allowed.table(A)[:-1].T)[:, corpus.kinds].T
    D /= D.sum(axis=1, keepdims=True)
    N = (corpus.matrix()[corpus.rows].T @ (D * corpus.weights[:, None])).astype(np.float32)
    N += labeled.prior.pseudo_counts[:, None]
    solution = Solution(
        word_given_aspect=np.zeros_like(N),
        aspect_given_document=D,
        class_given_aspect=owned_by,
        imperfect_class_given_aspect=_softened(owned_by),
        label_given_aspect=0.5 * np.hstack([owned_by, np.ones((A, 1))]),
        mislabel=_softened(np.eye(n_classes)),
        by_kind=np.zeros((2 * n_classes, A)),
        word_counts=np.ascontiguousarray(N),
    )
    settle(labeled, solution)
    return solution


def _seeded(owned_by: Table, free: NDArray[np.bool_], directions: Table, corpus: Corpus) -> Table:
    """P(y|α) of a free aspect starts near the class of one document, the farthest along its direction.

    From P(y|α) = 1/K it never lives: on every labeled document the aspect of the class is K times as likely.
    """
    owned_by = owned_by.copy()
    for aspect in np.flatnonzero(free):
        owned_by[aspect] = _softened(np.eye(owned_by.shape[1])[corpus.kinds[directions[:, aspect].argmax()]][None])
    return owned_by


def _random_directions(corpus: Corpus, n_aspects: int, seed: int) -> NDArray[np.float64]:
    """Project every document on random directions: copies start alike, and the order of the rows does not matter."""
    directions = np.random.RandomState(seed).standard_normal((corpus.n_words, n_aspects))
    X = corpus.matrix()[corpus.rows]
    norms = np.sqrt(np.maximum((X**2).sum(axis=1), 1e-30))
    return np.asarray((X @ directions) / norms[:, None])


def supervise(labeled: Step, solution: Solution, weights: Table) -> None:
    """A few iterations of B1 (K algorithm 14)."""
    for _ in range(_SUPERVISED_ITERATIONS):
        labeled.e_step(solution, weights)
        labeled.m_step(solution)


def add_unlabeled(step: Step, solution: Solution) -> None:
    """Append P(α|x) of the unlabeled documents, folded in, to that of the labeled ones."""
    folded = fold_in(unlabeled(step.corpus), solution, step.prior, FOLD_IN_ITERATIONS, step.run)
    solution.aspect_given_document = np.concatenate([solution.aspect_given_document, folded])
    settle(step, solution)


def restart(step: Step, last: Solution) -> Solution:
    """Fold every document into the last solution, labeled ones within the aspects of their class."""
    D = fold_in(step.corpus, last, step.prior, FOLD_IN_ITERATIONS, step.run)
    n, A = step.corpus.n_labeled, last.n_aspects
    D[:n, :A] = (D[:n, :A] + 1e-6) * step.allowed.table(A)[step.corpus.kinds[:n]]
    solution = replace(
        last,
        aspect_given_document=D,
        word_given_aspect=last.word_given_aspect.copy(),
        word_counts=last.word_counts.copy(),
        class_given_aspect=last.class_given_aspect.copy(),
    )
    settle(step, solution)
    return solution


def settle(step: Step, solution: Solution) -> None:
    """An M-step on shares of aspects instead of expected counts: the same after they are scaled by the lengths."""
    D = solution.aspect_given_document
    D *= (lengths(step.corpus) / np.maximum(D.sum(axis=1), 1e-30))[:, None].astype(np.float32)
    step.m_step(solution)


def lengths(corpus: Corpus) -> NDArray[np.float64]:
    """Σ_w n(w, x) by position."""
    cumulated = np.concatenate([[0.0], np.cumsum(corpus.counts)])
    return (cumulated[corpus.pointers[1:]] - cumulated[corpus.pointers[:-1]])[corpus.rows]


def unlabeled(corpus: Corpus) -> Corpus:
    """Return the unlabeled documents alone."""
    n = corpus.n_labeled
    return replace(corpus, rows=corpus.rows[n:], kinds=corpus.kinds[n:], weights=corpus.weights[n:], n_labeled=0)


def _softened(table: Table) -> Table:
    return _SURE * table + (1 - _SURE) / table.shape[1]

"""First components: how the labeled documents of one class are dealt out to its components (seed N, section 2.3).

Each start takes the documents of one class and returns a function: number of components → row-stochastic matrix of
documents × components. What does not depend on the number, as the tree, is made once.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from threadpoolctl import ThreadpoolController

from smatter.labels import UNLABELED
from smatter.models.bayes._mixture import Mixture, Problem, component_classes, m_step
from smatter.models.bayes._rows import Floats
from smatter.validation import Matrix

Deal = Callable[[int], Floats]
Start = Callable[[Matrix, np.random.RandomState], Deal]
TREE_ROWS = 1000  # of more documents of a class than this, only so many are merged; the rest join the nearest cluster


def random_start(X: Matrix, random: np.random.RandomState) -> Deal:
    """Draw a Dirichlet(1, …, 1) distribution over the components for each document."""
    return lambda n_components: random.dirichlet(np.ones(n_components), size=X.shape[0])


def kmeans_start(X: Matrix, random: np.random.RandomState) -> Deal:
    """Hard clusters by k-means, the smallest within-cluster sum of squares (N eq. 2.12)."""
    seed = random.randint(np.iinfo(np.int32).max)
    if sp.issparse(X):  # scikit-learn's k-means knows no wide indices
        X = sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)

    def deal(n_components: int) -> Floats:
        with one_thread():
            clusters = KMeans(n_components, n_init=3, random_state=seed).fit_predict(X)
        return _one_hot(clusters, n_components)

    return deal


def tree_start(X: Matrix, random: np.random.RandomState) -> Deal:
    """Hard clusters by cutting the agglomerative tree; cutting one layer deeper splits exactly one of them."""
    n = X.shape[0]
    sample = np.sort(random.choice(n, TREE_ROWS, replace=False)) if n > TREE_ROWS else np.arange(n)
    history = merges(X[sample])

    def deal(n_components: int) -> Floats:
        of_sample = cut(history, len(sample), n_components)
        if len(sample) == n:
            return _one_hot(of_sample, n_components)
        means = _unit_rows(np.asarray(X[sample].T @ _one_hot(of_sample, n_components)).T)
        clusters = np.asarray(X @ means.T).argmax(axis=1)
        clusters[sample] = of_sample
        return _one_hot(clusters, n_components)

    return deal


def one_thread() -> AbstractContextManager[object]:
    """Let OpenMP make its sums in one order, whatever the number of cores."""
    return _threads().limit(limits=1, user_api="openmp")


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


STARTS: dict[str, Start] = {"random": random_start, "tree": tree_start, "kmeans": kmeans_start}


class FirstComponents:
    """First mixtures of a problem, of any numbers of components: labeled rows are dealt out class by class."""

    def __init__(self, problem: Problem, start: str, seed: int) -> None:
        random = np.random.RandomState(seed)
        codes = weighty_codes(problem)
        self._problem = replace(problem, free_classes=False)  # first come the components, then their opinions
        self._softness = _SOFTNESS if problem.free_classes else 0.0
        self._members = [np.flatnonzero(codes == code) for code in range(len(problem.labels.classes))]
        self._deals = [
            STARTS[start](problem.rows[rows].matrix(), random) if len(rows) else None for rows in self._members
        ]

    def mixture(self, n_per_class: list[int]) -> Mixture:
        """Deal the rows of each class out to so many components, and estimate them."""
        ends = np.cumsum(n_per_class)
        responsibilities = np.zeros((len(self._problem.rows), int(ends[-1])))
        for rows, deal, end, n_components in zip(self._members, self._deals, ends, n_per_class, strict=True):
            if deal is not None:
                responsibilities[rows, end - n_components : end] = deal(n_components)
        shares = np.exp(component_classes(np.asarray(n_per_class)))
        with np.errstate(divide="ignore"):
            log_class = np.log((1 - self._softness) * shares + self._softness / shares.shape[1])
        return m_step(self._problem, responsibilities, log_class)


_SOFTNESS = 0.1  # how much of P(y | m) a free component gives to other classes at first: what starts at 0 stays 0


def weighty_codes(problem: Problem) -> NDArray[np.int64]:
    """Codes of the labeled rows that have a weight, UNLABELED for all others."""
    return np.where(problem.weights > 0, problem.labels.codes, UNLABELED)


def merges(X: Matrix) -> list[tuple[int, int]]:
    """Merge, again and again, the two groups whose mean vectors have the largest cosine (N eq. 2.11).

    Returns the pairs (kept, absorbed) of group numbers, a group having the number of its first document. The cosine of
    two means is that of two sums, and sums of inner products stay inner products: the Gram matrix is all that it takes.
    """
    gram = X @ X.T
    gram = np.asarray(gram.todense() if sp.issparse(gram) else gram, dtype=np.float64)
    n = len(gram)
    alive = np.ones(n, dtype=bool)
    similarity = _cosines(gram)
    best = similarity.argmax(axis=1)
    history: list[tuple[int, int]] = []
    for _ in range(n - 1):
        scores = np.where(alive, similarity[np.arange(n), best], -np.inf)
        i = int(scores.argmax())
        kept, absorbed = sorted((i, int(best[i])))
        history.append((kept, absorbed))
        gram[kept] += gram[absorbed]
        gram[:, kept] += gram[:, absorbed]
        alive[absorbed] = False
        _replace_similarities(similarity, gram, alive, kept, absorbed)
        stale = np.flatnonzero(alive & ((best == kept) | (best == absorbed)))
        best[stale] = similarity[stale].argmax(axis=1)
        better = alive & (similarity[:, kept] > similarity[np.arange(n), best])
        best[better] = kept
        best[kept] = int(similarity[kept].argmax())
    return history


def _cosines(gram: Floats) -> Floats:
    """Cosines off the diagonal; a document without words is like nothing."""
    norms = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    similarity = gram / norms[:, None] / norms
    np.fill_diagonal(similarity, -np.inf)
    return similarity


def _replace_similarities(similarity: Floats, gram: Floats, alive: NDArray[np.bool_], kept: int, absorbed: int) -> None:
    similarity[absorbed] = similarity[:, absorbed] = -np.inf
    norms = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    row = np.where(alive, gram[kept] / norms[kept] / norms, -np.inf)
    row[kept] = -np.inf
    similarity[kept] = similarity[:, kept] = row


def cut(history: list[tuple[int, int]], n: int, n_components: int) -> NDArray[np.int64]:
    """Return each document's cluster number after all merges but the last ``n_components - 1``."""
    parent = np.arange(n)
    for kept, absorbed in history[: n - n_components]:
        parent[parent == absorbed] = kept
    return np.unique(parent, return_inverse=True)[1]


def _one_hot(clusters: NDArray[np.int64], n_components: int) -> Floats:
    return np.eye(n_components)[clusters]


def _unit_rows(rows: Floats) -> Floats:
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)

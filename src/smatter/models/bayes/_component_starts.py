"""First components: how the labeled documents of one class are dealt out to its components (seed N, section 2.3).

Each start takes a way to fetch the documents of one class and returns a function: number of components → row-stochastic
matrix of documents × components. What does not depend on the number, as the tree, is made once; documents are not kept.
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

Fetch = Callable[[], Matrix]
Deal = Callable[[int], Floats]
Start = Callable[[Fetch, np.random.RandomState], Deal]
TREE_ROWS = 600  # of more documents of a class than this, only so many are merged; the rest join the nearest cluster


def random_start(fetch: Fetch, random: np.random.RandomState) -> Deal:
    """Draw a Dirichlet(1, …, 1) distribution over the components for each document."""
    n = fetch().shape[0]
    return lambda n_components: random.dirichlet(np.ones(n_components), size=n)


def kmeans_start(fetch: Fetch, random: np.random.RandomState) -> Deal:
    """Hard clusters by k-means, the smallest within-cluster sum of squares (N eq. 2.12)."""
    seed = random.randint(np.iinfo(np.int32).max)

    def deal(n_components: int) -> Floats:
        X = fetch()
        if sp.issparse(X):  # scikit-learn's k-means knows no wide indices
            X = sp.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
        with one_thread():
            clusters = KMeans(n_components, n_init=3, random_state=seed).fit_predict(X)
        return _one_hot(clusters, n_components)

    return deal


def tree_start(fetch: Fetch, random: np.random.RandomState) -> Deal:
    """Hard clusters by cutting the agglomerative tree; cutting one layer deeper splits exactly one of them."""
    X = fetch()
    n = X.shape[0]
    if n <= TREE_ROWS:
        history = merges(X)
        return lambda n_components: _one_hot(cut(history, n, n_components), n_components)
    sample = np.sort(random.choice(n, TREE_ROWS, replace=False))
    history = merges(X[sample])

    def deal(n_components: int) -> Floats:
        X, of_sample = fetch(), cut(history, TREE_ROWS, n_components)
        means = _unit_rows(np.asarray(X[sample].T @ _one_hot(of_sample, n_components)).T)
        clusters = np.asarray(X @ means.T).argmax(axis=1)
        clusters[sample] = of_sample
        return _one_hot(clusters, n_components)

    return deal


STARTS: dict[str, Start] = {"random": random_start, "tree": tree_start, "kmeans": kmeans_start}


def one_thread() -> AbstractContextManager[object]:
    """Let OpenMP make its sums in one order, whatever the number of cores."""
    return _threads().limit(limits=1, user_api="openmp")


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


class FirstComponents:
    """First mixtures of a problem, of any numbers of components: labeled rows are dealt out class by class."""

    def __init__(self, problem: Problem, start: str, seed: int) -> None:
        self._problem = replace(problem, free_classes=False)  # first come the components, then their opinions
        self._softness = _SOFTNESS if problem.free_classes else 0.0
        self._start, self._random = STARTS[start], np.random.RandomState(seed)
        codes = weighty_codes(problem)
        self._members = [np.flatnonzero(codes == code) for code in range(len(problem.labels.classes))]
        self._deals: dict[int, Deal] = {}

    def mixture(self, n_per_class: list[int]) -> Mixture:
        """Deal the rows of each class out to so many components, and estimate them."""
        ends = np.cumsum(n_per_class)
        responsibilities = np.zeros((len(self._problem.rows), int(ends[-1])))
        for code, (rows, end, n_components) in enumerate(zip(self._members, ends, n_per_class, strict=True)):
            responsibilities[rows, end - n_components : end] = self._shares(code, n_components)
        shares = np.exp(component_classes(np.asarray(n_per_class)))
        with np.errstate(divide="ignore"):
            log_class = np.log((1 - self._softness) * shares + self._softness / shares.shape[1])
        return m_step(self._problem, responsibilities, log_class)

    def _shares(self, code: int, n_components: int) -> Floats:
        rows = self._members[code]
        if n_components == 1 or len(rows) == 0:
            return np.ones((len(rows), n_components))
        if code not in self._deals:
            self._deals[code] = self._start(lambda: self._problem.rows[rows].matrix(), self._random)
        return self._deals[code](n_components)


_SOFTNESS = 0.1  # how much of P(y | m) a free component gives to other classes at first: what starts at 0 stays 0


def weighty_codes(problem: Problem) -> NDArray[np.int64]:
    """Codes of the labeled rows that have a weight, UNLABELED for all others."""
    return np.where(problem.weights > 0, problem.labels.codes, UNLABELED)


def merges(X: Matrix) -> list[tuple[int, int]]:
    """Merge, again and again, the two groups whose mean vectors have the largest cosine (N eq. 2.11).

    Returns the pairs (kept, absorbed) of group numbers, a group having the number of its first document. The cosine of
    two means is that of two sums, and sums of inner products stay inner products: the Gram matrix is all that it takes.
    """
    gram = _gram(X)
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


def _gram(X: Matrix) -> Floats:
    if not sp.issparse(X):
        return np.asarray(X @ X.T)
    gram = np.empty((X.shape[0], X.shape[0]))
    for first in range(0, X.shape[0], _ROWS):  # the sparse product of all rows would be larger than the dense one
        gram[first : first + _ROWS] = (X[first : first + _ROWS] @ X.T).toarray()
    return gram


_ROWS = 64


def _cosines(gram: Floats) -> Floats:
    """Cosines off the diagonal; a document without words is like nothing."""
    norms = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    similarity = gram / norms[:, None]
    similarity /= norms
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

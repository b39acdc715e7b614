"""First components: how the labeled documents of one class are dealt out to its components (seed N, section 2.3).

Each start takes the documents of one class and a number of components and returns a row-stochastic matrix, documents
by components.
"""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from smatter.validation import Matrix

Floats = NDArray[np.float64]
Start = Callable[[Matrix, int, np.random.RandomState], Floats]
TREE_ROWS = 2000  # more documents of a class than this are not merged one by one: the tree is that of a sample


def random_start(X: Matrix, n_components: int, random: np.random.RandomState) -> Floats:
    """Draw a Dirichlet(1, …, 1) distribution over the components for each document."""
    return random.dirichlet(np.ones(n_components), size=X.shape[0])


def kmeans_start(X: Matrix, n_components: int, random: np.random.RandomState) -> Floats:
    """Hard clusters by k-means, the smallest within-cluster sum of squares (N eq. 2.12)."""
    clusters = KMeans(n_components, n_init=3, random_state=random).fit_predict(X)
    return _one_hot(clusters, n_components)


def tree_start(X: Matrix, n_components: int, random: np.random.RandomState) -> Floats:
    """Hard clusters by cutting the agglomerative tree; cutting one layer deeper splits exactly one of them."""
    if X.shape[0] <= TREE_ROWS:
        return _one_hot(cut(merges(X), X.shape[0], n_components), n_components)
    sample = np.sort(random.choice(X.shape[0], TREE_ROWS, replace=False))
    clusters = cut(merges(X[sample]), TREE_ROWS, n_components)
    means = _unit_rows(np.asarray(sp.csr_array(X[sample]).T @ _one_hot(clusters, n_components)).T)
    return _one_hot(np.asarray(X @ means.T).argmax(axis=1), n_components)


STARTS: dict[str, Start] = {"random": random_start, "tree": tree_start, "kmeans": kmeans_start}


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

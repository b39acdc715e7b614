"""The k nearest rows, exactly, in bounded memory; and how near they are as a similarity."""

from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import normalize

from smatter.errors import MissingExtraError
from smatter.validation import Matrix

Neighbors = tuple[NDArray[np.int32], NDArray[np.float64]]  # indices (−1: none) and distances or products (n × k)
TILE = 32_768  # rows whose running sums stay in a core's cache
BLOCK_ENTRIES = 4_000_000  # entries of the largest dense block that is ever held


def unit_rows(X: Matrix) -> Matrix:
    """Rows of length 1; a row of zeros stays one."""
    unit = normalize(X)
    return sp.csr_array(unit) if sp.issparse(unit) else unit


def nearest(queries: Matrix, rows: Matrix, k: int, metric: str) -> Neighbors:
    """Find the k nearest rows of each query; where both are the same object, no row is its own neighbor.

    ``metric`` is "cosine" (products of unit rows, above 0 only) or "euclidean" (distances).
    """
    k = min(k, rows.shape[0] - (queries is rows))
    if k < 1 or queries.shape[0] == 0:
        return np.empty((queries.shape[0], 0), np.int32), np.empty((queries.shape[0], 0))
    return _EXACT[metric](queries, rows, k)


def _nearest_cosine(queries: Matrix, rows: Matrix, k: int) -> Neighbors:
    if sp.issparse(rows):
        return _nearest_sparse_cosine(queries, rows, k)
    # of unit rows the order by distance is that by cosine; rows of zeros, at distance 1 from all, must not come between
    filled = np.flatnonzero(rows.any(axis=1))
    among = rows[filled]
    asked = filled if queries is rows else np.arange(queries.shape[0])
    indices, products = np.full((queries.shape[0], k), -1, np.int32), np.zeros((queries.shape[0], k))
    k = min(k, len(filled) - (queries is rows))
    if k < 1:
        return indices, products
    found, _ = _nearest_euclidean(among if queries is rows else queries, among, k)
    for block in blocks_of_rows(len(found), k * rows.shape[1]):
        cosines = np.einsum("id,ikd->ik", queries[asked[block]], among[found[block]])
        products[asked[block], :k] = np.maximum(cosines, 0.0)
        indices[asked[block], :k] = np.where(cosines > 0, filled[found[block]], -1)
    return indices, products


def _nearest_sparse_cosine(queries: Matrix, rows: Matrix, k: int) -> Neighbors:
    from smatter.kernels.graph_neighbors import most_similar
    from smatter.kernels.threads import thread_count

    n_queries, n = queries.shape[0], rows.shape[0]
    indices, products = np.full((n_queries, k), -1, np.int32), np.zeros((n_queries, k))
    query = (queries.indptr, queries.indices, queries.data)
    for first in range(0, n, TILE):
        tile = sp.csc_array(rows[first : first + TILE])
        workspace = np.zeros((thread_count(), tile.shape[0]))
        columns = (tile.indptr, tile.indices, tile.data)
        most_similar(query, columns, first, queries is rows, workspace, indices, products)
    order = np.lexsort((indices, -products), axis=1)
    return np.take_along_axis(indices, order, axis=1), np.take_along_axis(products, order, axis=1)


def _nearest_euclidean(queries: Matrix, rows: Matrix, k: int) -> Neighbors:
    from sklearn.neighbors import NearestNeighbors

    # brute force agrees with itself whatever the split into threads; trees pay only in few dimensions
    algorithm = "kd_tree" if not sp.issparse(rows) and rows.shape[1] <= 12 else "brute"
    search = NearestNeighbors(n_neighbors=k, algorithm=algorithm).fit(rows)
    distances, indices = search.kneighbors(None if queries is rows else queries)
    return indices.astype(np.int32), distances


_EXACT: dict[str, Callable[[Matrix, Matrix, int], Neighbors]] = {
    "cosine": _nearest_cosine,
    "euclidean": _nearest_euclidean,
}


def nearest_by_descent(rows: Matrix, k: int, metric: str, seed: int) -> tuple[Neighbors, float]:
    """Approximate neighbors by pynndescent (Dong et al. 2011) and their recall, measured on 200 rows."""
    try:
        from pynndescent import NNDescent
    except ImportError as error:
        raise MissingExtraError(
            "search='descent' needs pynndescent, which is not installed: pip install 'smatter[descent]', or take "
            "search='exact'."
        ) from error
    k = min(k, rows.shape[0] - 1)
    data = sp.csr_matrix(rows) if sp.issparse(rows) else rows
    found, distances = NNDescent(data, metric=metric, n_neighbors=k + 1, random_state=seed).neighbor_graph
    own = found == np.arange(len(found))[:, None]
    own[~own.any(axis=1), -1] = True  # rows that lost themselves among their copies give up their last neighbor
    indices = found[~own].reshape(-1, k).astype(np.int32)
    values = distances[~own].reshape(-1, k).astype(np.float64)
    if metric == "cosine":
        values = 1.0 - values
        indices, values = np.where(values > 0, indices, -1), np.where(values > 0, values, 0.0)
    return (indices, values), _recall(rows, indices, k, metric, seed)


def _recall(rows: Matrix, indices: NDArray[np.int32], k: int, metric: str, seed: int) -> float:
    sample = np.sort(np.random.default_rng(seed).permutation(rows.shape[0])[:200])
    exact, _ = nearest(rows[sample], rows, k + 1, metric)
    hits = total = 0
    for row, neighbors in zip(sample, exact, strict=True):
        truth = [j for j in neighbors if j not in (row, -1)][:k]
        hits += len(np.intersect1d(truth, indices[row]))
        total += len(truth)
    return hits / total if total else 1.0


def _cosine_weight(products: NDArray[np.float64], bandwidth: float) -> NDArray[np.float64]:
    return np.clip(products, 0.0, 1.0)


def _euclidean_weight(distances: NDArray[np.float64], bandwidth: float) -> NDArray[np.float64]:
    return 1.0 / (1.0 + distances)


def _gaussian_weight(distances: NDArray[np.float64], bandwidth: float) -> NDArray[np.float64]:
    return np.exp(-0.5 * (distances / bandwidth) ** 2)


WEIGHTS = {"cosine": _cosine_weight, "euclidean": _euclidean_weight, "gaussian": _gaussian_weight}
METRICS = {"cosine": "cosine", "euclidean": "euclidean", "gaussian": "euclidean"}


def pairwise(A: Matrix, B: Matrix, metric: str) -> NDArray[np.float64]:
    """Products (of unit rows) or distances of all pairs, dense: for blocks."""
    if metric == "cosine":
        products = A @ B.T
        return products.toarray() if sp.issparse(products) else np.asarray(products)
    return np.asarray(pairwise_distances(A, B))


def blocks_of_rows(n: int, width: int) -> list[slice]:
    """Slices of rows such that a dense block of them with ``width`` columns is small."""
    step = max(1, BLOCK_ENTRIES // max(width, 1))
    return [slice(first, first + step) for first in range(0, n, step)]

"""Maximum spanning trees: of all pairs of rows, and of each component of a k-NN graph."""

from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import minimum_spanning_tree

from smatter.graphs._base import SIMILARITY_RULES, GraphBuilder
from smatter.graphs.knn import KNNGraph
from smatter.validation import TRUTH, Matrix, Number, Rules


def maximum_spanning_forest(W: Matrix) -> Matrix:
    """Keep of each component the tree of the largest total weight."""
    tree = sp.csr_array(minimum_spanning_tree(-W))
    forest = sp.csr_array(-(tree + tree.T))
    forest.sort_indices()
    return forest


class SpanningTreeGraph(GraphBuilder):
    """The tree over all rows with the largest sum of similarities (Prim 1957): n − 1 edges.

    All three similarities fall with the distance, so that it is the shortest tree (of unit rows, with cosine).
    Pairs of similarity 0 are no edges: with cosine the result may be a forest. Time is quadratic in the rows,
    memory linear. A new row hangs on to its most similar row.

    Parameters
    ----------
    similarity : {"cosine", "euclidean", "gaussian"}, default "cosine"
        S, as in KNNGraph.
    bandwidth : float or None, default None
        σ of the Gaussian; None takes the median distance along the tree.

    Examples
    --------
    >>> SpanningTreeGraph("euclidean").build([[0.0], [1.0], [3.0], [3.5]]).nnz // 2
    3

    """

    rules: ClassVar[Rules] = SIMILARITY_RULES
    k = 1

    def __init__(self, similarity: str = "cosine", *, bandwidth: float | None = None) -> None:
        self.similarity = similarity
        self.bandwidth = bandwidth

    def _edges(self, labeled: NDArray[np.bool_] | None) -> Matrix:
        parent = _prim(self.rows_, self._metric)
        child = np.flatnonzero(parent >= 0)
        values = self._along(child, parent[child])
        weights = self._weigh(values)
        keep = weights > 0
        half = sp.csr_array((weights[keep], (child[keep], parent[child][keep])), shape=(len(parent),) * 2)
        W = sp.csr_array(half + half.T)
        W.sort_indices()
        return W

    def _along(self, one: NDArray[np.intp], other: NDArray[np.int64]) -> NDArray[np.float64]:
        """Products or distances of pairs of rows."""
        A, B = self.rows_[one], self.rows_[other]
        if self._metric == "cosine":
            return np.asarray((A * B).sum(axis=1)).ravel()
        gap = A - B
        return np.sqrt(np.asarray((gap * gap).sum(axis=1)).ravel())


def _prim(rows: Matrix, metric: str) -> NDArray[np.int64]:
    from smatter.kernels.graph_trees import prim_dense, prim_sparse

    n = rows.shape[0]
    parent = np.full(n, -1, dtype=np.int64)
    buffers = (np.empty(n), np.zeros(n, dtype=bool), np.full(n, np.inf), parent)
    if sp.issparse(rows) or metric == "cosine":
        rows = sp.csr_array(rows)
        columns = sp.csc_array(rows)
        # with cosine a row of zeros is as far from all as orthogonal rows are, and no stepping stone between them
        squares = np.ones(n) if metric == "cosine" else np.asarray((rows * rows).sum(axis=1)).ravel()
        csr, csc = (rows.indptr, rows.indices, rows.data), (columns.indptr, columns.indices, columns.data)
        prim_sparse(csr, csc, squares, *buffers)
    else:
        prim_dense(np.ascontiguousarray(rows), *buffers)
    return parent


class KNNSpanningTreeGraph(KNNGraph):
    """The maximum spanning tree of each component of the k-NN graph (Nguyen, section 3.5).

    Parameters
    ----------
    k, similarity, bandwidth, symmetry, join_unlabeled, search
        As in KNNGraph. Joined components become one tree.

    Examples
    --------
    >>> W = KNNSpanningTreeGraph(k=2, similarity="euclidean").build([[0.0], [1.0], [2.0], [9.0], [10.0], [11.0]])
    >>> W.nnz // 2
    4

    """

    rules: ClassVar[Rules] = {
        **SIMILARITY_RULES,
        "k": Number(1, whole=True),
        "symmetry": KNNGraph.rules["symmetry"],
        "join_unlabeled": TRUTH,
        "search": KNNGraph.rules["search"],
    }

    def _edges(self, labeled: NDArray[np.bool_] | None) -> Matrix:
        return maximum_spanning_forest(super()._edges(labeled))

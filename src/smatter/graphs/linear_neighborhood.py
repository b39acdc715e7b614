"""Linear neighborhoods: each row as a mixture of its neighbors."""

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from smatter.graphs import _neighbors as near
from smatter.graphs._base import GraphBuilder
from smatter.validation import Matrix, Number, OneOf, Rules


class LinearNeighborhoodGraph(GraphBuilder):
    """The directed graph of the weights that rebuild each row from its neighbors (Wang & Zhang 2008).

    min_w ‖x_i − Σ_j w_ij x_j‖² with w_ij ≥ 0 and Σ_j w_ij = 1 over the k nearest j. Rows of W sum to 1; the row of a
    vertex without neighbors is 0.

    Parameters
    ----------
    k : int, default 10
        Neighbors of a row.
    similarity : {"cosine", "euclidean"}, default "cosine"
        What nearest means; with cosine it is the unit rows that are rebuilt.
    ridge : float, default 1e-3
        Added to the local Gram matrices, as a share of their mean diagonal: unique weights where k exceeds the
        dimension.

    Examples
    --------
    >>> W = LinearNeighborhoodGraph(k=2, similarity="euclidean", ridge=0.0).build([[0.0], [1.0], [4.0]])
    >>> W.toarray().round(2).tolist()
    [[0.0, 1.0, 0.0], [0.75, 0.0, 0.25], [0.0, 1.0, 0.0]]

    """

    rules: ClassVar[Rules] = {
        "k": Number(1, whole=True),
        "similarity": OneOf("cosine", "euclidean"),
        "ridge": Number(0),
    }
    bandwidth = None

    def __init__(self, k: int = 10, similarity: str = "cosine", *, ridge: float = 1e-3) -> None:
        self.k = k
        self.similarity = similarity
        self.ridge = ridge

    def _edges(self, labeled: NDArray[np.bool_] | None) -> Matrix:
        return self._rebuild(self.rows_)

    def neighbors_of(self, X_new: Any) -> Matrix:
        """Return the weights that rebuild new rows from the graph's rows (CSR, n_new × n)."""
        return self._rebuild(self._prepare(self._check_new(X_new)))

    def _rebuild(self, queries: Matrix) -> Matrix:
        from smatter.kernels.graph_simplex import rebuild
        from smatter.kernels.threads import thread_count

        neighbors, _ = near.nearest(queries, self.rows_, self.k, self._metric)
        weights = np.zeros(neighbors.shape)
        if weights.size:
            q, rows = sp.csr_array(queries), sp.csr_array(self.rows_)
            workspace = np.zeros((thread_count(), rows.shape[1]))
            rebuild(
                (q.indptr, q.indices, q.data),
                (rows.indptr, rows.indices, rows.data),
                neighbors,
                float(self.ridge),
                workspace,
                weights,
            )
        return self._to_edges(neighbors, weights)

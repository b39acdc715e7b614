"""What every graph builder shares: similarities, memory of the rows, edges from new rows."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from smatter.errors import InputError
from smatter.graphs import _neighbors as near
from smatter.labels import Labels
from smatter.validation import Matrix, Number, OneOf, Rules, check_matrix, check_parameters

SIMILARITY_RULES: Rules = {
    "similarity": OneOf("cosine", "euclidean", "gaussian"),
    "bandwidth": (OneOf(None), Number(0, above=True)),
}


class GraphBuilder(BaseEstimator):
    """Turns rows into a weighted graph, and new rows into edges to it.

    A builder is a small object with parameters, so that a grid search reaches them: ``graph__k``. After ``build`` it
    holds the rows (``rows_``) and the bandwidth in use (``bandwidth_``).
    """

    rules: ClassVar[Rules] = {}
    k: int
    similarity: str
    bandwidth: float | None

    def build(self, X: Any, labeled: NDArray[np.bool_] | None = None) -> Matrix:
        """Return the weights W as a CSR array without a diagonal.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
            The rows, which become the vertices 0 … n − 1.
        labeled : array of bool of shape (n,), optional
            Which of them have a label; only N's joining rule looks at it.

        """
        check_parameters(self, self.rules)
        X = check_matrix(self, X, reset=True)
        if labeled is not None and len(labeled) != X.shape[0]:
            raise InputError(
                f"labeled has {len(labeled)} entries, X has {X.shape[0]} rows; there is one for each row: correct it."
            )
        self._remember(X)
        return self._edges(None if labeled is None else np.asarray(labeled, dtype=bool))

    def _edges(self, labeled: NDArray[np.bool_] | None) -> Matrix:
        """Return W of the remembered rows; what a subclass writes."""
        raise NotImplementedError

    def neighbors_of(self, X_new: Any) -> Matrix:
        """Return the weights of the edges from new rows to the graph's rows (CSR, n_new × n)."""
        rows = self._prepare(self._check_new(X_new))
        indices, values = near.nearest(rows, self.rows_, self._votes(), self._metric)
        return self._to_edges(indices, self._weigh(values))

    def _votes(self) -> int:
        """How many edges a new row gets."""
        return self.k

    def similarity_to_classes(self, X: Any, labels: Labels) -> NDArray[np.float64]:
        """Σ S(x_i, x_j) over the labeled j of each class (n × K), for all rows of X, edges or not."""
        labeled = np.flatnonzero(labels.labeled)
        targets = labels.one_hot()[labeled]
        rows, anchors = self._prepare(X), self.rows_[labeled]
        if self._metric == "cosine" and min(rows.min(), anchors.min()) >= 0:  # no product is cut off at 0
            return np.asarray(rows @ (anchors.T @ targets))
        sums = np.empty((rows.shape[0], targets.shape[1]))
        for block in near.blocks_of_rows(rows.shape[0], len(labeled)):
            sums[block] = self._weigh(near.pairwise(rows[block], anchors, self._metric)) @ targets
        return sums

    @property
    def _metric(self) -> str:
        return near.METRICS[self.similarity]

    def _prepare(self, X: Matrix) -> Matrix:
        return near.unit_rows(X) if self._metric == "cosine" else X

    def _check_new(self, X_new: Any) -> Matrix:
        if not hasattr(self, "rows_"):
            raise NotFittedError(f"{type(self).__name__} has no graph yet: call build before neighbors_of.")
        return check_matrix(self, X_new, reset=False)

    def _remember(self, X: Matrix) -> Self:
        self.rows_ = self._prepare(X)
        self.bandwidth_ = self.bandwidth
        return self

    def _weigh(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Turn products or distances into similarities; the first ones seen set a bandwidth that is None."""
        if self.bandwidth_ is None and self.similarity == "gaussian":
            positive = values[values > 0]
            self.bandwidth_ = float(np.median(positive)) if len(positive) else 1.0
        return near.WEIGHTS[self.similarity](values, self.bandwidth_ or 1.0)

    def _to_edges(self, indices: NDArray[np.int32], weights: NDArray[np.float64]) -> Matrix:
        n = len(indices)
        keep = (indices >= 0) & (weights > 0)
        starts = np.concatenate([[0], np.cumsum(keep.sum(axis=1))])
        edges = sp.csr_array((weights[keep], indices[keep], starts), shape=(n, self.rows_.shape[0]))
        edges.sort_indices()
        return edges

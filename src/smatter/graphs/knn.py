"""Graphs of the k nearest neighbors."""

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from smatter.graphs import _neighbors as near
from smatter.graphs._base import SIMILARITY_RULES, GraphBuilder
from smatter.graphs.components import join, reached_from_labels
from smatter.validation import TRUTH, Matrix, Number, OneOf, Rules

_SYMMETRIES: dict[str, Callable[[Matrix], Matrix]] = {
    "union": lambda W: W.maximum(W.T).tocsr(),
    "mutual": lambda W: W.minimum(W.T).tocsr(),
    "none": lambda W: W,
}
EXACT_ROWS = 100_000


class KNNGraph(GraphBuilder):
    """Each row and its k most similar rows.

    W_ij = S(x_i, x_j) if j is one of the k nearest of i, made symmetric as max(W, Wᵀ). The similarities are
    cosine, 1 / (1 + ‖x_i − x_j‖) (``"euclidean"``) and exp(−‖x_i − x_j‖² / 2σ²) (``"gaussian"``). A similarity of 0 or
    less is no edge.

    Parameters
    ----------
    k : int, default 10
        Neighbors of a row; with k ≥ n all other rows are neighbors.
    similarity : {"cosine", "euclidean", "gaussian"}, default "cosine"
        S.
    bandwidth : float or None, default None
        σ of the Gaussian; None takes the median distance of the neighbors found.
    symmetry : {"union", "mutual", "none"}, default "union"
        max(W, Wᵀ), min(W, Wᵀ), or the directed graph as it is.
    join_unlabeled : bool, default False
        Tie each component without a labeled row to its most similar labeled row (Nguyen, section 3.5).
    search : {"auto", "exact", "descent"}, default "auto"
        Exact, or approximate by pynndescent (extra ``descent``), which "auto" takes above 100,000 rows if it is
        installed; ``recall_`` then holds the share of true neighbors found, measured on 200 rows (1.0 if exact).

    Examples
    --------
    >>> W = KNNGraph(k=1, similarity="euclidean").build([[0.0], [1.0], [3.0]])
    >>> W.toarray().round(2).tolist()
    [[0.0, 0.5, 0.0], [0.5, 0.0, 0.33], [0.0, 0.33, 0.0]]

    """

    rules: ClassVar[Rules] = {
        **SIMILARITY_RULES,
        "k": Number(1, whole=True),
        "symmetry": OneOf(*_SYMMETRIES),
        "join_unlabeled": TRUTH,
        "search": OneOf("auto", "exact", "descent"),
    }

    def __init__(
        self,
        k: int = 10,
        similarity: str = "cosine",
        *,
        bandwidth: float | None = None,
        symmetry: str = "union",
        join_unlabeled: bool = False,
        search: str = "auto",
    ) -> None:
        self.k = k
        self.similarity = similarity
        self.bandwidth = bandwidth
        self.symmetry = symmetry
        self.join_unlabeled = join_unlabeled
        self.search = search

    def _edges(self, labeled: NDArray[np.bool_] | None) -> Matrix:
        indices, values = self._neighbors()
        W = _SYMMETRIES[self.symmetry](self._to_edges(indices, self._weigh(values)))
        if self.join_unlabeled and labeled is not None and labeled.any():
            W = self._join(W, labeled)
        W.sort_indices()
        return W

    def _neighbors(self) -> near.Neighbors:
        if self._wants_descent():
            found, self.recall_ = near.nearest_by_descent(self.rows_, self.k, self._metric, seed=0)
            return found
        self.recall_ = 1.0
        return near.nearest(self.rows_, self.rows_, self.k, self._metric)

    def _wants_descent(self) -> bool:
        if self.search == "auto":
            return self.rows_.shape[0] > EXACT_ROWS and _has_descent()
        return self.search == "descent" and self.rows_.shape[0] > self.k + 1

    def _join(self, W: Matrix, labeled: NDArray[np.bool_]) -> Matrix:
        lonely, anchors = np.flatnonzero(~reached_from_labels(W, labeled)), np.flatnonzero(labeled)
        if not len(lonely):
            return W
        indices, values = near.nearest(self.rows_[lonely], self.rows_[anchors], 1, self._metric)
        found = np.where(indices >= 0, anchors[indices], -1).astype(np.int32)
        return join(W, labeled, self._to_edges(found, self._weigh(values)))


def _has_descent() -> bool:
    from importlib.util import find_spec

    return find_spec("pynndescent") is not None

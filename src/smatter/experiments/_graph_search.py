"""Nguyen's search for the number of neighbors, over the labeled rows, with every row in the graph."""

import hashlib
from itertools import islice
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import f1_score

from smatter.graphs._neighbors import Neighbors, nearest
from smatter.graphs.knn import KNNGraph
from smatter.graphs.spanning_tree import KNNSpanningTreeGraph
from smatter.labels import UNLABELED
from smatter.model_selection import LabeledKFold

MOST_NEIGHBORS = 10
_found: dict[str, Neighbors] = {}


class SearchedOnce:
    """A k-NN builder whose neighbors are searched once for a matrix and cut to k, all in one process."""

    k: int
    rows_: Any
    _metric: str

    def _neighbors(self) -> Neighbors:
        self.recall_ = 1.0
        data = self.rows_.data if sp.issparse(self.rows_) else np.ascontiguousarray(self.rows_)
        key = hashlib.sha256(data.tobytes()).hexdigest() + self._metric
        if key not in _found:
            _found.clear()
            _found[key] = nearest(self.rows_, self.rows_, MOST_NEIGHBORS, self._metric)
        indices, values = _found[key]
        return indices[:, : self.k], values[:, : self.k]


class SearchedKNNGraph(SearchedOnce, KNNGraph):
    """KNNGraph, its neighbors searched once."""


class SearchedKNNSpanningTreeGraph(SearchedOnce, KNNSpanningTreeGraph):
    """KNNSpanningTreeGraph, its neighbors searched once."""


class NeighborsByCV(ClassifierMixin, BaseEstimator):
    """A graph model whose builder gets the k with the largest macro F on held-out labels.

    Only labels are held out, never rows: the graph is that of all rows, as in the fit that follows. ``scored`` of the
    three folds are scored; one by default, as in the log that was published beside the thesis ("K search: cv 1"). Of
    equal k the smallest is taken.
    """

    def __init__(
        self, model: Any, neighbors: tuple[int, ...] = tuple(range(1, MOST_NEIGHBORS + 1)), scored: int = 1
    ) -> None:
        self.model = model
        self.neighbors = neighbors
        self.scored = scored

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Choose k, then fit on all labels; y holds codes, −1 for unlabeled."""
        codes = np.asarray(y)
        scores = [self._score(X, codes, k) for k in self.neighbors]
        self.k_ = self.neighbors[int(np.argmax(scores))]
        self.model_ = self._with(self.k_).fit(X, codes)
        self.classes_, self.posterior_, self.n_iter_ = self.model_.classes_, self.model_.posterior_, self.model_.n_iter_
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """P(class | row) of the chosen model."""
        return np.asarray(self.model_.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The decision of the chosen model."""
        return np.asarray(self.model_.predict(X))

    def _with(self, k: int) -> Any:
        return clone(self.model).set_params(graph__k=k)

    def _score(self, X: Any, codes: NDArray[Any], k: int) -> float:
        scores = []
        for _, held_out in islice(LabeledKFold(3).split(X, codes), self.scored):
            shown = codes.copy()
            shown[held_out] = UNLABELED
            decided = self._with(k).fit(X, shown).transduction_[held_out]
            scores.append(f1_score(codes[held_out], decided, average="macro"))
        return float(np.mean(scores))

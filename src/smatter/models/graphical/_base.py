"""What every graph model shares: rows become a graph, a graph becomes posteriors, new rows ask their neighbors."""

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from smatter.errors import InputError
from smatter.graphs._base import GraphBuilder
from smatter.graphs.checks import check_graph
from smatter.graphs.knn import KNNGraph
from smatter.graphs.operators import personalized_walk
from smatter.labels import Labels
from smatter.models.base import SemiSupervisedClassifier, check_labels
from smatter.validation import Instance, Matrix, OneOf, Rules, check_parameters

Array = NDArray[np.float64]
GRAPH_RULES: Rules = {"graph": (OneOf(None), Instance((GraphBuilder,), "a graph builder, as KNNGraph(k=10)"))}


@dataclass(frozen=True)
class GraphProblem:
    """Weights, labels, and the builder and rows that they came from, if any."""

    W: Matrix
    labels: Labels
    builder: GraphBuilder | None = None
    X: Matrix | None = None

    @property
    def n(self) -> int:
        """The number of vertices."""
        return int(self.W.shape[0])

    @property
    def prior(self) -> Array:
        """The classes' shares of the labeled vertices."""
        return self.labels.counts / self.labels.counts.sum()

    def influence(self) -> Array:
        """How near each vertex is to the labeled ones of each class, n × K (Nguyen, eq. 3.16).

        Σ S(x_i, x_j) over the labeled j of a class. A bare graph knows S of its edges only; there it is the share
        of time that a walker from the labeled vertices of a class spends on the vertex, returning to a start with
        probability 0.05 at each step.
        """
        if self.builder is not None:
            return self.builder.similarity_to_classes(self.X, self.labels)
        symmetric = self.W.maximum(self.W.T).tocsr()
        return personalized_walk(symmetric, self.labels.one_hot(), restart=0.05)


class GraphClassifier(SemiSupervisedClassifier):
    """A classifier on the vertices of a graph.

    ``fit(X, y)`` builds the graph with the parameter ``graph`` (None: the model's own default); ``fit_graph(W, y)``
    takes one that is there. A subclass writes ``_infer``. Besides what all models hold after a fit there are

    ==============  ==============================================================
    ``graph_``      the weights W that were used (CSR)
    ``builder_``    the builder that made them and holds the rows, or None
    ==============  ==============================================================

    These models are transductive. An unseen row gets the mean posterior of its nearest fitted vertices, weighted
    by similarity; after ``fit_graph`` a new row is a row of weights to the n fitted vertices.
    """

    rules: ClassVar[Rules] = GRAPH_RULES
    symmetric: ClassVar[bool] = True  # whether W must be
    graph: GraphBuilder | None
    builder_: GraphBuilder | None

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Build the graph of the rows of X and spread the labels y over it (-1, None, '' or NaN: unlabeled)."""
        X, labels, _ = self._open_fit(X, y)
        self.builder_ = self._default_graph() if self.graph is None else clone(self.graph)
        W = check_graph(self.builder_.build(X, labels.labeled), symmetric=self.symmetric)
        return self._solve(GraphProblem(W, labels, self.builder_, X))

    def fit_graph(self, W: Any, y: ArrayLike) -> Self:
        """Spread the labels y over a graph given by its n × n weights, of which 0 means no edge."""
        check_parameters(self, self.rules)
        W = check_graph(W, symmetric=self.symmetric)
        labels = check_labels(self, W, y)
        self.classes_, self.builder_, self.n_features_in_ = labels.classes, None, W.shape[0]
        self.__dict__.pop("feature_names_in_", None)
        return self._solve(GraphProblem(W, labels))

    def _solve(self, problem: GraphProblem) -> Self:
        self.graph_, self.class_prior_ = problem.W, problem.prior
        posterior, objective = self._infer(problem)
        return self._close_fit(posterior, objective)

    def _default_graph(self) -> GraphBuilder:
        return KNNGraph()

    def _infer(self, problem: GraphProblem) -> tuple[Array, list[float]]:
        """P(class | vertex) and the objective after each iteration; what a subclass writes."""
        raise NotImplementedError

    def _posterior(self, X: Matrix) -> Array:
        edges = self._new_edges(X) if self.builder_ is None else self.builder_.neighbors_of(X)
        votes = rows_to_one(np.asarray(edges @ self.posterior_), self.class_prior_)
        return np.maximum(votes, np.finfo(np.float64).tiny)  # hard votes too have a logarithm

    def _new_edges(self, X: Matrix) -> Matrix:
        edges = sp.csr_array(X)
        if edges.nnz and edges.data.min() < 0:
            raise InputError(
                f"Negative values in data passed to {type(self).__name__}: it was fitted on a graph, so that a new row "
                "holds its weights of 0 or more to the fitted vertices: pass weights."
            )
        return edges


def rows_to_one(F: Array, prior: Array) -> Array:
    """Scale rows to a sum of 1; negative values count as 0, and a row of zeros knows no more than the prior."""
    scores = np.maximum(F, 0.0)
    totals = scores.sum(axis=1, keepdims=True)
    known = totals[:, 0] > 1e-300
    return np.where(known[:, None], scores / np.where(known[:, None], totals, 1.0), prior)


def clamp(F: Array, labels: Labels) -> Array:
    """Give labeled rows probability 1 of their label."""
    return np.where(labels.labeled[:, None], labels.one_hot(), F)

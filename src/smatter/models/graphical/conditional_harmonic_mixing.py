"""Conditional harmonic mixing (Burges & Platt 2006)."""

from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from smatter.errors import InputError
from smatter.graphs._base import GraphBuilder
from smatter.graphs.knn import KNNGraph
from smatter.graphs.operators import degrees
from smatter.labels import Labels
from smatter.models.graphical._base import GRAPH_RULES, Array, GraphClassifier, GraphProblem, clamp
from smatter.progress import Progress, report
from smatter.validation import ARRAY, Matrix, Number, OneOf, Rules


class ConditionalHarmonicMixing(GraphClassifier):
    """Each link says what one end's class means for the other end's, and each vertex mixes what its links say.

    A link from j into i carries a matrix P(x_i = a | x_j = b). The distribution of an unlabeled vertex is the one
    with the least Σ_j P_ij KL(P(x_i | x_j) P_j ‖ P_i), the mean of what its links predict:

        P_i ← Σ_j P_ij C_ij P_j,   with P_ij = W_ij / Σ_k W_ik.

    Links are directed; row i of W are the vertices that i listens to. The matrices are shared by links of about the
    same weight (``n_bins`` of equal size): C(a, b) ∝ n(a, b) + strength · [a = b] + 1/K, where n(a, b) counts the
    links between labeled vertices. With the identity on each link this is the harmonic function of a directed graph.

    Parameters
    ----------
    graph : graph builder or None, default None
        None is ``KNNGraph(k=10, symmetry="none")`` with cosine similarity.
    conditional : {"counted", "identity"} or array of shape (K, K), default "counted"
        The matrices of the links: counted, the identity, or one matrix for all links whose columns sum to 1, with
        P(x_i = a | x_j = b) in row a and column b, in the order of ``classes_``.
    n_bins : int, default 3
        Into how many classes of weight the links are sorted for counting.
    strength : float, default 10
        How many links that agree are counted on top in each class.
    max_iter : int, default 1000
        The most steps.
    tol : float, default 1e-6
        Stop when no probability changes by more.

    References
    ----------
    C. Burges, J. Platt. Semi-supervised learning with conditional harmonic mixing. In: Semi-Supervised Learning, MIT
    Press 2006, chapter 14.

    Examples
    --------
    >>> opposites = [[0.1, 0.9], [0.9, 0.1]]
    >>> chain = np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1)
    >>> model = ConditionalHarmonicMixing(conditional=opposites).fit_graph(chain, ["in", None, None, "out"])
    >>> model.transduction_.tolist()
    ['in', 'out', 'in', 'out']

    """

    rules: ClassVar[Rules] = {
        **GRAPH_RULES,
        "conditional": (OneOf("counted", "identity"), ARRAY),
        "n_bins": Number(1, whole=True),
        "strength": Number(0, above=True),
        "max_iter": Number(1, whole=True),
        "tol": Number(0),
    }
    symmetric: ClassVar[bool] = False

    def __init__(
        self,
        graph: GraphBuilder | None = None,
        *,
        conditional: str | Array = "counted",
        n_bins: int = 3,
        strength: float = 10.0,
        max_iter: int = 1000,
        tol: float = 1e-6,
    ) -> None:
        self.graph = graph
        self.conditional = conditional
        self.n_bins = n_bins
        self.strength = strength
        self.max_iter = max_iter
        self.tol = tol

    def _default_graph(self) -> GraphBuilder:
        return KNNGraph(symmetry="none")

    def _infer(self, problem: GraphProblem) -> tuple[Array, list[float]]:
        bins, self.conditionals_ = self._links(problem)
        targets, labeled = problem.labels.one_hot(), problem.labels.labeled
        silent = degrees(problem.W) == 0
        P = np.where(labeled[:, None], targets, problem.prior)
        objective: list[float] = []
        for iteration in range(self.max_iter):
            mixed = np.zeros_like(P)
            for weights, conditional in zip(bins, self.conditionals_, strict=True):
                mixed += weights @ (P @ conditional.T)
            mixed[labeled] = targets[labeled]
            mixed[silent & ~labeled] = problem.prior
            objective.append(float(np.abs(mixed - P).max()))
            P = mixed
            report(Progress(type(self).__name__, iteration + 1, self.max_iter, objective[-1]))
            if objective[-1] <= self.tol:
                break
        return clamp(P / P.sum(axis=1, keepdims=True), problem.labels), objective

    def _links(self, problem: GraphProblem) -> tuple[list[Matrix], list[Array]]:
        """The mixing weights P_ij of each bin of links, and its matrix."""
        n_classes = len(problem.prior)
        mixing = problem.W.copy()
        mixing.data /= np.repeat(degrees(problem.W), np.diff(problem.W.indptr))
        if not isinstance(self.conditional, str):
            return [mixing], [self._given(n_classes)]
        if self.conditional == "identity":
            return [mixing], [np.eye(n_classes)]
        edges = np.quantile(problem.W.data, np.linspace(0, 1, self.n_bins + 1)[1:-1]) if problem.W.nnz else []
        bin_of = np.searchsorted(edges, problem.W.data, side="right")
        masks = [bin_of == number for number in range(self.n_bins)]
        return [_only(mixing, mask) for mask in masks], [self._counted(problem.W, problem.labels, m) for m in masks]

    def _counted(self, W: Matrix, labels: Labels, mask: np.ndarray) -> Array:
        listener, speaker = np.repeat(np.arange(W.shape[0]), np.diff(W.indptr))[mask], W.indices[mask]
        both = labels.labeled[listener] & labels.labeled[speaker]
        n_classes = len(labels.classes)
        counts = self.strength * np.eye(n_classes) + 1.0 / n_classes
        np.add.at(counts, (labels.codes[listener[both]], labels.codes[speaker[both]]), 1.0)
        return counts / counts.sum(axis=0)

    def _given(self, n_classes: int) -> Array:
        matrix = np.asarray(self.conditional, dtype=np.float64)
        if (
            matrix.shape != (n_classes, n_classes)
            or not (matrix >= 0).all()
            or not np.allclose(matrix.sum(axis=0), 1.0)
        ):
            raise InputError(
                f"conditional={self.conditional!r} must be {n_classes} × {n_classes} with columns that sum to 1, "
                "P(x_i = row | x_j = column) in the order of classes_: correct it."
            )
        return matrix


def _only(W: Matrix, mask: np.ndarray) -> Matrix:
    edges = W.tocoo()
    return sp.csr_array((edges.data[mask], (edges.row[mask], edges.col[mask])), shape=W.shape)

"""Label propagation with clamped labels (Zhu & Ghahramani 2002)."""

from typing import ClassVar

import numpy as np

from smatter.graphs._base import GraphBuilder
from smatter.graphs.components import reached_from_labels
from smatter.graphs.operators import transition_matrix
from smatter.models.graphical._base import GRAPH_RULES, Array, GraphClassifier, GraphProblem
from smatter.progress import Progress, report
from smatter.validation import Matrix, Number, Rules


class LabelPropagation(GraphClassifier):
    """Labels flow along the edges; the labeled vertices are set back after each step.

    Y ← P Y with P = D⁻¹ W, then Y_l ← the labels, until nothing changes (algorithm 3 of the seed thesis). The energy
    ½ Σ W_ij ‖Y_i − Y_j‖² falls at each step, and the limit is the harmonic function. Unlabeled vertices start at
    the labeled shares of the classes; a component without a label stays there.

    Parameters
    ----------
    graph : graph builder or None, default None
        None is ``KNNGraph(k=10)`` with cosine similarity.
    max_iter : int, default 1000
        The most steps. Few steps are a model of their own: labels then reach near vertices only.
    tol : float, default 1e-6
        Stop when no probability changes by more.

    References
    ----------
    X. Zhu, Z. Ghahramani. Learning from labeled and unlabeled data with label propagation. CMU-CALD-02-107, 2002.

    Examples
    --------
    >>> chain = np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1)
    >>> LabelPropagation().fit_graph(chain, [0, -1, -1, 1]).posterior_[:, 1].round(3).tolist()
    [0.0, 0.333, 0.667, 1.0]

    """

    rules: ClassVar[Rules] = {**GRAPH_RULES, "max_iter": Number(1, whole=True), "tol": Number(0)}

    def __init__(self, graph: GraphBuilder | None = None, *, max_iter: int = 1000, tol: float = 1e-6) -> None:
        self.graph = graph
        self.max_iter = max_iter
        self.tol = tol

    def _infer(self, problem: GraphProblem) -> tuple[Array, list[float]]:
        targets, labeled = problem.labels.one_hot(), problem.labels.labeled
        P, weight = transition_matrix(problem.W), problem.W.sum()
        Y = np.where(labeled[:, None], targets, problem.prior)
        lonely = ~reached_from_labels(problem.W, labeled)
        objective: list[float] = []
        for iteration in range(self.max_iter):
            flowed = P @ Y
            flowed[labeled] = targets[labeled]
            flowed[lonely] = problem.prior  # exact, where rounding would drift
            change = float(np.abs(flowed - Y).max())
            Y = flowed
            objective.append(dirichlet_energy(problem.W, Y) / max(weight, 1e-300))
            report(Progress(type(self).__name__, iteration + 1, self.max_iter, objective[-1]))
            if change <= self.tol:
                break
        return Y / Y.sum(axis=1, keepdims=True), objective


def dirichlet_energy(W: Matrix, Y: Array) -> float:
    """½ Σ_ij W_ij ‖Y_i − Y_j‖²."""
    rows = np.repeat(np.arange(W.shape[0]), np.diff(W.indptr))
    total = 0.0
    for column in Y.T:
        total += float(W.data @ (column[rows] - column[W.indices]) ** 2)
    return 0.5 * total

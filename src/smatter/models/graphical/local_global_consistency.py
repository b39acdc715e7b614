"""Learning with local and global consistency (Zhou et al. 2004), and on directed graphs (Zhou et al. 2005)."""

from typing import ClassVar

import numpy as np

from smatter.graphs._base import GraphBuilder
from smatter.graphs.knn import KNNGraph
from smatter.graphs.operators import directed_spreading_matrix, spreading_matrix
from smatter.graphs.solvers import solve_laplacian
from smatter.models.graphical._base import GRAPH_RULES, Array, GraphClassifier, GraphProblem, rows_to_one
from smatter.validation import Matrix, Number, Rules


class LocalGlobalConsistency(GraphClassifier):
    """Each vertex takes part of its neighbors' opinion and keeps part of its own.

    The limit of F ← γ S F + (1 − γ) Y with S = D^(−1/2) W D^(−1/2), that is F = (1 − γ)(I − γ S)⁻¹ Y, from one
    system of equations for all classes. Labels are not clamped: a labeled vertex may end in another class. A
    component without a label has F = 0 and gets the labeled shares of the classes.

    Parameters
    ----------
    graph : graph builder or None, default None
        None is ``KNNGraph(k=10)`` with cosine similarity.
    gamma : float, default 0.99
        γ in [0, 1): how far labels spread (α in the paper).
    tol : float, default 1e-6
        The relative residual at which the solver stops.

    References
    ----------
    D. Zhou, O. Bousquet, T. Lal, J. Weston, B. Schölkopf. Learning with local and global consistency. NIPS 16, 2004.

    Examples
    --------
    >>> chain = np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1)
    >>> LocalGlobalConsistency().fit_graph(chain, [0, -1, -1, 1]).transduction_.tolist()
    [0, 0, 1, 1]

    """

    rules: ClassVar[Rules] = {**GRAPH_RULES, "gamma": Number(0, 1 - 1e-9), "tol": Number(0, above=True)}

    def __init__(self, graph: GraphBuilder | None = None, *, gamma: float = 0.99, tol: float = 1e-6) -> None:
        self.graph = graph
        self.gamma = gamma
        self.tol = tol

    def _infer(self, problem: GraphProblem) -> tuple[Array, list[float]]:
        S, Y = self._spreading_matrix(problem.W), problem.labels.one_hot()
        F, residuals = solve_laplacian(self.gamma * S, np.ones(problem.n), (1 - self.gamma) * Y, tol=self.tol)
        return rows_to_one(F, problem.prior), residuals

    def _spreading_matrix(self, W: Matrix) -> Matrix:
        return spreading_matrix(W)


class DirectedLocalGlobalConsistency(LocalGlobalConsistency):
    """Local and global consistency where edges have a direction.

    As LocalGlobalConsistency with Θ = (Π^(1/2) P Π^(−1/2) + Π^(−1/2) Pᵀ Π^(1/2)) / 2 in the place of S, where P is
    the random walk and π, on the diagonal of Π, its stationary distribution with a teleport of 1 %. On an undirected
    graph Θ is close to S, and equal to it without the teleport.

    Parameters
    ----------
    graph : graph builder or None, default None
        None is ``KNNGraph(k=10, symmetry="none")`` with cosine similarity.
    gamma, tol
        As in LocalGlobalConsistency.

    References
    ----------
    D. Zhou, J. Huang, B. Schölkopf. Learning from labeled and unlabeled data on a directed graph. ICML 2005.

    Examples
    --------
    >>> ring = np.roll(np.eye(4), 1, axis=1)
    >>> DirectedLocalGlobalConsistency().fit_graph(ring, [0, -1, 1, -1]).posterior_.round(2)[:, 0].tolist()
    [0.51, 0.5, 0.49, 0.5]

    """

    symmetric: ClassVar[bool] = False

    def _default_graph(self) -> GraphBuilder:
        return KNNGraph(symmetry="none")

    def _spreading_matrix(self, W: Matrix) -> Matrix:
        return directed_spreading_matrix(W)

"""Label propagation through linear neighborhoods (Wang & Zhang 2008)."""

from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from smatter.graphs._base import GraphBuilder
from smatter.graphs.linear_neighborhood import LinearNeighborhoodGraph
from smatter.graphs.operators import degrees
from smatter.models.graphical._base import GRAPH_RULES, Array, GraphClassifier, GraphProblem, rows_to_one
from smatter.progress import Progress, report
from smatter.validation import Matrix, Number, Rules


class LinearNeighborhoodPropagation(GraphClassifier):
    """Labels spread by the weights that rebuild each row from its neighbors.

    The limit of F ← γ W F + (1 − γ) Y, where the rows of W rebuild x_i = Σ_j w_ij x_j with w ≥ 0 and Σ_j w_ij = 1:
    F = (1 − γ)(I − γ W)⁻¹ Y. W is directed; a graph that is brought to ``fit_graph`` has its rows scaled to 1. Where
    no path of neighbors ends at a label, F = 0 and the vertex gets the labeled shares of the classes.

    An unseen row is rebuilt from its neighbors and takes their classes by the same weights (their eq. 21).

    Parameters
    ----------
    graph : graph builder or None, default None
        None is ``LinearNeighborhoodGraph(k=10)`` with cosine similarity.
    gamma : float, default 0.99
        γ in [0, 1): how far labels spread (α in the paper).
    max_iter : int, default 10,000
        The most steps.
    tol : float, default 1e-6
        Stop when no row of F/(1 − γ) is further than this from its limit (a bound: the map contracts by γ).

    References
    ----------
    F. Wang, C. Zhang. Label propagation through linear neighborhoods. IEEE TKDE 20(1), 2008.

    Examples
    --------
    >>> chain = np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1)
    >>> LinearNeighborhoodPropagation().fit_graph(chain, [0, -1, -1, 1]).transduction_.tolist()
    [0, 0, 1, 1]

    """

    rules: ClassVar[Rules] = {
        **GRAPH_RULES,
        "gamma": Number(0, 1 - 1e-9),
        "max_iter": Number(1, whole=True),
        "tol": Number(0, above=True),
    }
    symmetric: ClassVar[bool] = False

    def __init__(
        self, graph: GraphBuilder | None = None, *, gamma: float = 0.99, max_iter: int = 10_000, tol: float = 1e-6
    ) -> None:
        self.graph = graph
        self.gamma = gamma
        self.max_iter = max_iter
        self.tol = tol

    def _default_graph(self) -> GraphBuilder:
        return LinearNeighborhoodGraph()

    def _infer(self, problem: GraphProblem) -> tuple[Array, list[float]]:
        W, Y = _rows_to_one(problem.W), problem.labels.one_hot()
        F, objective = Y.copy(), []
        for iteration in range(self.max_iter):
            flowed = self.gamma * (W @ F) + Y  # F is kept divided by 1 − γ
            change = float(np.abs(flowed - F).max())
            F = flowed
            objective.append(change)
            report(Progress(type(self).__name__, iteration + 1, self.max_iter, change))
            if change * self.gamma <= self.tol * (1 - self.gamma):
                break
        return rows_to_one(F, problem.prior), objective


def _rows_to_one(W: Matrix) -> Matrix:
    degree = degrees(W)
    return sp.csr_array(sp.diags_array(1.0 / np.where(degree > 0, degree, 1.0)) @ W)

"""Partially labeled classification with Markov random walks (Szummer & Jaakkola 2002)."""

from collections.abc import Callable
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from smatter.graphs._base import GraphBuilder
from smatter.graphs.operators import transition_matrix
from smatter.labels import Labels
from smatter.models.graphical._base import GRAPH_RULES, Array, GraphClassifier, GraphProblem, rows_to_one
from smatter.progress import Progress, report
from smatter.validation import Matrix, Number, OneOf, Rules


class MarkovRandomWalk(GraphClassifier):
    """A vertex is seen as the end of a walk of t steps; its class is that of where the walk may have begun.

    With A = D⁻¹ (W + s I) and starts that are equally likely, P_{0|t}(i|k) = [A^t]_ik / Σ_j [A^t]_jk and

        P(y|k) = Σ_i P(y|i) P_{0|t}(i|k).

    The parameters P(y|i) of all vertices are learned from the labeled ones: by EM on Π_k P(y_k|k), or by the largest
    average margin, which is closed: P(y|i) = 1 for the class with the largest mean of P_{0|t}(i|k) over its
    labeled k. A^t is never formed: every pass is t products with A, so that memory is linear in the edges.

    Parameters
    ----------
    graph : graph builder or None, default None
        None is ``KNNGraph(k=10)`` with cosine similarity.
    n_steps : int, default 8
        t: the scale at which vertices count as near.
    estimate : {"likelihood", "margin"}, default "likelihood"
        How P(y|i) is learned.
    self_weight : float, default 1.0
        s, the weight of staying (1 is the similarity of a row to itself).
    max_iter : int, default 50
        The most EM steps.
    tol : float, default 1e-6
        Stop when the mean log-likelihood of a label gains less.

    References
    ----------
    M. Szummer, T. Jaakkola. Partially labeled classification with Markov random walks. NIPS 14, 2002.

    Examples
    --------
    >>> chain = np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1)
    >>> MarkovRandomWalk(n_steps=2).fit_graph(chain, [0, -1, -1, 1]).transduction_.tolist()
    [0, 0, 1, 1]

    """

    rules: ClassVar[Rules] = {
        **GRAPH_RULES,
        "n_steps": Number(1, whole=True),
        "estimate": OneOf("likelihood", "margin"),
        "self_weight": Number(0),
        "max_iter": Number(1, whole=True),
        "tol": Number(0),
    }
    symmetric: ClassVar[bool] = False

    def __init__(
        self,
        graph: GraphBuilder | None = None,
        *,
        n_steps: int = 8,
        estimate: str = "likelihood",
        self_weight: float = 1.0,
        max_iter: int = 50,
        tol: float = 1e-6,
    ) -> None:
        self.graph = graph
        self.n_steps = n_steps
        self.estimate = estimate
        self.self_weight = self_weight
        self.max_iter = max_iter
        self.tol = tol

    def _infer(self, problem: GraphProblem) -> tuple[Array, list[float]]:
        walk = _Walk(problem.W, self.n_steps, self.self_weight)
        class_given_start, objective = _ESTIMATES[self.estimate](self, walk, problem)
        self.class_given_start_ = class_given_start
        return rows_to_one(walk.posterior(class_given_start), problem.prior), objective

    def _by_likelihood(self, walk: "_Walk", problem: GraphProblem) -> tuple[Array, list[float]]:
        labels = problem.labels
        class_given_start = np.tile(problem.prior, (problem.n, 1))
        objective: list[float] = []
        for iteration in range(self.max_iter):
            responsibility, log_likelihood = e_step(walk, class_given_start, labels)
            class_given_start = m_step(responsibility, class_given_start)
            objective.append(log_likelihood)
            report(Progress(type(self).__name__, iteration + 1, self.max_iter, log_likelihood))
            if iteration and objective[-1] - objective[-2] <= self.tol:
                break
        return class_given_start, objective

    def _by_margin(self, walk: "_Walk", problem: GraphProblem) -> tuple[Array, list[float]]:
        reach = walk.forward(problem.labels.one_hot() / walk.ends[:, None] / problem.labels.counts)
        best = reach.max(axis=1, keepdims=True)
        largest = (reach >= best * (1 - 1e-9)) & (best > 0)  # what only rounding tells apart is a tie
        count = largest.sum(axis=1, keepdims=True)
        return np.where(count > 0, largest / np.maximum(count, 1), problem.prior), []


_ESTIMATES: dict[str, Callable[[MarkovRandomWalk, "_Walk", GraphProblem], tuple[Array, list[float]]]] = {
    "likelihood": MarkovRandomWalk._by_likelihood,
    "margin": MarkovRandomWalk._by_margin,
}


class _Walk:
    """t steps of A = D⁻¹ (W + s I), forwards and backwards."""

    def __init__(self, W: Matrix, n_steps: int, self_weight: float) -> None:
        n = W.shape[0]
        self.A = transition_matrix(sp.csr_array(W + self_weight * sp.eye_array(n)))
        self.A_T = sp.csr_array(self.A.T)
        self.n_steps = n_steps
        ends = self.backward(np.ones((n, 1)))[:, 0]
        self.ends = np.maximum(ends, 1e-300)  # Σ_j [A^t]_jk; 0 where no walk ends

    def forward(self, F: Array) -> Array:
        """A^t F."""
        return self._repeat(self.A, F)

    def backward(self, F: Array) -> Array:
        """(Aᵀ)^t F."""
        return self._repeat(self.A_T, F)

    def posterior(self, class_given_start: Array) -> Array:
        """P(y|k) = Σ_i P(y|i) P_{0|t}(i|k)."""
        return self.backward(class_given_start) / self.ends[:, None]

    def _repeat(self, matrix: Matrix, F: Array) -> Array:
        for _ in range(self.n_steps):
            F = matrix @ F
        return F


def e_step(walk: _Walk, class_given_start: Array, labels: Labels) -> tuple[Array, float]:
    """Σ_{k labeled y} P(i | k, y_k) of each vertex and class, and the mean log P(y_k | k).

    P(i | k, y_k) = P(y_k|i) P_{0|t}(i|k) / P(y_k|k); the sum over k is one more walk.
    """
    rows = np.flatnonzero(labels.labeled)
    codes = labels.codes[rows]
    p_label = np.maximum(walk.posterior(class_given_start)[rows, codes], 1e-300)
    weights = np.zeros_like(class_given_start)
    weights[rows, codes] = 1.0 / (p_label * walk.ends[rows])
    return class_given_start * walk.forward(weights), float(np.log(p_label).mean())


def m_step(responsibility: Array, class_given_start: Array) -> Array:
    """P(y|i) ∝ Σ_{k labeled y} P(i | k, y_k); a vertex where no such walk begins keeps what it has."""
    total = responsibility.sum(axis=1, keepdims=True)
    return np.where(total > 0, responsibility / np.where(total > 0, total, 1.0), class_given_start)

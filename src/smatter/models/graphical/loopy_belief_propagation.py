"""Loopy belief propagation with the influence index (Nguyen 2019, algorithm 6)."""

from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from smatter.graphs._base import GraphBuilder
from smatter.models.graphical._base import GRAPH_RULES, Array, GraphClassifier, GraphProblem, clamp
from smatter.models.graphical._ties import TIE_BREAKS, posterior_of
from smatter.progress import Progress, report
from smatter.validation import Matrix, Number, OneOf, Rules


class LoopyBeliefPropagation(GraphClassifier):
    """Max-sum messages in both directions along every edge of any graph, all at once, round after round.

    ψ_{i→j}(x_j) = max_{x_i} ( −W_ij [x_i ≠ x_j] + Σ_{k ∈ ne(i)∖j} ψ_{k→i}(x_i) ), where a labeled x_i is fixed.
    The state of a vertex is that of the largest sum of messages into it; a tie goes to the label with the larger
    influence Σ_{j labeled} S(x_i, x_j). On a tree the sums are the max-marginals after as many rounds as the tree
    is wide; with cycles they are an approximation that need not settle.

    Parameters
    ----------
    graph : graph builder or None, default None
        None is ``KNNGraph(k=10)`` with cosine similarity.
    tie_break : {"influence", "first"}, default "influence"
        "first" takes the first class, as plain belief propagation does.
    max_iter : int, default 200
        The most rounds. A label travels one edge a round.
    damping : float, default 0
        The share of the old message in the new one, in [0, 1); helps where messages swing.
    tol : float, default 1e-9
        Stop when no message changes by more than this share of the largest weight.

    References
    ----------
    N. H. Nguyen. Semi-supervised learning with components: mixture and graph. Thesis, 2019, chapter 3.

    Examples
    --------
    >>> ring = np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1)
    >>> LoopyBeliefPropagation().fit_graph(ring, [0, -1, -1, 1, -1, -1]).transduction_.tolist()
    [0, 0, 1, 1, 1, 0]

    """

    rules: ClassVar[Rules] = {
        **GRAPH_RULES,
        "tie_break": OneOf(*TIE_BREAKS),
        "max_iter": Number(1, whole=True),
        "damping": Number(0, 0.999),
        "tol": Number(0),
    }

    def __init__(
        self,
        graph: GraphBuilder | None = None,
        *,
        tie_break: str = "influence",
        max_iter: int = 200,
        damping: float = 0.0,
        tol: float = 1e-9,
    ) -> None:
        self.graph = graph
        self.tie_break = tie_break
        self.max_iter = max_iter
        self.damping = damping
        self.tol = tol

    def _infer(self, problem: GraphProblem) -> tuple[Array, list[float]]:
        from smatter.kernels import graph_messages as kernels

        W, codes, influence = problem.W, problem.labels.codes, TIE_BREAKS[self.tie_break](problem)
        reverse, largest = reverse_edges(W), W.data.max(initial=0.0)
        messages = np.zeros((W.nnz, influence.shape[1]))
        sent, sums, change = np.empty_like(messages), np.zeros_like(influence), np.zeros(problem.n)
        objective: list[float] = []
        for iteration in range(self.max_iter):
            graph = (W.indptr, W.indices, W.data)
            kernels.flood(graph, reverse, codes, float(self.damping), messages, sent, sums, change)
            messages, sent = sent, messages
            objective.append(float(change.max()))
            report(Progress(type(self).__name__, iteration + 1, self.max_iter, objective[-1]))
            if objective[-1] <= self.tol * largest:
                break
        kernels.add_up(W.indptr, messages, sums)
        return clamp(posterior_of(sums, influence, 1e-7 * largest), problem.labels), objective


def reverse_edges(W: Matrix) -> np.ndarray:
    """For each entry (i, j) of a symmetric CSR array the position of (j, i)."""
    positions = sp.csr_array((np.arange(W.nnz), W.indices, W.indptr), shape=W.shape)
    return np.asarray(sp.csr_array(positions.T).data, dtype=np.int64)

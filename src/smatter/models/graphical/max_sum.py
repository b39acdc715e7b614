"""Max-sum on trees with the influence index (Nguyen 2019, sections 3.3.1–2)."""

from typing import ClassVar

import numpy as np

from smatter.errors import InputError
from smatter.graphs._base import GraphBuilder
from smatter.graphs.components import components
from smatter.graphs.spanning_tree import KNNSpanningTreeGraph
from smatter.models.graphical._base import GRAPH_RULES, Array, GraphClassifier, GraphProblem, clamp
from smatter.models.graphical._cuts import cut_weight
from smatter.models.graphical._ties import TIE_BREAKS, posterior_of, put_first
from smatter.validation import OneOf, Rules


class MaxSum(GraphClassifier):
    """The labeling of a tree or forest that cuts the least weight, found exactly.

    max_x P(x) ∝ exp(−Σ W_ij [x_i ≠ x_j]) with x_l = y_l. Messages go from the leaves to a root,

        ψ_{i→j}(x_j) = max_{x_i} ( −W_ij [x_i ≠ x_j] + Σ_{k ∈ ne(i)∖j} ψ_{k→i}(x_i) ),

    and the best states are traced back, in O(|E| K). For two classes as ±1 this is Nguyen's eq. 3.12–3.18 with
    products and logarithms set right; [x_i ≠ x_j] stands for (x_i − x_j)² up to a constant factor.

    Often many labelings are best. A tie goes to the label with the larger influence
    Σ_{j labeled} S(x_i, x_j), so that the cut lands between the labeled vertices and not beside one of them.
    ``posterior_`` is made of the max-marginals.

    Parameters
    ----------
    graph : graph builder or None, default None
        None is ``KNNSpanningTreeGraph(k=10)``. A graph with a cycle is an error.
    tie_break : {"influence", "first"}, default "influence"
        "first" takes the first class, as plain max-sum does.

    References
    ----------
    N. H. Nguyen. Semi-supervised learning with components: mixture and graph. Thesis, 2019, chapter 3.
    A. Blum, J. Lafferty, M. Rwebangira, R. Reddy. Semi-supervised learning using randomized mincuts. ICML 2004.

    Examples
    --------
    >>> chain = np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)
    >>> y = [0, -1, -1, -1, -1, 1]
    >>> MaxSum().fit_graph(chain, y).transduction_.tolist()
    [0, 0, 0, 1, 1, 1]
    >>> MaxSum(tie_break="first").fit_graph(chain, y).transduction_.tolist()
    [0, 0, 0, 0, 0, 1]

    """

    rules: ClassVar[Rules] = {**GRAPH_RULES, "tie_break": OneOf(*TIE_BREAKS)}

    def __init__(self, graph: GraphBuilder | None = None, *, tie_break: str = "influence") -> None:
        self.graph = graph
        self.tie_break = tie_break

    def _default_graph(self) -> GraphBuilder:
        return KNNSpanningTreeGraph()

    def _infer(self, problem: GraphProblem) -> tuple[Array, list[float]]:
        from smatter.kernels import graph_messages as messages

        _check_forest(problem, type(self).__name__)
        order, parent, weight_up = _rooted(problem)
        codes, influence = problem.labels.codes, TIE_BREAKS[self.tie_break](problem)
        up, inbox = np.zeros_like(influence), np.zeros_like(influence)
        states = np.zeros(problem.n, dtype=np.int64)
        tolerance = 1e-9 * problem.W.data.max(initial=0.0)
        messages.collect(order, parent, weight_up, codes, up, inbox)
        messages.trace(order, parent, weight_up, codes, inbox, influence, tolerance, states)
        messages.distribute(order, parent, weight_up, codes, up, inbox)
        posterior = put_first(posterior_of(inbox, influence, tolerance), states)
        return clamp(posterior, problem.labels), [-cut_weight(problem.W, states)]


def _rooted(problem: GraphProblem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Order the vertices from the roots to the leaves, with parents and the weights of the edges to them."""
    from smatter.kernels.graph_trees import breadth_first

    order = np.empty(problem.n, dtype=np.int64)
    parent, edge = np.full(problem.n, -2, dtype=np.int64), np.empty(problem.n, dtype=np.int64)
    breadth_first(problem.W.indptr, problem.W.indices, order, parent, edge)
    weight_up = np.zeros(problem.n)
    weight_up[edge >= 0] = problem.W.data[edge[edge >= 0]]
    return order, parent, weight_up


def _check_forest(problem: GraphProblem, name: str) -> None:
    n_components, n_edges = int(components(problem.W).max()) + 1, problem.W.nnz // 2
    if n_edges > problem.n - n_components:
        raise InputError(
            f"The graph has {n_edges} edges over {problem.n} vertices in {n_components} components, so that some form "
            f"a cycle; {name} needs a tree or forest: use LoopyBeliefPropagation, or graph=KNNSpanningTreeGraph()."
        )

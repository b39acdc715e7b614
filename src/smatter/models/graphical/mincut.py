"""Graph mincuts (Blum & Chawla 2001)."""

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from smatter.errors import InputError
from smatter.graphs._base import GraphBuilder
from smatter.graphs.components import reached_from_labels
from smatter.models.graphical._base import GRAPH_RULES, Array, GraphClassifier, GraphProblem
from smatter.models.graphical._cuts import LabeledCuts, cut_weight, expand, vote_among_claims
from smatter.progress import Progress, report
from smatter.validation import ARRAY, OneOf, Rules


class Mincut(GraphClassifier):
    """The labeling that cuts the least weight: min Σ W_ij [x_i ≠ x_j] with x_l = y_l.

    Two classes are a minimum cut between v+ and v−, tied to their labels for good; of several minimum cuts the one
    nearest to the second class is taken. More than two classes are a multiway cut, which is NP-hard: either one cut
    of each class against the rest (vertices claimed by no class or by several take the vote of their neighbors), or
    alpha-expansion, whose cut weighs at most twice the least and falls at each step.

    The plain cut tends to cut off little more than the labels of one class. ``class_shares`` is the balance
    constraint: a bias for the class on all vertices, chosen so that the share of the class is as near as a minimum
    cut can be. RandomizedMincut is the other way out.

    Parameters
    ----------
    graph : graph builder or None, default None
        None is ``KNNGraph(k=10)`` with cosine similarity.
    multiclass : {"one-against-rest", "alpha-expansion"}, default "one-against-rest"
        How more than two classes are cut.
    class_shares : {None, "labeled"} or array of shape (K,), default None
        The wanted shares of the classes: none, those of the labels, or given in the order of ``classes_``. With
        shares the cuts are one against the rest.

    Notes
    -----
    The flow is SciPy's, with whole capacities: the cut weighs at most (its edges) · F / 2²⁹ more than the least,
    where F is the smaller total weight at the labels of the two sides.

    References
    ----------
    A. Blum, S. Chawla. Learning from labeled and unlabeled data using graph mincuts. ICML 2001.
    Y. Boykov, O. Veksler, R. Zabih. Fast approximate energy minimization via graph cuts. IEEE TPAMI 23(11), 2001.

    Examples
    --------
    >>> W = np.zeros((4, 4))
    >>> W[0, 1], W[1, 2], W[2, 3] = 3.0, 1.0, 3.0
    >>> Mincut().fit_graph(W + W.T, ["no", None, None, "yes"]).transduction_.tolist()
    ['no', 'no', 'yes', 'yes']

    """

    rules: ClassVar[Rules] = {
        **GRAPH_RULES,
        "multiclass": OneOf("one-against-rest", "alpha-expansion"),
        "class_shares": (OneOf(None, "labeled"), ARRAY),
    }

    def __init__(
        self,
        graph: GraphBuilder | None = None,
        *,
        multiclass: str = "one-against-rest",
        class_shares: str | Array | None = None,
    ) -> None:
        self.graph = graph
        self.multiclass = multiclass
        self.class_shares = class_shares

    def _infer(self, problem: GraphProblem) -> tuple[Array, list[float]]:
        shares = self._shares(problem)
        choice = "two" if len(problem.prior) == 2 else self.multiclass if shares is None else "one-against-rest"
        posterior, objective = _CUTS[choice](problem, shares)
        lonely = ~reached_from_labels(problem.W, problem.labels.labeled)
        posterior[lonely] = problem.prior
        return posterior, objective

    def _shares(self, problem: GraphProblem) -> Array | None:
        if self.class_shares is None:
            return None
        if isinstance(self.class_shares, str):
            return problem.prior
        shares = np.asarray(self.class_shares, dtype=np.float64)
        if shares.shape != problem.prior.shape or not (shares > 0).all():
            raise InputError(
                f"class_shares={self.class_shares!r} must hold one share above 0 for each of the "
                f"{len(problem.prior)} classes, in the order of classes_: correct it."
            )
        return shares / shares.sum()


def _one_cut(problem: GraphProblem, shares: Array | None) -> tuple[Array, list[float]]:
    cuts = LabeledCuts(problem.W, problem.labels)
    side = cuts.side_of(1) if shares is None else cuts.side_of_share(1, shares[1])
    return np.column_stack([~side, side]).astype(np.float64), [cut_weight(problem.W, side)]


def _one_against_rest(problem: GraphProblem, shares: Array | None) -> tuple[Array, list[float]]:
    cuts = LabeledCuts(problem.W, problem.labels)
    claims = np.zeros((problem.n, len(problem.prior)), dtype=bool)
    for code in range(len(problem.prior)):
        claims[:, code] = cuts.side_of(code) if shares is None else cuts.side_of_share(code, shares[code])
        report(Progress("Mincut", code + 1, len(problem.prior)))
    posterior = vote_among_claims(problem.W, claims, problem.prior)
    return posterior, [cut_weight(problem.W, posterior.argmax(axis=1))]


def _alpha_expansion(problem: GraphProblem, shares: Array | None) -> tuple[Array, list[float]]:
    start, _ = _one_against_rest(problem, None)
    states = start.argmax(axis=1)
    objective = [cut_weight(problem.W, states)]
    since_change, code, n_classes = 0, 0, len(problem.prior)
    while since_change < n_classes:
        moved = expand(problem.W, problem.labels, states, code)
        weight = cut_weight(problem.W, moved)
        since_change += 1
        if weight < objective[-1] - 1e-9 * max(objective[-1], 1e-300):
            states, since_change = moved, 1
            objective.append(weight)
            report(Progress("Mincut", len(objective), None, weight))
        code = (code + 1) % n_classes
    return np.eye(n_classes)[states], objective


_CUTS: dict[str, Callable[[GraphProblem, Array | None], tuple[Array, list[float]]]] = {
    "two": _one_cut,
    "one-against-rest": _one_against_rest,
    "alpha-expansion": _alpha_expansion,
}

"""Graph mincuts (Blum & Chawla 2001)."""

from collections.abc import Callable, Iterator
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from smatter.errors import InputError
from smatter.graphs._base import GraphBuilder
from smatter.graphs.components import reached_from_labels
from smatter.models.graphical._base import GRAPH_RULES, Array, GraphClassifier, GraphProblem
from smatter.models.graphical._cuts import cut_between, cut_of_share, cut_weight, expand, vote_among_claims
from smatter.models.graphical.harmonic_functions import harmonic_solution
from smatter.progress import Progress, report
from smatter.validation import ARRAY, Number, OneOf, Rules


class Mincut(GraphClassifier):
    """The labeling that cuts the least weight: min Σ W_ij [x_i ≠ x_j] with x_l = y_l.

    Two classes are a minimum cut between v+ and v−, tied to their labels for good; of several minimum cuts the one
    nearest to the second class is taken. More than two classes are a multiway cut, which is NP-hard: either one cut
    of each class against the rest (vertices claimed by no class or by several take the vote of their neighbors), or
    alpha-expansion, whose cut weighs at most twice the least and falls at each step.

    With few labels the least cut of a k-NN graph cuts off little more than the labels of one class: the plain form
    degenerates. ``class_shares`` is the balance constraint. Each class must end with its share of the vertices, give
    or take ``slack`` of it: those that the harmonic function ranks highest are tied to the class, those that it ranks
    lowest to the others, and the cut is free in between. RandomizedMincut, on trees, is the other way out.

    Parameters
    ----------
    graph : graph builder or None, default None
        None is ``KNNGraph(k=10)`` with cosine similarity.
    multiclass : {"one-against-rest", "alpha-expansion"}, default "one-against-rest"
        How more than two classes are cut.
    class_shares : {None, "labeled"} or array of shape (K,), default None
        The wanted shares of the classes: none, those of the labels, or given in the order of ``classes_``. With
        shares the cuts are one against the rest.
    slack : float, default 0.25
        How far a class may end from its share, as a share of it.

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
        "slack": Number(0),
    }

    def __init__(
        self,
        graph: GraphBuilder | None = None,
        *,
        multiclass: str = "one-against-rest",
        class_shares: str | Array | None = None,
        slack: float = 0.25,
    ) -> None:
        self.graph = graph
        self.multiclass = multiclass
        self.class_shares = class_shares
        self.slack = slack

    def _infer(self, problem: GraphProblem) -> tuple[Array, list[float]]:
        shares = self._shares(problem)
        if shares is not None:
            posterior, objective = self._balanced(problem, shares)
        else:
            posterior, objective = _CUTS["two" if len(problem.prior) == 2 else self.multiclass](problem)
        lonely = ~reached_from_labels(problem.W, problem.labels.labeled)
        posterior[lonely] = problem.prior
        return posterior, objective

    def _balanced(self, problem: GraphProblem, shares: Array) -> tuple[Array, list[float]]:
        scores, _ = harmonic_solution(problem, tol=1e-4)

        def side(code: int) -> NDArray[np.bool_]:
            bounds = (shares[code] * (1 - self.slack), shares[code] * (1 + self.slack))
            return cut_of_share(problem.W, problem.labels, code, scores[:, code], bounds)

        if len(shares) == 2:
            return _two_sides(problem, side(1))
        return _settled(problem, [side(code) for code in _all_codes(problem)])

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


def _one_cut(problem: GraphProblem) -> tuple[Array, list[float]]:
    return _two_sides(problem, cut_between(problem.W, problem.labels.codes == 1, problem.labels.codes == 0))


def _two_sides(problem: GraphProblem, side: NDArray[np.bool_]) -> tuple[Array, list[float]]:
    return np.column_stack([~side, side]).astype(np.float64), [cut_weight(problem.W, side)]


def _one_against_rest(problem: GraphProblem) -> tuple[Array, list[float]]:
    codes = problem.labels.codes
    claims = [cut_between(problem.W, codes == code, (codes >= 0) & (codes != code)) for code in _all_codes(problem)]
    return _settled(problem, claims)


def _settled(problem: GraphProblem, claims: list[NDArray[np.bool_]]) -> tuple[Array, list[float]]:
    posterior = vote_among_claims(problem.W, np.column_stack(claims), problem.prior)
    return posterior, [cut_weight(problem.W, posterior.argmax(axis=1))]


def _all_codes(problem: GraphProblem) -> Iterator[int]:
    for code in range(len(problem.prior)):
        yield code
        report(Progress("Mincut", code + 1, len(problem.prior)))


def _alpha_expansion(problem: GraphProblem) -> tuple[Array, list[float]]:
    start, _ = _one_against_rest(problem)
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


_CUTS: dict[str, Callable[[GraphProblem], tuple[Array, list[float]]]] = {
    "two": _one_cut,
    "one-against-rest": _one_against_rest,
    "alpha-expansion": _alpha_expansion,
}

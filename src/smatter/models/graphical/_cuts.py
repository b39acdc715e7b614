"""Minimum cuts: two classes exactly, many classes one against the rest or by alpha-expansion."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from smatter.labels import Labels
from smatter.validation import Matrix

Array = NDArray[np.float64]
LARGEST = 2**30  # capacities are 32-bit integers, and an edge's residual may reach twice its capacity


def minimum_cut(pairs: Matrix, to_source: Array, to_sink: Array) -> NDArray[np.bool_]:
    """Say which vertices are on the source's side of the minimum cut that is nearest to the source.

    Weights become whole multiples of F / 2²⁹, where F is the smaller total weight at the source and at the sink: the
    cut that is found weighs at most (its number of edges) · F / 2²⁹ more than the best one.

    Parameters
    ----------
    pairs : sparse array of shape (m, m)
        What it costs to separate two vertices.
    to_source, to_sink : arrays of shape (m,)
        What it costs to separate a vertex from the source or from the sink.

    """
    m = pairs.shape[0]
    most = min(to_source.sum(), to_sink.sum())
    if m == 0 or most <= 0:  # nothing to separate: a vertex that knows the source only is on its side
        return _reached(pairs, to_source > 0)
    graph = _with_terminals(pairs, to_source, to_sink)
    # no minimum cut holds an edge above F; at F itself such an edge would tie with the cut at the terminals
    graph.data = np.rint(np.minimum(graph.data, 2 * most) * (LARGEST / (2 * most)))
    capacities = sp.csr_array(graph, dtype=np.int32)
    capacities.eliminate_zeros()
    residual = sp.csr_array(capacities - maximum_flow(capacities, m, m + 1).flow)
    residual.eliminate_zeros()
    side = np.zeros(m + 2, dtype=bool)
    side[breadth_first_order(residual, m, return_predecessors=False)] = True
    return side[:m]


def _with_terminals(pairs: Matrix, to_source: Array, to_sink: Array) -> Matrix:
    m = pairs.shape[0]
    edges, near, far = pairs.tocoo(), np.flatnonzero(to_source > 0), np.flatnonzero(to_sink > 0)
    rows = np.concatenate([edges.row, np.full(len(near), m), far])
    columns = np.concatenate([edges.col, near, np.full(len(far), m + 1)])
    weights = np.concatenate([edges.data, to_source[near], to_sink[far]])
    return sp.csr_array((weights, (rows, columns)), shape=(m + 2, m + 2))


def _reached(pairs: Matrix, seeds: NDArray[np.bool_]) -> NDArray[np.bool_]:
    if not seeds.any():
        return np.zeros(len(seeds), dtype=bool)
    from smatter.graphs.components import reached_from_labels

    return reached_from_labels(pairs, seeds)


def cut_between(W: Matrix, positive: NDArray[np.bool_], negative: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say which vertices a minimum cut leaves with the positive ones: those are tied to v+, the negative ones to v−.

    Tied vertices are merged with v+ and v−, which is the same as infinite weights (Nguyen, algorithm 3).
    """
    free = np.flatnonzero(~(positive | negative))
    to_all = W[free]
    side = positive.copy()
    side[free] = minimum_cut(
        sp.csr_array(to_all[:, free]), to_all @ positive.astype(np.float64), to_all @ negative.astype(np.float64)
    )
    return side


def cut_of_share(W: Matrix, labels: Labels, code: int, scores: Array, bounds: tuple[float, float]) -> NDArray[np.bool_]:
    """Say which vertices a class gets by the least cut that gives it a share of the vertices within the bounds.

    The vertices with the highest scores are tied to the class up to the lower bound, those with the lowest to the
    others from the upper bound on, and the cut is free between. (The least cut of a fixed share is NP-hard.)
    """
    n = len(scores)
    order = np.lexsort((np.arange(n), -scores, labels.labeled & (labels.codes != code), labels.codes != code))
    lowest, highest = int(np.floor(bounds[0] * n)), int(np.ceil(bounds[1] * n))
    positive, negative = labels.codes == code, labels.labeled & (labels.codes != code)
    positive[order[:lowest]] = ~negative[order[:lowest]]
    negative[order[highest:]] = ~positive[order[highest:]]
    return cut_between(W, positive, negative)


def vote_among_claims(W: Matrix, claims: NDArray[np.bool_], prior: Array) -> Array:
    """Probabilities from one-against-rest claims: vertices claimed once are settled, the others ask around.

    A vertex that several classes claim, or none, takes the weighted vote of its settled neighbors among the
    candidates; without a vote it gets the prior among them.
    """
    settled = claims.sum(axis=1) == 1
    F = np.where(settled[:, None], claims, 0.0)
    open_rows = np.flatnonzero(~settled)
    candidates = np.where(claims[open_rows].any(axis=1, keepdims=True), claims[open_rows], True)
    votes = np.asarray(W[open_rows] @ F) * candidates
    votes = np.where(votes.sum(axis=1, keepdims=True) > 0, votes, prior * candidates)
    F[open_rows] = votes / votes.sum(axis=1, keepdims=True)
    return F


def cut_weight(W: Matrix, states: NDArray[Any]) -> float:
    """Σ_{i<j} W_ij [x_i ≠ x_j]."""
    rows = np.repeat(np.arange(W.shape[0]), np.diff(W.indptr))
    return 0.5 * float(W.data[states[rows] != states[W.indices]].sum())


def expand(W: Matrix, labels: Labels, states: NDArray[np.int64], code: int) -> NDArray[np.int64]:
    """The best labeling in which any vertices change to one class: one alpha-expansion (Boykov et al. 2001).

    An edge between two states that both differ from α costs W unless both change: W/2 for each that stays, and W/2
    for separating them.
    """
    moving = np.flatnonzero(~labels.labeled & (states != code))
    held = np.setdiff1d(np.arange(len(states)), moving, assume_unique=True)
    to_all = W[moving]
    pairs = to_all[:, moving].tocoo()
    differ = states[moving][pairs.row] != states[moving][pairs.col]
    weights = np.where(differ, 0.5 * pairs.data, pairs.data)
    to_held = np.zeros((len(moving), len(labels.classes)))
    held_states = np.eye(len(labels.classes))[states[held]]
    to_held += np.asarray(to_all[:, held] @ held_states)
    stay = to_held.sum(axis=1) - to_held[np.arange(len(moving)), states[moving]]
    stay += np.bincount(pairs.row, weights=np.where(differ, 0.5 * pairs.data, 0.0), minlength=len(moving))
    change = to_held.sum(axis=1) - to_held[:, code]
    changed = minimum_cut(sp.csr_array((weights, (pairs.row, pairs.col)), shape=pairs.shape), stay, change)
    following = states.copy()
    following[moving[changed]] = code
    return following

"""Ties between labels, and what settles them (Nguyen, section 3.3.2)."""

from collections.abc import Callable

import numpy as np

from smatter.models.graphical._base import Array, GraphProblem


def _by_influence(problem: GraphProblem) -> Array:
    influence = problem.influence()
    total = influence.sum(axis=1, keepdims=True)
    shares = np.where(total > 0, influence / np.where(total > 0, total, 1.0), problem.prior)
    return np.asarray(
        np.round(shares, 6), dtype=np.float64
    )  # what only rounding tells apart is a tie, and goes to the first class


def _by_order(problem: GraphProblem) -> Array:
    return np.ones((problem.n, len(problem.prior)))


TIE_BREAKS: dict[str, Callable[[GraphProblem], Array]] = {"influence": _by_influence, "first": _by_order}


def posterior_of(scores: Array, influence: Array, tolerance: float) -> Array:
    """P ∝ exp(score), where tied best labels share their mass by influence, so that the largest share decides."""
    gap = scores - scores.max(axis=1, keepdims=True)
    tied = gap >= -tolerance
    mass = np.exp(gap)
    share = np.where(tied, influence, 0.0)
    total = share.sum(axis=1, keepdims=True)
    share = np.where(total > 0, share / np.where(total > 0, total, 1.0), tied / tied.sum(axis=1, keepdims=True))
    shared = np.where(tied, share * np.where(tied, mass, 0.0).sum(axis=1, keepdims=True), mass)
    return shared / shared.sum(axis=1, keepdims=True)


def put_first(posterior: Array, states: np.ndarray) -> Array:
    """Swap probabilities so that the decided state of each row has the largest."""
    rows, largest = np.arange(len(posterior)), posterior.argmax(axis=1)
    top, own = posterior[rows, largest], posterior[rows, states]
    swapped = posterior.copy()
    swapped[rows, largest], swapped[rows, states] = own, top
    return swapped

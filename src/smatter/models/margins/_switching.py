"""Labels of unlabeled rows under a fixed number of positives: the first guess, and switches that pay."""

import numpy as np

from smatter.models.margins._dual import DualSolver
from smatter.models.margins._newton import Solution
from smatter.models.margins._problem import BinaryProblem, Path, Signs
from smatter.models.margins._rows import Vector


def squared_slack(margin: Vector) -> Vector:
    """Return ℓ(t) = max(0, 1 − t)²."""
    return np.maximum(0.0, 1.0 - margin) ** 2


def label_by_rank(scores: Vector, n_positive: int) -> Signs:
    """Call the ``n_positive`` rows of the largest scores positive; of equal scores the first."""
    signs = np.full(len(scores), -1, dtype=np.int8)
    signs[np.argsort(-scores, kind="stable")[:n_positive]] = 1
    return signs


def switch_pairs(scores: Vector, signs: Signs, cost: Vector) -> Signs:
    """Switch labels of a positive and a negative row where that lowers the loss, the best gains paired first.

    Joachims' pairs, ξ_p > 0 and ξ_q > 0 with ξ_p + ξ_q > 2, always gain where the costs are equal; squared slacks gain
    from a few more. As the k-th best positive row is paired with the k-th best negative one, no gaining pair is left at
    these scores.
    """
    gain = cost * (squared_slack(signs * scores) - squared_slack(-signs * scores))
    positive, negative = np.flatnonzero(signs > 0), np.flatnonzero(signs < 0)
    positive = positive[np.argsort(-gain[positive], kind="stable")]
    negative = negative[np.argsort(-gain[negative], kind="stable")]
    n_pairs = min(len(positive), len(negative))
    together = gain[positive[:n_pairs]] + gain[negative[:n_pairs]]
    gaining = together > 1e-9 * cost.max()
    switched = signs.copy()
    switched[positive[:n_pairs][gaining]] = -1
    switched[negative[:n_pairs][gaining]] = 1
    return switched


def solve_and_switch(
    problem: BinaryProblem, solver: DualSolver, signs: Signs, cost: Vector, path: Path, tolerance: float
) -> tuple[Solution, Signs, bool]:
    """Solve for w and switch in turn until no pair gains or ``max_iter`` is reached; each turn lowers the objective.

    Below the gap to which w is solved for, a gain could be one of rounding: there the turns end as well.
    """
    before = np.inf
    while True:
        losses = problem.losses(np.where(signs > 0, cost, 0.0), np.where(signs < 0, cost, 0.0))
        solution = solver.solve(losses, tolerance=tolerance)
        path.add(solution.objective)
        switched = switch_pairs(solution.scores[problem.unlabeled], signs, cost)
        if (switched == signs).all() or before - solution.objective <= tolerance * solution.objective:
            return solution, signs, True
        before = solution.objective
        if len(path.objectives) >= problem.max_iter:
            return solution, signs, False
        signs = switched

"""Squared hinge losses alone, solved in the dual: the faster way where nothing is centered.

Hsieh, Chang, Lin, Keerthi & Sundararajan, A dual coordinate descent method for large-scale linear SVM, ICML 2008. A
row may cost as positive and as negative at once (annealing does that): it then has two dual variables. The sweeps stop
at the duality gap P(w) − D(α, β), asked for more finely until it is small enough; Newton steps finish what is left.
"""

import numpy as np

from smatter.models.margins._newton import Losses, Solution, minimize
from smatter.models.margins._rows import Rows, Vector

_MAX_SWEEPS = 1000
_SEED = 20030612


class DualSolver:
    """Solves one problem after the other on the same rows, each from the dual variables of the last."""

    def __init__(self, rows: Rows) -> None:
        from smatter.kernels.margin_dual import squared_norms

        self.rows = rows
        self.norms = np.empty(rows.n_rows)
        squared_norms(rows.arrays[0], rows.arrays[2], rows.intercept, self.norms)
        self.alpha, self.beta = np.zeros(rows.n_rows), np.zeros(rows.n_rows)
        self.weights = np.zeros(rows.n_weights)
        self._order = np.empty(rows.n_rows, dtype=np.int64)
        self._random_state = np.array([_SEED])

    def solve(self, losses: Losses, *, tolerance: float = 1e-6) -> Solution:
        """Minimize ½‖w‖² + losses until the duality gap is at most tolerance × objective.

        The gap is about the square of the largest violation of the sweeps (a hundredth of it on text): a good first
        guess at the violation that will do saves most rounds.
        """
        from smatter.kernels.margin_dual import dual_descent

        violation = min(0.1, 10.0 * float(np.sqrt(tolerance)))
        self._drop_freed(losses)
        report, sweeps = np.zeros(2), 0
        costs, duals = (losses.positive, losses.negative), (self.alpha, self.beta)
        while True:
            limits = (violation, float(_MAX_SWEEPS - sweeps))
            arrays = self.rows.arrays
            dual_descent(
                arrays, costs, duals, self.norms, self._order, limits, self._random_state, report, self.weights
            )
            sweeps += int(report[1])
            scores = self.rows.scores(self.weights)
            objective = 0.5 * float(self.weights @ self.weights) + float(losses.values(scores).sum())
            gap = objective - self._dual_objective(losses)
            if gap <= tolerance * objective:
                return Solution(self.weights.copy(), scores, objective, gap, True)
            if sweeps >= _MAX_SWEEPS or violation < 1e-12:
                return minimize(self.rows, losses, self.weights, tolerance=tolerance)
            violation = 0.2 * min(violation, report[0])

    def _drop_freed(self, losses: Losses) -> None:
        """Set the dual variables of losses that are gone to 0: theirs is no longer a feasible place."""
        freed_alpha = np.where(losses.positive == 0.0, self.alpha, 0.0)
        freed_beta = np.where(losses.negative == 0.0, self.beta, 0.0)
        if freed_alpha.any() or freed_beta.any():
            self.weights -= self.rows.combination(freed_alpha - freed_beta)
            self.alpha -= freed_alpha
            self.beta -= freed_beta

    def _dual_objective(self, losses: Losses) -> float:
        curved = _quadratic(self.alpha, losses.positive) + _quadratic(self.beta, losses.negative)
        return float(self.alpha.sum() + self.beta.sum() - curved - 0.5 * (self.weights @ self.weights))


def _quadratic(duals: Vector, cost: Vector) -> float:
    used = cost > 0.0
    return float((duals[used] ** 2 / (4.0 * cost[used])).sum())

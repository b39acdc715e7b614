"""The convex problem under every margin model here, solved in the primal by modified finite Newton steps.

    min_w  ½‖w‖² + Σ_i  positive_i ℓ(f_i) + negative_i ℓ(−f_i) + linear_i f_i,    ℓ(t) = max(0, 1 − t)²

Keerthi & DeCoste, A modified finite Newton method for fast solution of large scale linear SVMs, JMLR 6 (2005). The
loss is quadratic in pieces: each step solves the current piece by conjugate gradients over the rows inside the margin
alone, then goes to the exact minimum along the line. As ½‖w‖² is strongly convex with modulus 1 and the loss convex,
the objective is above its minimum by at most ½‖gradient‖², which for the squared hinge is the duality gap of the dual
variables read off from w: the stopping rule is that gap over the objective, and costs nothing.
"""

from dataclasses import dataclass

import numpy as np

from smatter.models.margins._rows import Rows, Vector

_MAX_CG = 500


@dataclass(frozen=True)
class Losses:
    """Weights of each row's loss as positive and as negative, its linear term, and the knee of ℓ (see the kernels)."""

    positive: Vector
    negative: Vector
    linear: Vector
    knee: Vector

    @property
    def arrays(self) -> tuple[Vector, Vector, Vector, Vector]:
        """What the kernels take."""
        return self.positive, self.negative, self.linear, self.knee

    def values(self, scores: Vector) -> Vector:
        """Return the loss of every row."""
        from smatter.kernels.margin_losses import loss_values

        out = np.empty(len(scores))
        loss_values(scores, *self.arrays, out)
        return out


@dataclass(frozen=True)
class Solution:
    """Weights, the scores of all rows, the objective, and the gap to the minimum that is left."""

    weights: Vector
    scores: Vector
    objective: float
    gap: float
    converged: bool


def squared_hinge(positive: Vector, negative: Vector) -> Losses:
    """Weighted squared hinge losses, as liblinear's L2-loss SVM has them."""
    return Losses(positive, negative, np.zeros(len(positive)), np.full(len(positive), np.inf))


def minimize(
    rows: Rows, losses: Losses, start: Vector | None = None, *, tolerance: float = 1e-6, max_iter: int = 100
) -> Solution:
    """Minimize ½‖w‖² + losses from ``start`` until the duality gap is at most tolerance × objective."""
    from smatter.kernels.margin_losses import exact_step, loss_derivatives
    from smatter.kernels.margin_rows import curvature_diagonal, newton_direction, row_products

    weights = np.zeros(rows.n_weights) if start is None else start.copy()
    scores = rows.scores(weights)
    slope, curvature, change = np.empty(rows.n_rows), np.empty(rows.n_rows), np.empty(rows.n_rows)
    diagonal, direction = np.empty(rows.n_weights), np.empty(rows.n_weights)
    work, step = np.empty((3, rows.n_weights)), np.empty(1)
    arrays = rows.arrays
    for iteration in range(max_iter + 1):
        loss_derivatives(scores, *losses.arrays, slope, curvature)
        gradient = weights + rows.combination(slope)
        objective = 0.5 * float(weights @ weights) + float(losses.values(scores).sum())
        gap = 0.5 * float(gradient @ gradient)
        converged = gap <= tolerance * abs(objective)
        if converged or iteration == max_iter:
            break
        curvature_diagonal(arrays, curvature, diagonal)
        # A hundredth of the gradient² is good enough for a step, and so is what is asked for in the end.
        target = max(0.02 * gap, 0.5 * tolerance * abs(objective))
        newton_direction(arrays, curvature, diagonal, gradient, work, target, _MAX_CG, direction)
        row_products(arrays, direction, change)
        along = np.array([float(weights @ direction), float(direction @ direction)])
        exact_step(scores, change, losses.arrays, along, step)
        weights += step[0] * direction
        scores += step[0] * change
    return Solution(weights, scores, objective, gap, bool(converged))

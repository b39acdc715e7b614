"""Smooth objectives ½‖w‖² + Σ_i loss_i(f(x_i)), convex or not, by limited-memory BFGS; it never goes up."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize as quasi_newton

from smatter.models.margins._newton import Solution
from smatter.models.margins._problem import BinaryProblem, Path
from smatter.models.margins._rows import Rows, Vector

SmoothLoss = Callable[[Vector], tuple[float, Vector]]  # scores → (sum of the losses, their derivatives)


def descend(rows: Rows, loss: SmoothLoss, start: Vector, path: Path, tol: float, max_iter: int) -> Solution:
    """Go down from ``start`` until ½‖gradient‖² is at most tol × objective, or for ``max_iter`` steps."""

    def value_and_gradient(weights: Vector) -> tuple[float, Vector]:
        total, slope = loss(rows.scores(weights))
        return 0.5 * float(weights @ weights) + total, weights + rows.combination(slope)

    gap = [0.0]

    def watch(intermediate_result: Any) -> None:
        path.add(intermediate_result.fun)
        _, gradient = value_and_gradient(intermediate_result.x)
        gap[0] = 0.5 * float(gradient @ gradient)
        if gap[0] <= tol * abs(intermediate_result.fun):
            raise StopIteration

    options = {"maxiter": max_iter, "ftol": 1e-3 * tol, "gtol": 1e-12, "maxcor": 10}
    found = quasi_newton(value_and_gradient, start, jac=True, method="L-BFGS-B", callback=watch, options=options)
    weights = np.asarray(found.x)
    converged = found.nit < max_iter
    return Solution(weights, rows.scores(weights), float(found.fun), gap[0], converged)


def balanced(problem: BinaryProblem) -> Rows:
    """Return the rows under (1/u) Σ f(x_j) = 2 r − 1, which for the labels' own share r is (1/l) Σ y_i."""
    mask = np.zeros(problem.rows.n_rows, dtype=bool)
    mask[problem.unlabeled] = True
    return problem.rows.balanced(mask, 2.0 * problem.positive_share - 1.0)


def labeled_part(problem: BinaryProblem, scores: Vector) -> tuple[float, Vector]:
    """Return Σ C max(0, 1 − y f)² over the labeled rows and its derivatives."""
    signs = problem.signs
    slack = np.where(signs == 0, 0.0, np.maximum(0.0, 1.0 - signs * scores))
    return float(problem.cost @ (slack * slack)), -2.0 * problem.cost * signs * slack

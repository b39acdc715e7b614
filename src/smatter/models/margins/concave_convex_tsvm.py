"""The transductive support vector machine by the concave-convex procedure, with ramp losses on the unlabeled rows."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smatter.models.margins._base import MARGIN_RULES, MarginClassifier
from smatter.models.margins._newton import Losses, minimize
from smatter.models.margins._problem import BinaryProblem, BinarySolution, Path, finish
from smatter.models.margins._rows import Vector
from smatter.models.margins._smooth import balanced, labeled_part
from smatter.validation import Number, Rules

KNEE = 0.1  # the hinge is rounded over this much slack


class ConcaveConvexTSVM(MarginClassifier):
    """Transductive support vector machine by the concave-convex procedure.

    An unlabeled row costs the ramp R_s(t) = H₁(t) − H_s(t), H_a(t) = max(0, a − t), under either label:

        ½‖w‖² + C Σ max(0, 1 − y_i f(x_i))² + C* Σ [ R_s(f(x_j)) + R_s(−f(x_j)) ]

    with (1/u) Σ f(x_j) = 2 r − 1. −H_s is concave; replaced by its tangent at the present scores it adds the linear
    terms ± C* f(x_j) for scores beyond ∓s, and what is left is a support vector machine. Repeated, this never raises
    the objective. The hinges of the unlabeled rows are rounded over a tenth of a unit, so that Newton steps solve it;
    the labeled rows have squared hinges, as elsewhere in the family.

    Parameters
    ----------
    C, C_unlabeled : float, None or "cv", default 10.0 and None
        Costs of a labeled and of an unlabeled row; None lets all unlabeled rows weigh as much as all labeled ones.
    class_ratio, ratio_strength : None, "uniform" or array; float, default None and inf
        Share of each class among the unlabeled rows, and how many labeled rows it is worth as a prior.
    kernel : "linear", "rbf" or callable, default "linear"
        Linear machines work on X alone; a kernel is for a few thousand rows.
    calibrate : bool, default True
        Fit the temperature of ``predict_proba`` on cross-validated scores of the labeled rows.
    tol, max_iter, n_jobs : float, int, int or None, default 1e-4, 500 and None
        Relative duality gap of a convex problem, the most such problems, and threads over the classes.
    ramp : float, default −0.3
        s, where the ramp ends: above −1 and at most 0. Nearer to 0, more unlabeled rows are taken to be decided.

    References
    ----------
    Collobert, Sinz, Weston & Bottou, Large scale transductive SVMs, JMLR 7 (2006).

    Examples
    --------
    >>> X = [[3.0, 0.2], [2.5, 0.4], [2.0, 0.1], [0.2, 3.0], [0.3, 2.2], [0.1, 2.4]]
    >>> ConcaveConvexTSVM().fit(X, ["a", None, None, "b", None, None]).transduction_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']

    """

    rules: ClassVar[Rules] = {**MARGIN_RULES, "ramp": Number(-1, 0, above=True)}

    def __init__(
        self,
        C: float | str = 10.0,
        *,
        C_unlabeled: float | str | None = None,
        class_ratio: ArrayLike | str | None = None,
        ratio_strength: float = np.inf,
        kernel: str | Callable[[Any, Any], NDArray[np.float64]] = "linear",
        calibrate: bool = True,
        ramp: float = -0.3,
        tol: float = 1e-4,
        max_iter: int = 500,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            C,
            C_unlabeled=C_unlabeled,
            class_ratio=class_ratio,
            ratio_strength=ratio_strength,
            kernel=kernel,
            calibrate=calibrate,
            tol=tol,
            max_iter=max_iter,
            n_jobs=n_jobs,
        )
        self.ramp = ramp

    def _solve(self, problem: BinaryProblem) -> BinarySolution:
        path, rows, unlabeled = Path(problem.reports_as), balanced(problem), problem.unlabeled
        cost, before = problem.cost[unlabeled], np.inf
        solution = minimize(rows, problem.losses(0.0 * cost, 0.0 * cost), tolerance=problem.tol)
        while True:
            objective = self._objective(problem, solution.weights, solution.scores)
            path.add(objective)
            if before - objective <= problem.tol * abs(objective) or len(path.objectives) >= problem.max_iter:
                break
            before = objective
            linear = np.zeros(rows.n_rows)
            linear[unlabeled] = cost * (
                tangent(solution.scores[unlabeled], self.ramp) - tangent(-solution.scores[unlabeled], self.ramp)
            )
            hinge = problem.losses(cost / (2.0 * KNEE), cost / (2.0 * KNEE))
            knee = np.where(problem.signs == 0, KNEE, np.inf)
            losses = Losses(hinge.positive, hinge.negative, linear, knee)
            solution = minimize(rows, losses, solution.weights, tolerance=0.1 * problem.tol)
        converged = before - objective <= problem.tol * abs(objective)
        return finish(rows, solution, path, "" if converged else f"raise max_iter={problem.max_iter}")

    def _objective(self, problem: BinaryProblem, weights: Vector, scores: Vector) -> float:
        labeled, _ = labeled_part(problem, scores)
        f = scores[problem.unlabeled]
        ramps = round_hinge(1.0 - f) - round_hinge(self.ramp - f) + round_hinge(1.0 + f) - round_hinge(self.ramp + f)
        return 0.5 * float(weights @ weights) + labeled + float(problem.cost[problem.unlabeled] @ ramps)


def round_hinge(slack: Vector) -> Vector:
    """Return max(0, slack), rounded between 0 and the knee."""
    bent = np.clip(slack, 0.0, KNEE)
    return bent * (2.0 * np.maximum(slack, 0.0) - bent) / (2.0 * KNEE)


def tangent(scores: Vector, ramp: float) -> Vector:
    """Return −H_s'(f): 1 where the score is below the ramp's end, 0 above it."""
    return np.clip((ramp - scores) / KNEE, 0.0, 1.0)

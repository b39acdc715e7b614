"""The transductive support vector machine by gradient descent on a smooth loss of the unlabeled rows."""

import numpy as np

from smatter.models.margins._base import MarginClassifier
from smatter.models.margins._problem import BinaryProblem, BinarySolution, Path, finish
from smatter.models.margins._rows import Vector
from smatter.models.margins._smooth import balanced, descend, labeled_part

_SHARPNESS = 3.0
_STAGES = 10


class GradientTSVM(MarginClassifier):
    """∇TSVM: the transductive objective with a smooth loss, by gradient descent.

    Minimizes (K eq. 2.3, with the unlabeled loss set right: K prints max(3t²))

        ½‖w‖² + C Σ max(0, 1 − y_i f(x_i))² + C* Σ exp(−3 f(x_j)²)

    under the balance constraint (1/u) Σ f(x_j) = 2 r − 1, r the share of positives, which is met by centering the rows
    on the unlabeled mean (never carried out: they stay sparse). C* doubles ten times up to its value; the weights that
    one value ends with are where the next one starts.

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

    References
    ----------
    Chapelle & Zien, Semi-supervised classification by low density separation, AISTATS 2005.

    Examples
    --------
    >>> X = [[3.0, 0.2], [2.5, 0.4], [2.0, 0.1], [0.2, 3.0], [0.3, 2.2], [0.1, 2.4]]
    >>> GradientTSVM().fit(X, ["a", None, None, "b", None, None]).transduction_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']

    """

    def _solve(self, problem: BinaryProblem) -> BinarySolution:
        path, rows = Path(problem.reports_as), balanced(problem)
        weights, converged = np.zeros(rows.n_weights), True
        for stage in range(_STAGES + 1):
            share = 0.0 if stage == 0 else 2.0 ** (stage - _STAGES)

            def loss(scores: Vector, share: float = share) -> tuple[float, Vector]:
                total, slope = labeled_part(problem, scores)
                bell, bell_slope = bells(scores[problem.unlabeled])
                cost = share * problem.cost[problem.unlabeled]
                slope[problem.unlabeled] = cost * bell_slope
                return total + float(cost @ bell), slope

            path.stage = stage
            solution = descend(rows, loss, weights, path, problem.tol, problem.max_iter)
            weights, converged = solution.weights, converged and solution.converged
        return finish(rows, solution, path, "" if converged else f"raise max_iter={problem.max_iter}")


def bells(scores: Vector) -> tuple[Vector, Vector]:
    """Return exp(−3t²) and its derivative."""
    bell = np.exp(-_SHARPNESS * scores * scores)
    return bell, -2.0 * _SHARPNESS * scores * bell

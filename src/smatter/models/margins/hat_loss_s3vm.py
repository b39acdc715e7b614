"""The semi-supervised support vector machine with the hat loss and the balance constraint."""

import numpy as np

from smatter.models.margins._base import MarginClassifier
from smatter.models.margins._newton import Losses, minimize
from smatter.models.margins._problem import BinaryProblem, BinarySolution, Path, finish
from smatter.models.margins._smooth import balanced

_KNEE = 0.1  # the hinge is rounded over this much slack
_START, _GROWTH = 0.01, 2.0


class HatLossS3VM(MarginClassifier):
    """Semi-supervised support vector machine with the hat loss.

    Minimizes, under the balance constraint (1/u) Σ f(x_j) = 2 r − 1 (r from the labels makes it (1/l) Σ y_i),

        ½‖w‖² + C Σ max(0, 1 − y_i f(x_i))² + C* Σ max(0, 1 − |f(x_j)|).

    The hat is the smaller of two hinges, H(f) and H(−f): with each unlabeled row on the side that it is on, the problem
    is convex, and taking sides and solving in turn never raises the objective. C* doubles from a hundredth of its
    value. Against :class:`TransductiveSVM` the number of positives is free and the mean score is fixed. The hat's
    edges are rounded over a tenth of a unit, so that Newton steps solve it.

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
    Bennett & Demiriz, Semi-supervised support vector machines, NIPS 1998; the balance constraint from Chapelle & Zien,
    AISTATS 2005.

    Examples
    --------
    >>> X = [[3.0, 0.2], [2.5, 0.4], [2.0, 0.1], [0.2, 3.0], [0.3, 2.2], [0.1, 2.4]]
    >>> HatLossS3VM().fit(X, ["a", None, None, "b", None, None]).transduction_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']

    """

    def _solve(self, problem: BinaryProblem) -> BinarySolution:
        path, rows, unlabeled = Path(problem.reports_as), balanced(problem), problem.unlabeled
        full = problem.cost[unlabeled] / (2.0 * _KNEE)
        knee, nothing = np.where(problem.signs == 0, _KNEE, np.inf), np.zeros(rows.n_rows)
        solution = minimize(rows, problem.losses(0.0 * full, 0.0 * full), tolerance=problem.tol)
        share, converged = _START, True
        while converged:
            while True:
                positive = solution.scores[unlabeled] > 0.0
                sides = problem.losses(share * full * positive, share * full * ~positive)
                losses = Losses(sides.positive, sides.negative, nothing, knee)
                solution = minimize(rows, losses, solution.weights, tolerance=problem.tol)
                path.add(solution.objective)
                if ((solution.scores[unlabeled] > 0.0) == positive).all():
                    break
                if len(path.objectives) >= problem.max_iter:
                    converged = False
                    break
            if share >= 1.0:
                break
            share, path.stage = min(_GROWTH * share, 1.0), path.stage + 1
        return finish(rows, solution, path, "" if converged else f"raise max_iter={problem.max_iter}")

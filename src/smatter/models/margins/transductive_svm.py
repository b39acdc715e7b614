"""The transductive support vector machine of Joachims: label, weigh the labels more and more, switch pairs."""

from smatter.models.margins._base import MarginClassifier
from smatter.models.margins._dual import DualSolver
from smatter.models.margins._problem import BinaryProblem, BinarySolution, Path, finish
from smatter.models.margins._switching import label_by_rank, solve_and_switch

_START, _GROWTH = 0.01, 2.0
_COARSE = 1e-3  # relative duality gap before C* has its full value


class TransductiveSVM(MarginClassifier):
    """Transductive support vector machine with many switches at once.

    Minimizes over the labels y* of the unlabeled rows, whose share of positives is fixed, and over w (K eq. 2.1, with
    squared slacks)

        ½‖w‖² + C Σ ξ_i² + C* Σ ξ_j*²,     ξ = max(0, 1 − y (w · x + b)),

    the bias being the weight of a constant feature as in ``LinearSVC``. C* grows from a small number to its value,
    doubling; at each value positive rows p and negative rows q change labels in pairs while that lowers the objective.
    Ranked by what each gains, all gaining pairs switch before w is solved for again.

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
    Joachims, Transductive inference for text classification using support vector machines, ICML 1999 (K algorithm 1).
    Sindhwani & Keerthi, Large scale semi-supervised linear SVMs, SIGIR 2006, for the switching of many pairs.

    Examples
    --------
    >>> X = [[3.0, 0.2], [2.5, 0.4], [2.0, 0.1], [0.2, 3.0], [0.3, 2.2], [0.1, 2.4]]
    >>> TransductiveSVM().fit(X, ["a", None, None, "b", None, None]).transduction_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']

    """

    def _solve(self, problem: BinaryProblem) -> BinarySolution:
        path, solver = Path(problem.reports_as), DualSolver(problem.rows)
        solution = problem.supervised(solver)
        signs = label_by_rank(solution.scores[problem.unlabeled], problem.n_positive)
        full = problem.cost[problem.unlabeled]
        share = _START
        while True:
            tolerance = problem.tol if share >= 1.0 else max(problem.tol, _COARSE)
            solution, signs, converged = solve_and_switch(problem, solver, signs, share * full, path, tolerance)
            if share >= 1.0 or not converged:
                break
            share, path.stage = min(_GROWTH * share, 1.0), path.stage + 1
        return finish(problem.rows, solution, path, "" if converged else f"raise max_iter={problem.max_iter}")

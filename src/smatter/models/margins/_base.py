"""What the semi-supervised support vector machines share: one class against the rest, the class ratio, calibration."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from smatter.errors import NotConvergedWarning
from smatter.labels import UNLABELED, Codes, Labels
from smatter.models.base import SemiSupervisedClassifier, warn_of_empty_rows
from smatter.models.margins._calibration import two_columns
from smatter.models.margins._class_ratio import resolve_class_ratio
from smatter.models.margins._dual import DualSolver
from smatter.models.margins._features import fit_features
from smatter.models.margins._problem import BinaryProblem, BinarySolution, Path, finish
from smatter.models.margins._rows import Rows, Vector, as_rows
from smatter.models.margins._tuning import Costs, choose_costs, choose_temperature
from smatter.progress import Progress, report
from smatter.validation import ARRAY, TRUTH, Instance, Matrix, Number, OneOf, Rules, check_matrix, empty_rows

COST = (Number(0, above=True), OneOf("cv"))
MARGIN_RULES: Rules = {
    "C": COST,
    "C_unlabeled": (Number(0), OneOf(None, "cv")),
    "class_ratio": (OneOf(None, "uniform"), ARRAY),
    "ratio_strength": Number(0),
    "kernel": (OneOf("linear", "rbf"), Instance((Callable,), "a function of two matrices")),  # type: ignore[arg-type]
    "calibrate": TRUTH,
    "tol": Number(0, above=True),
    "max_iter": Number(1, whole=True),
    "n_jobs": (OneOf(None), Number(-1024, 1024, whole=True)),
}


class MarginClassifier(SemiSupervisedClassifier):
    """Base of the family; a subclass writes ``_solve`` for one class against the rest.

    Parameters
    ----------
    C : float or "cv", default 10.0
        Cost of the squared slack of a labeled row, as in ``LinearSVC``; "cv" chooses it by cross-validation on the
        labeled rows.
    C_unlabeled : float, None or "cv", default None
        Cost C* of an unlabeled row. None makes all unlabeled rows together weigh as much as the labeled ones: C · l/u.
        0 is the supervised machine.
    class_ratio : None, "uniform" or array of shape (n_classes,), default None
        Share of each class among the unlabeled rows: estimated from the labels (None), uniform, or given.
    ratio_strength : float, default inf
        How many labeled rows the given ratio is worth as a prior; inf takes it as it is.
    kernel : "linear", "rbf" or callable, default "linear"
        Linear machines work on X alone. A kernel (for a few thousand rows) is "rbf" with scikit-learn's "scale" rule,
        or a function of two matrices.
    calibrate : bool, default True
        Fit the temperature of ``predict_proba`` on cross-validated scores of the labeled rows; else it is 1.
    tol : float, default 1e-4
        Duality gap, relative to the objective, at which a convex problem counts as solved.
    max_iter : int, default 500
        The most convex problems that one class against the rest may take.
    n_jobs : int or None, default None
        Threads over the classes; the answer does not depend on it.

    """

    rules: ClassVar[Rules] = MARGIN_RULES
    sklearn_exceptions: ClassVar[dict[str, str]] = {
        f"check_sample_weight_equivalence_on_{kind}_data": "the folds that calibrate predict_proba deal out rows, not "
        "weights; uncalibrated scores are equivalent within tol"
        for kind in ("dense", "sparse")
    }

    def __init__(
        self,
        C: float | str = 10.0,
        *,
        C_unlabeled: float | str | None = None,
        class_ratio: ArrayLike | str | None = None,
        ratio_strength: float = np.inf,
        kernel: str | Callable[[Any, Any], NDArray[np.float64]] = "linear",
        calibrate: bool = True,
        tol: float = 1e-4,
        max_iter: int = 500,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.C_unlabeled = C_unlabeled
        self.class_ratio = class_ratio
        self.ratio_strength = ratio_strength
        self.kernel = kernel
        self.calibrate = calibrate
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to labeled and unlabeled rows; a weight multiplies the cost of its row."""
        X, labels, weights = self._open_fit(X, y, sample_weight)
        self.class_ratio_ = resolve_class_ratio(self.class_ratio, self.ratio_strength, labels, weights)
        self._features = fit_features(self.kernel, X)
        rows = as_rows(self._features(X))
        with threadpool_limits(1, "blas"):  # vectors are short here: threads inside of BLAS only wait for each other
            costs = choose_costs(self, rows, labels, weights)
            solutions = self._solve_classes(rows, labels, weights, costs)
            self._remember(solutions)
            self.temperature_ = choose_temperature(self, rows, labels, weights, costs) if self.calibrate else 1.0
        self.C_, self.C_unlabeled_ = costs.labeled, costs.unlabeled
        self._warn_of_limits(solutions)
        return self._close_fit(self._posterior(X), self.objective_.tolist())

    def _solve(self, problem: BinaryProblem) -> BinarySolution:
        """Solve one class against the rest with unlabeled rows; what a subclass writes."""
        raise NotImplementedError

    def _solve_classes(
        self, rows: Rows, labels: Labels, weights: Vector, costs: Costs, *, quiet: bool = False
    ) -> list[BinarySolution]:
        """Solve every class against the rest; two classes are one problem. ``quiet`` reports no progress."""
        positives = [1] if len(labels.classes) == 2 else list(range(len(labels.classes)))
        rows.arrays  # noqa: B018  made once here, not once a thread
        if len(positives) == 1:
            problem = self._problem(rows, labels.codes, 1, weights, costs)
            return [self._solve_one(problem if quiet else replace(problem, reports_as=type(self).__name__))]
        problems = (self._problem(rows, labels.codes, positive, weights, costs) for positive in positives)
        solutions = []
        parallel = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
        for solution in parallel(delayed(self._solve_one)(problem) for problem in problems):
            solutions.append(solution)
            if not quiet:
                report(Progress(type(self).__name__, len(solutions), len(positives), solution.path.objectives[-1]))
        return solutions

    def _problem(self, rows: Rows, codes: Codes, positive: int, weights: Vector, costs: Costs) -> BinaryProblem:
        signs = np.where(codes == positive, 1, np.where(codes == UNLABELED, 0, -1)).astype(np.int8)
        cost = weights * np.where(signs == 0, costs.unlabeled, costs.labeled)
        share = float(self.class_ratio_[positive])
        return BinaryProblem(rows, signs, cost, share, float(self.tol), int(self.max_iter))

    def _solve_one(self, problem: BinaryProblem) -> BinarySolution:
        if len(problem.unlabeled) > 1:
            return self._solve(problem)
        path, solution = Path(problem.reports_as), problem.supervised(DualSolver(problem.rows))
        path.add(solution.objective)
        return finish(problem.rows, solution, path)

    def _remember(self, solutions: list[BinarySolution]) -> None:
        self._weights = np.vstack([solution.weights for solution in solutions])
        self.intercept_ = np.array([solution.bias for solution in solutions])
        if self.kernel == "linear":
            self.coef_ = self._weights
        self.paths_ = [solution.path for solution in solutions]
        longest = max(len(path.objectives) for path in self.paths_)
        padded = [path.objectives + path.objectives[-1:] * (longest - len(path.objectives)) for path in self.paths_]
        self.objective_ = np.sum(padded, axis=0)

    def _warn_of_limits(self, solutions: list[BinarySolution]) -> None:
        remedies = [solution.remedy for solution in solutions if solution.remedy]
        if remedies:
            warnings.warn(
                f"{type(self).__name__} stopped before it converged in {len(remedies)} of {len(solutions)} problems; "
                f"the best solution found is kept: {remedies[0]}.",
                NotConvergedWarning,
                stacklevel=3,
            )

    def _scores(self, X: Matrix) -> NDArray[np.float64]:
        """Return f_k(x); a row of zeros under a linear kernel says nothing: its scores give the class ratio."""
        scores = np.asarray(self._features(X) @ self._weights.T) + self.intercept_
        if self.kernel == "linear":
            blank, log_ratio = empty_rows(X), np.log(self.class_ratio_)
            prior = log_ratio if scores.shape[1] > 1 else log_ratio[1:] - log_ratio[0]
            scores[blank] = getattr(self, "temperature_", 1.0) * prior
        return scores.ravel() if scores.shape[1] == 1 else scores

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x), positive for ``classes_[1]``; for more than two classes one column f_k(x) a class."""
        check_is_fitted(self)
        X = check_matrix(self, X, reset=False, nonnegative=self.nonnegative)
        warn_of_empty_rows(X)
        return self._scores(X)

    def _posterior(self, X: Matrix) -> NDArray[np.float64]:
        return np.asarray(softmax(two_columns(self._scores(X)) / self.temperature_, axis=1))

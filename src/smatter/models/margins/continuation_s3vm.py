"""The semi-supervised support vector machine by continuation: a blurred objective comes into focus."""

import numpy as np
from scipy.stats import norm

from smatter.models.margins._base import MarginClassifier
from smatter.models.margins._problem import BinaryProblem, BinarySolution, Path, finish
from smatter.models.margins._rows import Rows, Vector
from smatter.models.margins._smooth import balanced, descend

_SHARPNESS = 3.0
_FOCUSING, _SHARP = 2.0, 0.02
_POWER_STEPS = 30


class ContinuationS3VM(MarginClassifier):
    """Semi-supervised support vector machine by continuation.

    The objective of :class:`GradientTSVM`, balance constraint and all, convolved with a Gaussian of variance γ in w. A
    score then has the variance s_i² = γ‖x_i‖², and both losses stay in closed form:

        unlabeled    (1 + 6 s²)^−½ exp(−3 f² / (1 + 6 s²))
        labeled      (m² + s²) Φ(m/s) + m s φ(m/s),     m = 1 − y f

    γ starts where the blurred objective is about convex, (1 + 6 γ q)^{3/2} = 6 C* λ_max(Σ x_j x_jᵀ) with q the mean of
    ‖x_j‖², and halves until the blur no longer matters; the minimum is followed on the way.

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
    Chapelle, Chi & Zien, A continuation method for semi-supervised SVMs, ICML 2006.

    Examples
    --------
    >>> X = [[3.0, 0.2], [2.5, 0.4], [2.0, 0.1], [0.2, 3.0], [0.3, 2.2], [0.1, 2.4]]
    >>> ContinuationS3VM().fit(X, ["a", None, None, "b", None, None]).transduction_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']

    """

    def _solve(self, problem: BinaryProblem) -> BinarySolution:
        path, rows = Path(problem.reports_as), balanced(problem)
        norms = squared_lengths(rows)
        weights, converged = np.zeros(rows.n_weights), True
        for stage, blur in enumerate(blurs(problem, rows, norms)):
            variance = blur * norms

            def loss(scores: Vector, variance: Vector = variance) -> tuple[float, Vector]:
                values, slopes = blurred_hinge(1.0 - problem.signs * scores, variance)
                slopes *= -problem.signs
                values[problem.unlabeled], slopes[problem.unlabeled] = blurred_bell(
                    scores[problem.unlabeled], variance[problem.unlabeled]
                )
                return float(problem.cost @ values), problem.cost * slopes

            path.stage = stage
            solution = descend(rows, loss, weights, path, problem.tol, problem.max_iter)
            weights, converged = solution.weights, converged and solution.converged
        return finish(rows, solution, path, "" if converged else f"raise max_iter={problem.max_iter}")


def blurs(problem: BinaryProblem, rows: Rows, norms: Vector) -> list[float]:
    """Return the variances γ to go through, from the convex one to 0."""
    mean = float(norms[problem.unlabeled].mean())
    curvature = 2.0 * _SHARPNESS * float(problem.cost[problem.unlabeled].max()) * largest_eigenvalue(problem, rows)
    needed = (curvature ** (2.0 / 3.0) - 1.0) / (2.0 * _SHARPNESS)  # of γ q
    steps = []
    while needed > _SHARP and mean > 0.0:
        steps.append(needed / mean)
        needed /= _FOCUSING
    return [*steps, 0.0]


def largest_eigenvalue(problem: BinaryProblem, rows: Rows) -> float:
    """Return λ_max of Σ x_j x_jᵀ over the unlabeled rows, by power iteration."""
    from smatter.kernels.margin_rows import row_products

    vector, product, length = np.ones(rows.n_weights), np.zeros(rows.n_rows), 0.0
    unlabeled = np.zeros(rows.n_rows)
    unlabeled[problem.unlabeled] = 1.0
    for _ in range(_POWER_STEPS):
        row_products(rows.arrays, vector / max(float(np.linalg.norm(vector)), 1e-300), product)
        vector = rows.combination(product * unlabeled)
        length = float(np.linalg.norm(vector))
    return length


def squared_lengths(rows: Rows) -> Vector:
    """Return ‖x_i − mean‖², without making the difference."""
    matrix = rows.matrix
    own = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
    return np.maximum(own - 2.0 * (matrix @ rows.mean) + float(rows.mean @ rows.mean), 0.0)


def blurred_bell(scores: Vector, variance: Vector) -> tuple[Vector, Vector]:
    """Return E exp(−3 (f + sξ)²) for ξ normal, and its derivative in f."""
    width = 1.0 + 2.0 * _SHARPNESS * variance
    bell = np.exp(-_SHARPNESS * scores * scores / width) / np.sqrt(width)
    return bell, -2.0 * _SHARPNESS * scores / width * bell


def blurred_hinge(slack: Vector, variance: Vector) -> tuple[Vector, Vector]:
    """Return E max(0, m + sξ)² for ξ normal, and its derivative in m; rows of no variance have the plain one."""
    deviation = np.sqrt(variance)
    standardized = slack / np.where(deviation > 0.0, deviation, 1.0)
    inside = np.where(deviation > 0.0, norm.cdf(standardized), slack > 0.0)
    edge = np.where(deviation > 0.0, deviation * norm.pdf(standardized), 0.0)
    return (slack * slack + variance) * inside + slack * edge, 2.0 * (slack * inside + edge)

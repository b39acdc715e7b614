"""What the two logistic models share: the softmax, its regularized fit, and the prior of a row without words."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize as quasi_newton
from scipy.special import log_softmax, softmax
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from smatter.errors import NotConvergedWarning
from smatter.labels import Labels
from smatter.models.base import SemiSupervisedClassifier, warn_of_empty_rows
from smatter.models.margins._rows import Vector
from smatter.validation import Matrix, check_matrix, empty_rows

Scores = NDArray[np.float64]
ScoreLoss = Callable[[Scores], tuple[float, Scores]]  # n × K scores → (sum of the losses, their derivatives)
Coefficients = NDArray[np.float64]  # (d + 1) × K, or × 1 for two classes; the bias is the last row


def scores_of(X: Matrix, coefficients: Coefficients) -> Scores:
    """Return X W + b with one column a class; of two classes the first has the score 0."""
    scores = np.asarray(X @ coefficients[:-1]) + coefficients[-1]
    return np.column_stack([np.zeros(len(scores)), scores]) if scores.shape[1] == 1 else scores


def fit_softmax(
    X: Matrix, loss: ScoreLoss, start: Coefficients, tol: float, max_iter: int
) -> tuple[Coefficients, list[float], bool]:
    """Minimize ½‖W‖² + loss(X W + b), b free, by limited-memory BFGS: (coefficients, objective a step, converged).

    It ends where no entry of the gradient is beyond tol, as scikit-learn's ``LogisticRegression`` does.
    """
    shape, first = start.shape, 1 if start.shape[1] == 1 else 0
    path: list[float] = []

    def value_and_gradient(flat: Vector) -> tuple[float, Vector]:
        coefficients = flat.reshape(shape)
        total, slopes = loss(scores_of(X, coefficients))
        slopes = slopes[:, first:]
        gradient = np.vstack([coefficients[:-1] + X.T @ slopes, slopes.sum(axis=0)])
        return 0.5 * float((coefficients[:-1] ** 2).sum()) + total, gradient.ravel()

    def watch(intermediate_result: Any) -> None:
        path.append(float(intermediate_result.fun))

    options = {"maxiter": max_iter, "gtol": tol, "ftol": 1e-14}
    with threadpool_limits(1, "blas"):  # vectors are short here: threads inside of BLAS only wait for each other
        found = quasi_newton(
            value_and_gradient, start.ravel(), jac=True, method="L-BFGS-B", callback=watch, options=options
        )
    return found.x.reshape(shape), path or [float(found.fun)], bool(found.nit < max_iter)


def labeled_loss(scores: Scores, targets: Scores, cost: Vector) -> tuple[float, Scores]:
    """Return −Σ cost_i log P(y_i | x_i) and its derivatives; rows of zeros in the targets cost nothing."""
    log_p = log_softmax(scores, axis=1)
    used = cost[:, np.newaxis] * targets
    return -float((used * log_p).sum()), used.sum(axis=1, keepdims=True) * np.exp(log_p) - used


class LogisticModel(SemiSupervisedClassifier):
    """Base of the models with P(k | x) = softmax_k(w_k · x + b_k)."""

    max_iter: int

    def _start(self, X: Matrix, labels: Labels, weights: Vector) -> Coefficients:
        """Return coefficients of 0, and remember the share of each class among the labels."""
        counts = np.maximum(weights @ labels.one_hot(), 1e-12)  # a class of weight 0 is still a class
        self.class_ratio_ = counts / counts.sum()
        return np.zeros((X.shape[1] + 1, 1 if len(labels.classes) == 2 else len(labels.classes)))

    def _remember(self, coefficients: Coefficients, *, converged: bool) -> None:
        self.coef_, self.intercept_ = coefficients[:-1].T, coefficients[-1]
        if not converged:
            warnings.warn(
                f"{type(self).__name__} stopped before it converged, and keeps the best solution found: raise "
                f"max_iter={self.max_iter}.",
                NotConvergedWarning,
                stacklevel=3,
            )

    def _scores(self, X: Matrix) -> Scores:
        scores = scores_of(X, np.vstack([self.coef_.T, self.intercept_]))
        log_ratio = np.log(self.class_ratio_)
        scores[empty_rows(X)] = log_ratio - log_ratio[0]
        return scores

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return w · x + b, positive for ``classes_[1]``; for more than two classes one column a class."""
        check_is_fitted(self)
        X = check_matrix(self, X, reset=False, nonnegative=self.nonnegative)
        warn_of_empty_rows(X)
        scores = self._scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def _posterior(self, X: Matrix) -> NDArray[np.float64]:
        return np.asarray(softmax(self._scores(X), axis=1))

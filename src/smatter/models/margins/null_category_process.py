"""A binary Gaussian process that keeps its decision boundary out of the data: the null-category noise model."""

import warnings
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr
from sklearn.metrics.pairwise import linear_kernel
from threadpoolctl import threadpool_limits

from smatter.errors import InputError, LabelError, NotConvergedWarning
from smatter.models.base import SemiSupervisedClassifier
from smatter.models.margins._features import RadialBasis, scale_width
from smatter.models.margins._null_category import Evidence, Posterior, propagate
from smatter.progress import Progress, report
from smatter.validation import Instance, Matrix, Number, OneOf, Rules

MAX_ROWS = 3000
_WIDTHS = (0.25, 1.0, 4.0, 16.0)
_AMPLITUDES = (1.0, 4.0, 16.0)


class NullCategoryProcess(SemiSupervisedClassifier):
    """Gaussian process classification with a null category between the two classes.

    f has a Gaussian process prior with covariance amplitude · k(x, x') + 1, and a row is of one of three categories,

        P(−) = Φ(−(f + ½)/σ),    P(null) = the rest,    P(+) = Φ((f − ½)/σ),

    where no row is ever observed in the null one. That a row is there without a label is thus evidence too: f is beyond
    ±½. The posterior is found by expectation propagation, and width and amplitude of the kernel are those of the
    largest evidence among a few. Two classes only; cubic in the number of rows, so at most 3000.

    Parameters
    ----------
    kernel : "rbf", "linear" or callable, default "rbf"
        Covariance, up to the amplitude; a function of two matrices stays as it is.
    amplitude : float or None, default None
        Variance of f; None chooses 1, 4 or 16 by the evidence.
    noise : float, default 0.01
        σ².
    tol : float, default 1e-3
        Largest move of a site at which expectation propagation ends.
    max_iter : int, default 100
        The most sweeps.

    References
    ----------
    Lawrence & Jordan, Semi-supervised learning via Gaussian processes, NIPS 2004; Rasmussen & Williams 2006, section
    3.6, for expectation propagation.

    Examples
    --------
    >>> X = [[3.0, 0.2], [2.5, 0.4], [2.0, 0.1], [0.2, 3.0], [0.3, 2.2], [0.1, 2.4]]
    >>> NullCategoryProcess().fit(X, ["a", None, None, "b", None, None]).transduction_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']

    """

    rules: ClassVar[Rules] = {
        "kernel": (OneOf("rbf", "linear"), Instance((Callable,), "a function of two matrices")),  # type: ignore[arg-type]
        "amplitude": (OneOf(None), Number(0, above=True)),
        "noise": Number(0, above=True),
        "tol": Number(0, above=True),
        "max_iter": Number(1, whole=True),
    }
    empty_rows_are_blank: ClassVar[bool] = False  # a Gaussian process takes the origin for a place like any other

    def __init__(
        self,
        *,
        kernel: str | Callable[[Any, Any], NDArray[np.float64]] = "rbf",
        amplitude: float | None = None,
        noise: float = 0.01,
        tol: float = 1e-3,
        max_iter: int = 100,
    ) -> None:
        self.kernel = kernel
        self.amplitude = amplitude
        self.noise = noise
        self.tol = tol
        self.max_iter = max_iter

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit to labeled and unlabeled rows of two classes."""
        X, labels, _ = self._open_fit(X, y)
        if len(labels.classes) > 2:
            raise LabelError(
                "Only binary classification is supported. The type of the target is multiclass: y has "
                f"{len(labels.classes)} classes. Keep two, or wrap the model in OneVsRestClassifier."
            )
        if X.shape[0] > MAX_ROWS:
            raise InputError(
                f"NullCategoryProcess got {X.shape[0]} rows; its cost is cubic and its limit {MAX_ROWS}: pass fewer "
                "rows, or use a linear model of this family such as AnnealedS3VM."
            )
        codes, unlabeled = labels.codes, 0.5 * ~labels.labeled
        evidence = Evidence((codes == 1) + unlabeled, (codes == 0) + unlabeled, 0.5, float(self.noise))
        with threadpool_limits(1, "blas"):
            best, path, converged = self._largest_evidence(X, evidence)
        self._evidence, self._posterior_of_f, self._training_rows = evidence, best, X
        if not converged:
            warnings.warn(
                f"NullCategoryProcess stopped before it converged, and keeps the last posterior: raise "
                f"max_iter={self.max_iter}.",
                NotConvergedWarning,
                stacklevel=2,
            )
        return self._close_fit(self._posterior(X), path)

    def _largest_evidence(self, X: Matrix, evidence: Evidence) -> tuple[Posterior, list[float], bool]:
        """Choose kernel and amplitude, and remember the covariance function."""
        found: tuple[Posterior, list[float], bool] | None = None
        for kernel in self._kernels(X):
            plain = np.asarray(kernel(X, X), dtype=np.float64)
            for amplitude in _AMPLITUDES if self.amplitude is None else (float(self.amplitude),):
                result = propagate(amplitude * plain + 1.0, evidence, self.tol, self.max_iter)
                if found is None or result[0].log_evidence > found[0].log_evidence:
                    found, self._kernel, self.amplitude_ = result, kernel, amplitude
        assert found is not None
        report(Progress(type(self).__name__, len(found[1]), self.max_iter, found[0].log_evidence))
        return found

    def _kernels(self, X: Matrix) -> list[Callable[[Any, Any], NDArray[np.float64]]]:
        if self.kernel == "rbf":
            return [RadialBasis(width * scale_width(X)) for width in _WIDTHS]
        return [linear_kernel if isinstance(self.kernel, str) else self.kernel]

    def _posterior(self, X: Matrix) -> NDArray[np.float64]:
        """P(+) and P(−) of rows that are in neither the null category, each with the variance of f."""
        kernel, amplitude = self._kernel, self.amplitude_
        K = amplitude * np.asarray(kernel(self._training_rows, self._training_rows)) + 1.0
        cross = amplitude * np.asarray(kernel(X, self._training_rows)) + 1.0
        own = np.array([float(kernel(X[[i]], X[[i]])[0, 0]) for i in range(X.shape[0])])
        mean, variance = self._posterior_of_f.predict(cross, amplitude * own + 1.0, K)
        scale = np.sqrt(self._evidence.noise + variance)
        sides = np.column_stack(
            [
                ndtr(-(mean + self._evidence.half_width) / scale),
                ndtr((mean - self._evidence.half_width) / scale),
            ]
        )
        sides = np.maximum(sides, 1e-300)
        return np.asarray(sides / sides.sum(axis=1, keepdims=True))

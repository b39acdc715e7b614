"""Gaussian components for dense features, by EM over labeled and unlabeled rows (SPEC A6)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from smatter.errors import InputError
from smatter.labels import Labels
from smatter.models.base import SemiSupervisedClassifier, warn_unsettled
from smatter.models.bayes._mixture import normalize
from smatter.progress import Progress, report
from smatter.validation import SEED, Matrix, Number, OneOf, Rules

Floats = NDArray[np.float64]


@dataclass
class Gaussians:
    """P(m), the means (M × d) and one covariance a component (M × d × d)."""

    log_prior: Floats
    means: Floats
    covariances: Floats


@dataclass(frozen=True)
class Prior:
    """What each covariance leans to: ``rows`` imaginary rows of covariance ``scale``."""

    rows: float
    scale: Floats


class GaussianMixtureEM(SemiSupervisedClassifier):
    """Classes that are Gaussians, or mixtures of some, learned from labeled and unlabeled rows.

    P(x, y) = Σ_{m in y} P(m) N(x; μ_m, Σ_m). E: labeled rows are shared among their class's components, unlabeled
    rows among all. M: μ_m = Σ_x r_m(x) x / N_m, Σ_m = (S_m + ν Σ_0) / (N_m + ν), with S_m the weighted scatter, Σ_0 the
    diagonal covariance of all rows and ν ``smoothing``. The penalized likelihood never falls.

    Parameters
    ----------
    components_per_class : int, default 1
        Gaussians of each class, no more than it has labeled rows; their start is k-means within the class.
    covariance : {"full", "diagonal", "spherical"}, default "full"
        The shape of each Σ_m.
    smoothing : float, default 1.0
        ν, in rows: how strongly covariances lean to Σ_0.
    unlabeled_weight : float in [0, 1], default 1.0
        λ, the weight of an unlabeled row.
    max_iter : int, default 200
        The most iterations.
    tol : float, default 1e-6
        EM stops when an iteration gains less than ``tol`` nats a row.
    random_state : int, RandomState or None, default None
        The seed of k-means.

    Attributes
    ----------
    classes_, posterior_, transduction_, objective_, n_iter_
        As in every model here.
    component_prior_, means_, covariances_ : arrays of shape (M,), (M, d), (M, d, d)
        P(m), μ_m, Σ_m; components of the first class first.
    component_class_ : array of shape (M,)
        The position in ``classes_`` of each component's class.

    Examples
    --------
    >>> import numpy as np
    >>> from smatter import GaussianMixtureEM
    >>> X = np.array([[0.0], [0.3], [-0.2], [5.0], [5.2], [4.9]])
    >>> GaussianMixtureEM().fit(X, ["low", None, None, "high", None, None]).transduction_.tolist()
    ['low', 'low', 'low', 'high', 'high', 'high']

    """

    rules: ClassVar[Rules] = {
        "components_per_class": Number(1, whole=True),
        "covariance": OneOf("full", "diagonal", "spherical"),
        "smoothing": Number(0, above=True),
        "unlabeled_weight": Number(0, 1),
        "max_iter": Number(1, whole=True),
        "tol": Number(0),
        "random_state": SEED,
    }
    empty_rows_are_blank: ClassVar[bool] = False

    def __init__(
        self,
        components_per_class: int = 1,
        *,
        covariance: str = "full",
        smoothing: float = 1.0,
        unlabeled_weight: float = 1.0,
        max_iter: int = 200,
        tol: float = 1e-6,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.components_per_class = components_per_class
        self.covariance = covariance
        self.smoothing = smoothing
        self.unlabeled_weight = unlabeled_weight
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags

    def _check_rows(self, X: Any, *, reset: bool) -> Matrix:
        if sp.issparse(X):
            raise InputError(
                f"X is sparse with {X.shape[1]} columns; GaussianMixtureEM needs few dense features (sparse data would "
                "take a matrix of columns × columns a class): pass X.toarray(), or reduce X with TruncatedSVD first."
            )
        return super()._check_rows(X, reset=reset)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from labeled and unlabeled rows; -1, None, "" and NaN in y mean unlabeled."""
        X, labels, weights = self._open_fit(X, y, sample_weight)
        prior = Prior(self.smoothing, _pooled_scale(X, weights))
        responsibilities = self._start(X, labels, weights)
        weights = weights * np.where(labels.labeled, 1.0, self.unlabeled_weight)
        model = self._m_step(X, responsibilities * weights[:, None], prior)
        objective: list[float] = []
        while True:
            scores = log_densities(X, model) + model.log_prior
            responsibilities, log_likelihood = normalize(np.where(self._allowed(labels), scores, -np.inf))
            objective.append(float(weights @ log_likelihood) + _log_prior(model, prior))
            report(Progress("GaussianMixtureEM", len(objective), self.max_iter, objective[-1]))
            if self._is_settled(objective, len(X)) or len(objective) >= self.max_iter:
                break
            model = self._m_step(X, responsibilities * weights[:, None], prior)
        self._remember(model)
        return self._close_fit(responsibilities @ self._membership(), objective)

    def _is_settled(self, objective: list[float], n: int) -> bool:
        return len(objective) > 1 and objective[-1] - objective[-2] <= self.tol * n

    def _start(self, X: Floats, labels: Labels, weights: Floats) -> Floats:
        """Deal each class's labeled rows out to its components by k-means; unlabeled rows wait."""
        random = check_random_state(self.random_state)
        per_class = np.minimum(self.components_per_class, labels.counts)
        self.component_class_ = np.repeat(np.arange(len(per_class)), per_class)
        responsibilities = np.zeros((len(X), len(self.component_class_)))
        for code, n_components in enumerate(per_class):
            rows = np.flatnonzero(labels.codes == code)
            first = int(per_class[:code].sum())
            kmeans = KMeans(n_components, n_init=5, random_state=random)
            clusters = kmeans.fit_predict(X[rows], sample_weight=weights[rows])
            responsibilities[rows, first + clusters] = 1.0
        return responsibilities

    def _allowed(self, labels: Labels) -> NDArray[np.bool_]:
        """Which components each row may come from."""
        return ~labels.labeled[:, None] | (labels.codes[:, None] == self.component_class_)

    def _membership(self) -> Floats:
        return np.eye(len(self.classes_))[self.component_class_]

    def _m_step(self, X: Floats, weighted: Floats, prior: Prior) -> Gaussians:
        totals = np.maximum(weighted.sum(axis=0), 1e-300)
        means = weighted.T @ X / totals[:, None]
        shape = _SHAPES[self.covariance]
        covariances = np.empty((len(totals), X.shape[1], X.shape[1]))
        for m, total in enumerate(totals):
            centered = X - means[m]
            scatter = (centered * weighted[:, m, None]).T @ centered
            covariances[m] = shape((scatter + prior.rows * np.diag(prior.scale)) / (total + prior.rows))
        return Gaussians(np.log(totals / totals.sum()), means, covariances)

    def _remember(self, model: Gaussians) -> None:
        self._model = model
        self.component_prior_ = np.exp(model.log_prior)
        self.means_, self.covariances_ = model.means, model.covariances

    def _close_fit(self, posterior: Floats, objective: list[float]) -> Self:
        if len(objective) >= self.max_iter > 1 and not self._is_settled(objective, len(posterior)):
            warn_unsettled(self)
        return super()._close_fit(posterior, objective)

    def _posterior(self, X: Matrix) -> Floats:
        responsibilities, _ = normalize(log_densities(X, self._model) + self._model.log_prior)
        return np.asarray(responsibilities @ self._membership())


def log_densities(X: Floats, model: Gaussians) -> Floats:
    """Return log N(x; μ_m, Σ_m) of every row and component, by one Cholesky factor a component."""
    densities = np.empty((len(X), len(model.means)))
    for m, (mean, covariance) in enumerate(zip(model.means, model.covariances, strict=True)):
        factor = _factor(covariance)
        whitened = solve_triangular(factor, (X - mean).T, lower=True)
        densities[:, m] = -0.5 * (whitened**2).sum(axis=0) - np.log(np.diag(factor)).sum()
    return densities - 0.5 * X.shape[1] * np.log(2 * np.pi)


def _factor(covariance: Floats) -> Floats:
    try:
        return np.asarray(cholesky(covariance, lower=True))
    except LinAlgError as error:
        raise InputError(
            "A covariance is not positive definite: features are copies of each other to the last digit, or differ in "
            "scale beyond what floats hold. Raise smoothing, scale the features or drop copies."
        ) from error


def _pooled_scale(X: Floats, weights: Floats) -> Floats:
    """Return the variance of each feature over all rows; 1 for a constant one, which tells nothing."""
    variances = np.average((X - np.average(X, axis=0, weights=weights)) ** 2, axis=0, weights=weights)
    return np.where(variances > 0, variances, 1.0)


def _log_prior(model: Gaussians, prior: Prior) -> float:
    """−ν/2 Σ_m [log|Σ_m| + tr(Σ_m⁻¹ Σ_0)]: the inverse Wishart under which the M-step is the maximum."""
    penalty = 0.0
    for covariance in model.covariances:
        factor = _factor(covariance)
        whitened = solve_triangular(factor, np.diag(np.sqrt(prior.scale)), lower=True)
        penalty += 2 * np.log(np.diag(factor)).sum() + (whitened**2).sum()
    return -0.5 * prior.rows * float(penalty)


def _spherical(covariance: Floats) -> Floats:
    return np.eye(len(covariance)) * np.trace(covariance) / len(covariance)


_SHAPES: dict[str, Callable[[Floats], Floats]] = {
    "full": lambda covariance: covariance,
    "diagonal": lambda covariance: np.diag(np.diag(covariance)),
    "spherical": _spherical,
}

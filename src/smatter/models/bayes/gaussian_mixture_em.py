"""Gaussian components for dense features, by EM over labeled and unlabeled rows (SPEC A6)."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state

from smatter.errors import InputError
from smatter.labels import Labels
from smatter.models.base import SemiSupervisedClassifier, warn_unsettled
from smatter.models.bayes._component_starts import one_thread
from smatter.models.bayes._gaussians import SHAPES, Gaussians, Prior, log_joint, log_prior_of, m_step, pooled_variances
from smatter.models.bayes._mixture import normalize
from smatter.models.bayes._rows import Floats
from smatter.progress import Progress, report
from smatter.validation import SEED, TRUTH, Matrix, Number, OneOf, Rules


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
    warm_start : bool, default False
        Start from the last solution if classes, features and components are still the same.
    random_state : int, RandomState or None, default None
        The seed of k-means.

    Attributes
    ----------
    classes_, posterior_, transduction_, objective_, n_iter_
        As in every model here.
    varying_ : array of int
        The features in use: a constant one tells nothing and is left out. Below, d counts these.
    component_prior_, means_ : arrays of shape (M,), (M, d)
        P(m) and μ_m; components of the first class first.
    covariances_ : array of shape (M, d, d) or (M, d)
        Σ_m; the variances alone where they are all that there is.
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
        "covariance": OneOf(*SHAPES),
        "smoothing": Number(0, above=True),
        "unlabeled_weight": Number(0, 1),
        "max_iter": Number(1, whole=True),
        "tol": Number(0),
        "warm_start": TRUTH,
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
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.components_per_class = components_per_class
        self.covariance = covariance
        self.smoothing = smoothing
        self.unlabeled_weight = unlabeled_weight
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
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
        before = getattr(self, "_solution", None) if self.warm_start else None
        X, labels, weights = self._open_fit(X, y, sample_weight)
        variances = pooled_variances(X, weights)
        self.varying_ = np.flatnonzero(variances)
        X, prior = X[:, self.varying_], Prior(self.smoothing, variances[self.varying_])
        self.component_class_ = self._classes_of_components(labels, weights)
        if before is not None and before[0] == self._outline():
            responsibilities, _ = self._e_step(X, labels, before[1])
        else:
            responsibilities = self._start(X, labels, weights)
        weights = weights * np.where(labels.labeled, 1.0, self.unlabeled_weight)
        objective: list[float] = []
        while not self._is_settled(objective, len(X)) and len(objective) < self.max_iter:
            model = m_step(X, responsibilities * weights[:, None], prior, SHAPES[self.covariance])
            responsibilities, log_likelihood = self._e_step(X, labels, model)
            objective.append(float((weights * log_likelihood).sum()) + log_prior_of(model, prior))
            report(Progress(type(self).__name__, len(objective), self.max_iter, objective[-1]))
        if not self._is_settled(objective, len(X)) and self.max_iter > 1:
            warn_unsettled(self)
        self._solution = self._outline(), model
        self.component_prior_ = np.exp(model.log_prior)
        self.means_, self.covariances_ = model.means, model.covariances
        return self._close_fit(self._by_class(responsibilities), objective)

    def _e_step(self, X: Floats, labels: Labels, model: Gaussians) -> tuple[Floats, Floats]:
        """P(m | x, y) and log P(x, y): labeled rows come from components of their class."""
        scores = log_joint(X, model)
        labeled = np.flatnonzero(labels.labeled)
        elsewhere = labels.codes[labeled, None] != self.component_class_
        scores[labeled] = np.where(elsewhere, -np.inf, scores[labeled])
        return normalize(scores)

    def _is_settled(self, objective: list[float], n: int) -> bool:
        return len(objective) > 1 and objective[-1] - objective[-2] <= self.tol * n

    def _classes_of_components(self, labels: Labels, weights: Floats) -> NDArray[np.int64]:
        weighty = labels.codes[labels.labeled & (weights > 0)]
        available = np.bincount(weighty, minlength=len(labels.classes))
        return np.repeat(np.arange(len(available)), np.clip(self.components_per_class, 1, np.maximum(available, 1)))

    def _start(self, X: Floats, labels: Labels, weights: Floats) -> Floats:
        """Deal each class's labeled rows out to its components by k-means; unlabeled rows wait."""
        random = check_random_state(self.random_state)
        responsibilities = np.zeros((len(X), len(self.component_class_)))
        for code in range(len(labels.classes)):
            rows = np.flatnonzero((labels.codes == code) & (weights > 0))
            components = np.flatnonzero(self.component_class_ == code)
            clusters = np.zeros(len(rows), dtype=np.int64)
            if len(components) > 1:
                kmeans = KMeans(len(components), n_init=5, random_state=random)
                with one_thread():
                    clusters = kmeans.fit_predict(X[rows], sample_weight=weights[rows])
            responsibilities[rows, components[clusters]] = 1.0
        return responsibilities

    def _outline(self) -> list[Any]:
        """What must be the same for the last solution to be a start."""
        known = self.classes_, self.component_class_, self.varying_
        return [self.n_features_in_, self.covariance, *(values.tolist() for values in known)]

    def _by_class(self, responsibilities: Floats) -> Floats:
        membership = np.eye(len(self.classes_))[self.component_class_]
        return np.clip(responsibilities @ membership, 0.0, 1.0)

    def _posterior(self, X: Matrix) -> Floats:
        responsibilities, _ = normalize(log_joint(X[:, self.varying_], self._solution[1]))
        return self._by_class(responsibilities)

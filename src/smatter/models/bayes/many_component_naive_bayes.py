"""Naive Bayes with several components a class (SPEC A4, A5; Nigam et al. 2000; seed N, chapter 2)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from smatter.errors import InputError
from smatter.labels import UNLABELED, Labels
from smatter.model_selection import LabeledKFold
from smatter.models.base import warn_unsettled
from smatter.models.bayes._base import EVENT_RULES, LENGTH_RULE, MixtureClassifier
from smatter.models.bayes._component_starts import STARTS
from smatter.models.bayes._events import Floats
from smatter.models.bayes._leave_one_out import tempered_log_loss
from smatter.models.bayes._mixture import Fitted, Problem, component_classes, m_step, run_em
from smatter.validation import ARRAY, SEED, Number, OneOf, Rules

_SOFTNESS = 0.1  # how much of P(y | m) a free component gives to other classes at the start
_CV_ITERATIONS = 30


class ManyComponentNaiveBayes(MixtureClassifier):
    """Naive Bayes whose classes are mixtures: P(x | c) = Σ_{m in c} P(m | c) P(x | m), by EM.

    E: labeled rows are shared among the components of their class, unlabeled rows among all (N eq. 2.4).
    M: P(w | m) ∝ Σ_x δ(x) n(w, x) P(m | x) + smoothing; P(m) = (Σ_x P(m | x) + 1) / (n + |M|) (N eq. 2.10).

    Parameters
    ----------
    n_components : int, list of int or "cv", default "cv"
        Components of each class, of every single class (in the order of the sorted classes), or the number from 1 to
        ``max_components`` that does best in cross-validation on the labeled rows. A class never has more components
        than labeled rows.
    start : {"tree", "kmeans", "random"}, default "tree"
        How labeled rows are first dealt out: by cutting an agglomerative tree of each class, by k-means within each
        class, or at random.
    component_labels : {"fixed", "free"}, default "fixed"
        Whether a component belongs to one class for good, P(y | m) ∈ {0, 1}, or P(y | m) is learned (Miller and Uyar
        1997).
    unlabeled_weight : float in [0, 1], default 1.0
        λ, the weight of an unlabeled row.
    event_model, smoothing, length_exponent, class_prior
        As in :class:`NaiveBayes`; ``class_prior`` fixes the sum of P(m) over a class's components.
    max_components : int, default 15
        The largest number that "cv" tries.
    cv : int, default 5
        Folds of that cross-validation.
    max_iter : int, default 100
        The most iterations of EM.
    tol : float, default 1e-6
        EM stops when an iteration gains less than ``tol`` times the size of the objective.
    random_state : int, RandomState or None, default None
        The seed of the starts and folds.

    Attributes
    ----------
    classes_, posterior_, transduction_, objective_, n_iter_
        As in every model here.
    n_components_ : list of int
        Components of each class.
    component_posterior_ : array of shape (n, M)
        P(m | x) of the training rows.
    class_given_component_ : array of shape (M, K)
        P(y | m).
    cv_loss_ : dict
        The cross-validated loss of each number tried; empty where the number was given.

    Examples
    --------
    >>> import numpy as np
    >>> from smatter import ManyComponentNaiveBayes
    >>> X = np.array([[5, 0, 0, 1], [0, 5, 0, 1], [0, 0, 5, 1], [4, 0, 0, 2], [0, 6, 0, 1], [0, 0, 4, 1]])
    >>> y = ["animal", "animal", "plant", None, None, None]
    >>> model = ManyComponentNaiveBayes([2, 1], smoothing=0.1, random_state=0).fit(X, y)
    >>> model.transduction_.tolist()
    ['animal', 'animal', 'plant', 'animal', 'animal', 'plant']

    """

    sklearn_exceptions: ClassVar[dict[str, str]] = {
        f"check_sample_weight_equivalence_on_{kind}_data": "starts and folds deal out rows, not weights"
        for kind in ("dense", "sparse")
    }
    rules: ClassVar[Rules] = {
        **EVENT_RULES,
        "n_components": (OneOf("cv"), Number(1, whole=True), ARRAY),
        "start": OneOf(*STARTS),
        "component_labels": OneOf("fixed", "free"),
        "unlabeled_weight": Number(0, 1),
        "length_exponent": LENGTH_RULE,
        "max_components": Number(1, whole=True),
        "cv": Number(2, whole=True),
        "max_iter": Number(1, whole=True),
        "tol": Number(0),
        "random_state": SEED,
    }

    def __init__(
        self,
        n_components: int | Sequence[int] | str = "cv",
        *,
        start: str = "tree",
        component_labels: str = "fixed",
        unlabeled_weight: float = 1.0,
        event_model: str = "multinomial",
        smoothing: float | str = "loo",
        length_exponent: float | str = 1.0,
        class_prior: str | ArrayLike | None = None,
        max_components: int = 15,
        cv: int = 5,
        max_iter: int = 100,
        tol: float = 1e-6,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.start = start
        self.component_labels = component_labels
        self.unlabeled_weight = unlabeled_weight
        self.event_model = event_model
        self.smoothing = smoothing
        self.length_exponent = length_exponent
        self.class_prior = class_prior
        self.max_components = max_components
        self.cv = cv
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from labeled and unlabeled rows; -1, None, "" and NaN in y mean unlabeled."""
        X, labels, weights = self._open_fit(X, y, sample_weight)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        events, rows, smoothing = self._choose_events(X, labels, weights, (self.length_exponent, self.smoothing))
        self._remember_settings(events, smoothing)
        weights = weights * np.where(labels.labeled, 1.0, self.unlabeled_weight)
        problem = Problem(events, rows, labels, weights, smoothing, 1.0, self._fixed_prior(len(labels.classes)))
        problem = replace(problem, free_classes=self.component_labels == "free")
        if problem.free_classes and problem.class_prior is not None:
            raise InputError("class_prior needs component_labels='fixed': free components belong to no one class.")
        self.n_components_ = self._count_components(problem, seed)
        fitted = self._fit_components(problem, self.n_components_, seed, self.max_iter, self.tol)
        if not fitted.converged and self.max_iter > 1:
            warn_unsettled(self)
        self.mixture_ = fitted.mixture
        self.class_given_component_ = np.exp(fitted.mixture.log_class)
        self.component_posterior_ = fitted.responsibilities
        posterior = fitted.responsibilities @ self.class_given_component_
        posterior[labels.labeled] = labels.one_hot()[labels.labeled]
        return self._close_fit(posterior, fitted.objective)

    def _count_components(self, problem: Problem, seed: int) -> list[int]:
        """Components of each class: as asked, no more than its labeled rows, or chosen by cross-validation."""
        available = problem.labels.counts
        self.cv_loss_: dict[int, float] = {}
        if isinstance(self.n_components, str):
            chosen = self._cross_validate(problem, seed)
            return np.minimum(chosen, available).tolist()
        wanted = np.atleast_1d(np.asarray(self.n_components))
        if wanted.dtype.kind not in "iu" or (wanted < 1).any() or len(wanted) not in (1, len(available)):
            raise InputError(
                f"n_components={self.n_components!r} must be one whole number of at least 1, or one for each of the "
                f"{len(available)} classes {self.classes_.tolist()[:10]}: change n_components."
            )
        return np.minimum(np.broadcast_to(wanted, available.shape), available).tolist()

    def _cross_validate(self, problem: Problem, seed: int) -> int:
        """Return the number of components a class under which held-out labels are told apart best."""
        counts = problem.labels.counts
        n_splits = min(self.cv, int(counts.sum()) // 2)
        largest = min(self.max_components, int(counts.max()))
        if n_splits < 2 or largest == 1:
            return 1
        folds = list(LabeledKFold(n_splits, random_state=seed).split(problem.X, problem.labels.codes))
        for n_components in range(1, largest + 1):
            self.cv_loss_[n_components] = float(
                np.mean([self._held_out_loss(problem, test, n_components, seed) for _, test in folds])
            )
        return min(self.cv_loss_, key=self.cv_loss_.__getitem__)

    def _held_out_loss(self, problem: Problem, test: NDArray[np.intp], n_components: int, seed: int) -> float:
        """Fit without the test rows and score log P(y, x) of each of them."""
        codes, weights = problem.labels.codes.copy(), problem.weights.copy()
        codes[test], weights[test] = UNLABELED, 0.0
        trial = replace(problem, labels=Labels(codes, problem.labels.classes), weights=weights)
        n_per_class = np.minimum(n_components, np.maximum(trial.labels.counts, 1)).tolist()
        mixture = self._fit_components(trial, n_per_class, seed, _CV_ITERATIONS, max(self.tol, 1e-5)).mixture
        joint = problem.events.log_likelihood(problem.X[test], mixture.log_p) + mixture.log_prior
        by_class = np.logaddexp.reduce(joint[:, :, None] + mixture.log_class, axis=1)
        return tempered_log_loss(by_class, problem.labels.codes[test], problem.weights[test])

    def _fit_components(self, problem: Problem, n_per_class: list[int], seed: int, max_iter: int, tol: float) -> Fitted:
        """Deal the labeled rows of each class out to its components, then EM."""
        random = np.random.RandomState(seed)
        starts = np.cumsum([0, *n_per_class])
        responsibilities = np.zeros((problem.X.shape[0], int(starts[-1])))
        for code, n_components in enumerate(n_per_class):
            rows = np.flatnonzero(problem.labels.codes == code)
            if len(rows):
                block = STARTS[self.start](problem.X[rows], n_components, random)
                responsibilities[rows, starts[code] : starts[code + 1]] = block
        log_class = component_classes(np.asarray(n_per_class))
        if problem.free_classes:
            log_class = _softened(log_class)
        mixture = m_step(replace(problem, free_classes=False), responsibilities, log_class)
        return run_em(problem, mixture, max_iter=max_iter, tol=tol, name=type(self).__name__)


def _softened(log_class: Floats) -> Floats:
    """P(y | m) near 0 and 1, but not there: what starts at 0 stays 0 under EM."""
    return np.log((1 - _SOFTNESS) * np.exp(log_class) + _SOFTNESS / log_class.shape[1])

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
from smatter.models.bayes._base import EVENT_RULES, LENGTH_RULE, MixtureClassifier, Solution
from smatter.models.bayes._component_starts import STARTS, FirstComponents, weighty_codes
from smatter.models.bayes._leave_one_out import tempered_log_loss
from smatter.models.bayes._mixture import Limits, Problem, class_scores, one_iteration, run_em
from smatter.models.bayes._rows import Floats
from smatter.validation import ARRAY, SEED, TRUTH, Matrix, Number, OneOf, Rules

_CV_ITERATIONS = 30
_CV_TOL = 1e-5


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
    warm_start : bool, default False
        Start from the last solution, and keep the settings and the number of components that were chosen for it.
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
        "warm_start": TRUTH,
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
        warm_start: bool = False,
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
        self.warm_start = warm_start
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from labeled and unlabeled rows; -1, None, "" and NaN in y mean unlabeled."""
        before = self._last_solution() if self.warm_start else None
        X, labels, weights = self._open_fit(X, y, sample_weight)
        before = self._still_fitting(before)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        limits = Limits(self.max_iter, self.tol, type(self).__name__)
        problem = self._mixture_problem(X, labels, weights, self._settings(self.length_exponent, before))
        if before is not None and self._keeps_components(before, problem):
            fitted = run_em(problem, one_iteration(problem, before.mixture), limits)
        else:
            self.n_components_ = self._count_components(problem, seed)
            start = FirstComponents(problem, self.start, seed)
            fitted = run_em(problem, start.mixture(self.n_components_), limits)
        if not fitted.converged and self.max_iter > 1:
            warn_unsettled(self)
        self.mixture_ = fitted.mixture
        self.class_given_component_ = np.exp(fitted.mixture.log_class)
        self.component_posterior_ = fitted.responsibilities
        posterior = fitted.responsibilities @ self.class_given_component_
        posterior[labels.labeled] = labels.one_hot()[labels.labeled]
        return self._close_fit(posterior, fitted.objective)

    def _mixture_problem(
        self, X: Matrix, labels: Labels, weights: Floats, settings: tuple[float | str, float | str]
    ) -> Problem:
        free = self.component_labels == "free"
        if free and self.class_prior is not None:
            raise InputError(
                f"class_prior={self.class_prior!r} needs component_labels='fixed': free components belong to no one "
                "class. Pass class_prior=None."
            )
        problem = self._state(X, labels, weights, settings)
        weights = weights * np.where(labels.labeled, 1.0, self.unlabeled_weight)
        return replace(problem, weights=weights, prior_smoothing=1.0, free_classes=free)

    def _keeps_components(self, before: Solution, problem: Problem) -> bool:
        """Whether the last solution has the components that are asked for."""
        was_free = bool(np.isfinite(before.mixture.log_class).all())
        if was_free != problem.free_classes or not problem.events.speaks_like(before.events):
            return False
        return isinstance(self.n_components, str) or self._numbers_asked_for(problem) == self.n_components_

    def _count_components(self, problem: Problem, seed: int) -> list[int]:
        """Components of each class: as asked, or chosen by cross-validation."""
        self.cv_loss_: dict[int, float] = {}
        if not isinstance(self.n_components, str):
            return self._numbers_asked_for(problem)
        return _at_most_labeled(self._cross_validate(problem, seed), problem)

    def _numbers_asked_for(self, problem: Problem) -> list[int]:
        n_classes = len(problem.labels.classes)
        wanted = np.atleast_1d(np.asarray(self.n_components))
        if wanted.dtype.kind not in "iu" or (wanted < 1).any() or wanted.shape not in ((1,), (n_classes,)):
            raise InputError(
                f"n_components={self.n_components!r} must be one whole number of at least 1, or one for each of the "
                f"{n_classes} classes {self.classes_.tolist()[:10]}: change n_components."
            )
        return _at_most_labeled(wanted, problem)

    def _cross_validate(self, problem: Problem, seed: int) -> int:
        """Return the number of components a class under which held-out labels are told apart best."""
        codes = weighty_codes(problem)
        n_labeled = int((codes != UNLABELED).sum())
        n_splits = min(self.cv, n_labeled // 2)
        largest = min(self.max_components, int(np.bincount(codes[codes != UNLABELED]).max()))
        if n_splits < 2 or largest == 1:
            return 1
        losses = np.zeros(largest)
        for _, test in LabeledKFold(n_splits, random_state=seed).split(codes, codes):
            losses += self._held_out_losses(problem, test, largest, seed) / n_splits
        self.cv_loss_ = dict(enumerate(losses.tolist(), start=1))
        return int(losses.argmin()) + 1

    def _held_out_losses(self, problem: Problem, test: NDArray[np.intp], largest: int, seed: int) -> Floats:
        """Fit 1, …, ``largest`` components a class without the test rows, and score log P(y, x) of each of them."""
        codes, weights = problem.labels.codes.copy(), problem.weights.copy()
        codes[test], weights[test] = UNLABELED, 0.0
        trial = replace(problem, labels=Labels(codes, problem.labels.classes), weights=weights)
        first, losses = FirstComponents(trial, self.start, seed), np.empty(largest)
        limits = Limits(_CV_ITERATIONS, max(self.tol, _CV_TOL), type(self).__name__)
        for n_components in range(1, largest + 1):
            fitted = run_em(trial, first.mixture(_at_most_labeled(n_components, trial)), limits)
            scores = class_scores(problem.rows[test], fitted.mixture)
            losses[n_components - 1] = tempered_log_loss(scores, problem.labels.codes[test], problem.weights[test])
        return losses


def _at_most_labeled(wanted: int | NDArray[np.int64], problem: Problem) -> list[int]:
    """No more components of a class than it has labeled rows, and no fewer than one."""
    codes = weighty_codes(problem)
    available = np.bincount(codes[codes != UNLABELED], minlength=len(problem.labels.classes))
    return np.clip(wanted, 1, np.maximum(available, 1)).tolist()

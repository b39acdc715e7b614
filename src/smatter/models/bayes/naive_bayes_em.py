"""Naive Bayes that learns from unlabeled documents by EM, and EM-λ (SPEC A2, A3; Nigam et al. 2000)."""

from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from smatter.models.base import warn_unsettled
from smatter.models.bayes._base import EVENT_RULES, MixtureClassifier
from smatter.models.bayes._leave_one_out import UNLABELED_WEIGHTS, left_out_loss_after
from smatter.models.bayes._mixture import (
    Fitted,
    Limits,
    Mixture,
    Problem,
    labeled_sums,
    mixture_from_sums,
    one_component_a_class,
    one_iteration,
    run_em,
)
from smatter.validation import TRUTH, Number, OneOf, Rules


class NaiveBayesEM(MixtureClassifier):
    """Naive Bayes with EM over the unlabeled rows, each of which counts ``unlabeled_weight`` (EM-λ).

    E: P(c | x) ∝ P(c) Π_w P(w | c)^n(w, x) for unlabeled rows; labeled ones stay what they are.
    M: P(w | c) ∝ Σ_x δ(x) n(w, x) P(c | x) + smoothing, with δ = 1 on labeled rows and λ on unlabeled ones.
    The objective log P(θ) + λ Σ_u log Σ_c P(c) P(x | c) + Σ_l log P(y) P(x | y) never falls.

    Parameters
    ----------
    unlabeled_weight : float in [0, 1] or "loo", default "loo"
        λ. 0 is naive Bayes on the labeled rows alone. "loo" fits each of ten weights, 0 among them, and keeps the one
        under which labeled rows that are left out are told apart best; the leaving out is exact, a subtraction.
    event_model : {"multinomial", "bernoulli", "categorical"}, default "multinomial"
        As in :class:`NaiveBayes`.
    smoothing : float or "loo", default "loo"
        Lidstone's λ, added to every count. "loo" chooses it on the labeled rows.
    length_exponent : float in [0, 1], "loo" or "auto", default "auto"
        Below 1, long documents are weighed down: their counts are multiplied by (mean length / length)^(1 − e).
        "loo" chooses it on the labeled rows. "auto" is "loo" if ``unlabeled_weight`` is, else 1: the counts as given.
    class_prior : None, "uniform" or array of shape (K,), default None
        P(c); None estimates it from labeled and unlabeled rows together.
    max_iter : int, default 100
        The most iterations of one EM.
    tol : float, default 1e-6
        EM stops when an iteration gains less than ``tol`` times the size of the objective.
    warm_start : bool, default False
        Start from the last solution and keep the settings it chose; for one more label, or more rows.

    Attributes
    ----------
    classes_, posterior_, transduction_, objective_, n_iter_
        As in every model here.
    class_prior_ : array of shape (K,)
        P(c).
    unlabeled_weight_, smoothing_, length_exponent_ : float
        The settings in use.
    leave_one_out_loss_ : dict
        The loss of each λ that was tried when λ was chosen; empty where none had to be.

    References
    ----------
    Nigam, McCallum, Thrun and Mitchell (2000), "Text classification from labeled and unlabeled documents using EM".

    Examples
    --------
    >>> import numpy as np
    >>> from smatter import NaiveBayesEM
    >>> X = np.array([[3, 0, 1], [0, 3, 1], [2, 0, 2], [0, 2, 0], [4, 1, 1]])
    >>> NaiveBayesEM(unlabeled_weight=1.0, smoothing=0.1).fit(X, ["a", "b", None, None, None]).transduction_.tolist()
    ['a', 'b', 'a', 'b', 'a']

    """

    rules: ClassVar[Rules] = {
        **EVENT_RULES,
        "unlabeled_weight": (OneOf("loo"), Number(0, 1)),
        "length_exponent": (OneOf("auto", "loo"), Number(0, 1)),
        "max_iter": Number(1, whole=True),
        "tol": Number(0),
        "warm_start": TRUTH,
    }

    def __init__(
        self,
        unlabeled_weight: float | str = "loo",
        *,
        event_model: str = "multinomial",
        smoothing: float | str = "loo",
        length_exponent: float | str = "auto",
        class_prior: str | ArrayLike | None = None,
        max_iter: int = 100,
        tol: float = 1e-6,
        warm_start: bool = False,
    ) -> None:
        self.unlabeled_weight = unlabeled_weight
        self.event_model = event_model
        self.smoothing = smoothing
        self.length_exponent = length_exponent
        self.class_prior = class_prior
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from labeled and unlabeled rows; -1, None, "" and NaN in y mean unlabeled."""
        before = self._last_solution() if self.warm_start else None
        X, labels, weights = self._open_fit(X, y, sample_weight)
        before = self._still_fitting(before)
        exponent = self.length_exponent
        if exponent == "auto":
            exponent = "loo" if isinstance(self.unlabeled_weight, str) else 1.0
        problem = self._state(X, labels, weights, self._settings(exponent, before))
        del X  # the problem has it
        if before is not None and problem.events.speaks_like(before.events):
            fitted = self._fit_one(problem, self._weight(self.unlabeled_weight_), before.mixture)
        elif isinstance(self.unlabeled_weight, str) and not labels.labeled.all():
            fitted = self._fit_one(problem, self._choose_weight(problem))
        else:
            self.leave_one_out_loss_: dict[float, float] = {}
            fitted = self._fit_one(problem, self._weight(1.0))
        if not fitted.converged and self.max_iter > 1:
            warn_unsettled(self)
        self.mixture_ = fitted.mixture
        return self._close_fit(fitted.responsibilities, fitted.objective)

    def _weight(self, otherwise: float) -> float:
        return otherwise if isinstance(self.unlabeled_weight, str) else float(self.unlabeled_weight)

    def _fit_one(self, problem: Problem, weight: float, before: Mixture | None = None) -> Fitted:
        """EM at one λ, from the labeled rows alone or from an earlier solution."""
        self.unlabeled_weight_ = weight
        problem = _weighted(problem, weight)
        if before is not None:
            return run_em(problem, one_iteration(problem, before), self._limits(self.tol))
        return run_em(problem, _from_labeled_rows(problem), self._limits(self.tol))

    def _choose_weight(self, problem: Problem) -> float:
        """Return the λ with the smallest leave-one-out loss, the largest of them where they tie.

        For this, EM stops when it hardly moves: its last iterations move the losses of all λ alike.
        """
        self.leave_one_out_loss_ = {}
        for weight in UNLABELED_WEIGHTS:
            trial = _weighted(problem, weight)
            limits = self._limits(max(self.tol, _ROUGH_TOL))
            responsibilities = run_em(trial, _from_labeled_rows(trial), limits).responsibilities
            self.leave_one_out_loss_[weight] = left_out_loss_after(trial, responsibilities)
        return min(reversed(UNLABELED_WEIGHTS), key=self.leave_one_out_loss_.__getitem__)

    def _limits(self, tol: float) -> Limits:
        return Limits(self.max_iter, tol, type(self).__name__)


_ROUGH_TOL = 1e-4  # of the objective's size


def _from_labeled_rows(problem: Problem) -> Mixture:
    """Start from naive Bayes on X_l alone."""
    log_class = one_component_a_class(len(problem.labels.classes))
    return mixture_from_sums(problem, labeled_sums(problem), log_class)


def _weighted(problem: Problem, weight: float) -> Problem:
    """δ(x) of EM-λ: unlabeled rows count λ times."""
    return replace(problem, weights=np.where(problem.labels.labeled, 1.0, weight) * problem.weights)

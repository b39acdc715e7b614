"""Multinomial logistic regression that also wants to be sure of the unlabeled rows."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_softmax

from smatter.labels import Labels
from smatter.models.margins._class_ratio import resolve_class_ratio
from smatter.models.margins._logistic import LogisticModel, Scores, fit_softmax, labeled_loss
from smatter.models.margins._rows import Vector
from smatter.progress import Progress, report
from smatter.validation import ARRAY, Number, OneOf, Rules

_STAGES = 5


class EntropyMinimization(LogisticModel):
    """Logistic regression with minimum entropy of the unlabeled rows.

    Maximizes the conditional likelihood of the labels less λ times the entropy of the decisions; in the scale of
    scikit-learn's ``LogisticRegression``, with C* = λ C,

        ½‖W‖² − C Σ_labeled log P(y_i | x_i) − C* Σ_unlabeled Σ_k P(k | x_j) log P(k | x_j)

    where P = softmax(X W + b) and b is free. Entropy is least where all rows are in one class, and with a few labels
    that is where it goes; so the mean decision P̄ over the unlabeled rows is held to the class ratio r by

        + C* u κ Σ_k r_k log(r_k / P̄_k)

    (κ = 0 is the paper's objective). It starts from C* = 0, which is logistic regression, and goes to C* in five equal
    steps, each from the weights of the last.

    Parameters
    ----------
    C : float, default 100.0
        Cost of a labeled row, as in ``LogisticRegression``.
    C_unlabeled : float or None, default None
        Cost C* of an unlabeled row's entropy. None lets all unlabeled rows weigh as much as all labeled ones.
    class_ratio, ratio_strength : None, "uniform" or array; float, default None and inf
        Share of each class among the unlabeled rows, and how many labeled rows it is worth as a prior.
    balance : float, default 10.0
        κ, the weight of the class ratio.
    tol : float, default 1e-4
        Largest entry of the gradient at which a step ends.
    max_iter : int, default 500
        The most quasi-Newton iterations of a step.

    References
    ----------
    Grandvalet & Bengio, Semi-supervised learning by entropy minimization, NIPS 2004.

    Examples
    --------
    >>> X = [[3.0, 0.2], [2.5, 0.4], [2.0, 0.1], [0.2, 3.0], [0.3, 2.2], [0.1, 2.4]]
    >>> EntropyMinimization().fit(X, ["a", None, None, "b", None, None]).transduction_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']

    """

    rules: ClassVar[Rules] = {
        "C": Number(0, above=True),
        "C_unlabeled": (Number(0), OneOf(None)),
        "class_ratio": (OneOf(None, "uniform"), ARRAY),
        "ratio_strength": Number(0),
        "balance": Number(0),
        "tol": Number(0, above=True),
        "max_iter": Number(1, whole=True),
    }

    def __init__(
        self,
        C: float = 100.0,
        *,
        C_unlabeled: float | None = None,
        class_ratio: ArrayLike | str | None = None,
        ratio_strength: float = np.inf,
        balance: float = 10.0,
        tol: float = 1e-4,
        max_iter: int = 500,
    ) -> None:
        self.C = C
        self.C_unlabeled = C_unlabeled
        self.class_ratio = class_ratio
        self.ratio_strength = ratio_strength
        self.balance = balance
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit to labeled and unlabeled rows; a weight multiplies the cost of its row."""
        X, labels, weights = self._open_fit(X, y, sample_weight)
        targets, unlabeled = labels.one_hot(), ~labels.labeled
        self.C_unlabeled_ = self._unlabeled_cost(labels)
        cost, doubt_cost = self.C * weights, self.C_unlabeled_ * weights * unlabeled
        coefficients = self._start(X, labels, weights)
        self.class_ratio_ = resolve_class_ratio(self.class_ratio, self.ratio_strength, labels, weights)
        objective: list[float] = []
        all_converged = True
        shares = np.linspace(0.0, 1.0, _STAGES + 1) if doubt_cost.any() else np.zeros(1)
        for stage, share in enumerate(shares):

            def loss(scores: Scores, share: float = share) -> tuple[float, Scores]:
                total, slopes = labeled_loss(scores, targets, cost)
                doubt, doubt_slopes = entropy_loss(scores, share * doubt_cost)
                bias, bias_slopes = ratio_loss(scores, share * self.balance * doubt_cost, self.class_ratio_)
                return total + doubt + bias, slopes + doubt_slopes + bias_slopes

            coefficients, path, converged = fit_softmax(X, loss, coefficients, self.tol, self.max_iter)
            objective, all_converged = objective + path, all_converged and converged
            report(Progress(type(self).__name__, stage + 1, len(shares), path[-1]))
        self._remember(coefficients, converged=all_converged)
        return self._close_fit(self._posterior(X), objective)

    def _unlabeled_cost(self, labels: Labels) -> float:
        if self.C_unlabeled is not None:
            return float(self.C_unlabeled)
        n_labeled = int(labels.labeled.sum())
        return self.C * min(1.0, n_labeled / max(1, len(labels.codes) - n_labeled))


def entropy_loss(scores: Scores, cost: Vector) -> tuple[float, Scores]:
    """Return Σ cost_i H(P(· | x_i)) and its derivatives −cost_i p_k (log p_k + H)."""
    log_p = log_softmax(scores, axis=1)
    p = np.exp(log_p)
    doubt = -(p * log_p).sum(axis=1, keepdims=True)
    return float(cost @ doubt.ravel()), -cost[:, np.newaxis] * p * (log_p + doubt)


def ratio_loss(scores: Scores, cost: Vector, ratio: Vector) -> tuple[float, Scores]:
    """Return c Σ_k r_k log(r_k / P̄_k), P̄ the weighted mean decision and c the sum of the costs, and its derivatives."""
    total = float(cost.sum())
    if total == 0.0:
        return 0.0, np.zeros_like(scores)
    p = np.exp(log_softmax(scores, axis=1))
    mean = np.maximum(cost @ p / total, 1e-300)
    pull = -ratio / mean
    return total * float(ratio @ np.log(ratio / mean)), cost[:, np.newaxis] * p * (pull - (p @ pull)[:, np.newaxis])

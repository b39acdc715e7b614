"""Logistic classification EM with a model of its own labeling errors."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax
from sklearn.utils import check_random_state

from smatter.errors import InputError
from smatter.labels import UNLABELED, Labels, encode_labels
from smatter.models.margins._logistic import LogisticModel, Scores, fit_softmax, labeled_loss, scores_of
from smatter.models.margins._rows import Vector
from smatter.progress import Progress, report
from smatter.validation import SEED, Matrix, Number, Rules

Mislabels = NDArray[np.float64]  # α, K × K, columns sum to 1
_ALPHA_STEPS = 50


class MislabelLogistic(LogisticModel):
    """Semi-supervised logistic regression with an explicit model of label errors.

    The class ỹ that the model gives an unlabeled row is taken for an imperfect label of it, wrong with probability
    α_kh = P(ỹ = k | y = h). Each iteration (K algorithm 10) decides on ỹ (C-step), then maximizes over the logistic
    parameters β and over α, in turn (M-step; K eq. 2.13),

        L_c = Σ_labeled log P(y_i | x_i, β) + λ Σ_unlabeled log Σ_h α_{ỹ_i h} P(h | x_i, β) − ‖β‖²/2C

    Where someone else has labeled those rows, imperfectly, ``fit`` takes these labels as ``noisy_labels``: they stay as
    they are, and α tells how that person errs.

    Parameters
    ----------
    C : float, default 10.0
        Inverse strength of the regularization, as in ``LogisticRegression``.
    unlabeled_weight : float, default 1.0
        λ; 1 is the paper's, 0 is logistic regression on the labeled rows.
    error_rate : float, default 0.1
        α starts with about this share of errors, spread at random over the wrong classes.
    tol : float, default 1e-4
        Largest entry of the gradient, and relative change of L_c, at which it ends.
    max_iter : int, default 100
        The most iterations.
    random_state : int, RandomState or None, default 0
        Seed of the first α.

    References
    ----------
    Amini & Gallinari, Semi-supervised learning with an explicit label-error model for misclassified data, IJCAI 2003.

    Examples
    --------
    >>> X = [[3.0, 0.2], [2.5, 0.4], [2.0, 0.1], [0.2, 3.0], [0.3, 2.2], [0.1, 2.4]]
    >>> MislabelLogistic().fit(X, ["a", None, None, "b", None, None]).transduction_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']

    """

    rules: ClassVar[Rules] = {
        "C": Number(0, above=True),
        "unlabeled_weight": Number(0),
        "error_rate": Number(0, 1),
        "tol": Number(0, above=True),
        "max_iter": Number(1, whole=True),
        "random_state": SEED,
    }

    def __init__(
        self,
        C: float = 10.0,
        *,
        unlabeled_weight: float = 1.0,
        error_rate: float = 0.1,
        tol: float = 1e-4,
        max_iter: int = 100,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.C = C
        self.unlabeled_weight = unlabeled_weight
        self.error_rate = error_rate
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        noisy_labels: ArrayLike | None = None,
    ) -> Self:
        """Fit to labeled and unlabeled rows; ``noisy_labels`` are imperfect labels of some rows without one in y."""
        X, labels, weights = self._open_fit(X, y, sample_weight)
        given = _noisy_codes(noisy_labels, labels)
        targets = labels.one_hot()
        cost = self.C * weights * np.where(labels.labeled, 1.0, self.unlabeled_weight)
        unlabeled = np.flatnonzero(~labels.labeled & (cost > 0.0))
        alpha = self._first_mislabels(len(labels.classes))
        coefficients, objective, converged = self._fit_labeled(X, labels, weights, targets)
        for _ in range(self.max_iter if len(unlabeled) else 0):
            imperfect = self._c_step(scores_of(X, coefficients)[unlabeled], alpha, given[unlabeled])
            coefficients, value = self._m_step_beta(X, coefficients, (targets, cost, unlabeled, imperfect, alpha))
            alpha = m_step_alpha(scores_of(X, coefficients)[unlabeled], alpha, imperfect, weights[unlabeled])
            objective.append(-value / self.C)
            report(Progress(type(self).__name__, len(objective), self.max_iter, objective[-1]))
            converged = len(objective) > 1 and objective[-1] - objective[-2] <= self.tol * abs(objective[-2])
            if converged:
                break
        self.mislabel_matrix_ = alpha
        self._remember(coefficients, converged=converged)
        return self._close_fit(self._posterior(X), objective)

    def _first_mislabels(self, n_classes: int) -> Mislabels:
        draw = check_random_state(self.random_state)
        errors = draw.uniform(0.5, 1.5, size=(n_classes, n_classes))
        np.fill_diagonal(errors, 0.0)
        alpha = self.error_rate * errors / errors.sum(axis=0)
        np.fill_diagonal(alpha, 1.0 - self.error_rate)
        return alpha

    def _fit_labeled(
        self, X: Matrix, labels: Labels, weights: Vector, targets: Scores
    ) -> tuple[NDArray[np.float64], list[float], bool]:
        """Logistic regression on the labeled rows, the start of the algorithm."""
        start, cost = self._start(X, labels, weights), self.C * weights
        coefficients, path, converged = fit_softmax(
            X, lambda scores: labeled_loss(scores, targets, cost), start, self.tol, 10 * self.max_iter
        )
        nothing_more = labels.labeled.all() or self.unlabeled_weight == 0.0
        return coefficients, [-value / self.C for value in path] if nothing_more else [], converged

    def _c_step(self, scores: Scores, alpha: Mislabels, given: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return ỹ_i = argmax_k Σ_h α_kh P(h | x_i), or the imperfect label that was given."""
        decided = (np.exp(log_softmax(scores, axis=1)) @ alpha.T).argmax(axis=1)
        return np.where(given == UNLABELED, decided, given)

    def _m_step_beta(
        self, X: Matrix, coefficients: NDArray[np.float64], terms: tuple[Any, ...]
    ) -> tuple[NDArray[np.float64], float]:
        """Maximize L_c over β; return it and −C · L_c."""
        targets, cost, unlabeled, imperfect, alpha = terms

        def loss(scores: Scores) -> tuple[float, Scores]:
            total, slopes = labeled_loss(scores, targets, cost)
            value, slopes[unlabeled] = imperfect_loss(scores[unlabeled], alpha[imperfect], cost[unlabeled])
            return total + value, slopes

        coefficients, path, _ = fit_softmax(X, loss, coefficients, self.tol, 10 * self.max_iter)
        return coefficients, path[-1]


def imperfect_loss(scores: Scores, alpha_of_label: Scores, cost: Vector) -> tuple[float, Scores]:
    """Return −Σ cost_i log Σ_h α_{ỹ_i h} P(h | x_i) and its derivatives; row i of ``alpha_of_label`` is α_{ỹ_i ·}."""
    p = np.exp(log_softmax(scores, axis=1))
    joint = alpha_of_label * p
    total = np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
    return -float(cost @ np.log(total).ravel()), cost[:, np.newaxis] * (p - joint / total)


def m_step_alpha(scores: Scores, alpha: Mislabels, imperfect: NDArray[np.int64], weights: Vector) -> Mislabels:
    """Maximize Σ log Σ_h α_{ỹ_i h} P(h | x_i) over α by EM: α_kh ∝ Σ_{i: ỹ_i = k} P(h | ỹ_i, x_i)."""
    p = np.exp(log_softmax(scores, axis=1))
    of_label = np.equal.outer(np.arange(len(alpha)), imperfect) * weights
    for _ in range(_ALPHA_STEPS):
        joint = alpha[imperfect] * p
        responsibility = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
        counts = of_label @ responsibility
        new = np.where(counts.sum(axis=0) > 0.0, counts / np.maximum(counts.sum(axis=0), 1e-300), alpha)
        done = bool(np.abs(new - alpha).max() < 1e-6)
        alpha = new
        if done:
            break
    return alpha


def _noisy_codes(noisy_labels: ArrayLike | None, labels: Labels) -> NDArray[np.int64]:
    if noisy_labels is None:
        return np.full(len(labels.codes), UNLABELED)
    codes = encode_labels(noisy_labels, classes=labels.classes).codes
    if len(codes) != len(labels.codes):
        raise InputError(
            f"noisy_labels has {len(codes)} entries and y {len(labels.codes)}; each row needs one: mark rows without "
            "one as unlabeled."
        )
    return codes

"""What a model's answers may be worth, found out on labels that it was not shown."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEWEST_LABELS = 10  # below, an estimate of the accuracy says nothing
_PLENTY = 20  # labels a category
_HOTTEST = 1e4
Floats = NDArray[np.float64]
Labels = Sequence[str | None]


@dataclass(frozen=True)
class Estimate:
    """How many held-out labels come back, from the model and from the supervised baseline."""

    right: int
    baseline_right: int
    of: int
    folds: int


def usual_folds(labels: Labels) -> int:
    """Return 5 where labels abound, else 10: where they are few, each one that is hidden is missed by the model."""
    named = [label for label in labels if label is not None]
    return 5 if len(named) >= _PLENTY * len(set(named)) else 10


def can_estimate(labels: Labels, folds: int) -> bool:
    """Say whether there are enough labels to hold some out: two classes must be left in every fold's training part."""
    counts = np.unique([label for label in labels if label is not None], return_counts=True)[1]
    return counts.sum() >= max(FEWEST_LABELS, folds) and (counts >= 2).sum() >= 2


def estimate_worth(model: Any, baseline: Any, X: Any, labels: Labels, folds: int) -> Estimate:
    """Hide the labels of one fold after the other; hidden rows stay in, unlabeled, as the rows to categorize do."""
    from sklearn.base import clone

    from smatter.labels import encode_labels
    from smatter.model_selection import LabeledKFold
    from smatter.progress import Progress, report

    encoded = encode_labels(np.array(labels, dtype=object))
    right = baseline_right = 0
    for fold, (_, test) in enumerate(LabeledKFold(folds).split(X, encoded.codes), 1):
        codes = encoded.codes.copy()
        codes[test] = -1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = clone(model).fit(X, codes)
            beside = clone(baseline).fit(X, codes)
        right += int((fitted.transduction_[test] == encoded.codes[test]).sum())
        baseline_right += int((beside.transduction_[test] == encoded.codes[test]).sum())
        report(Progress("folds", fold, folds))
    return Estimate(right, baseline_right, int(encoded.labeled.sum()), folds)


def honest_temperature(posterior: Floats, share: float) -> float:
    """Return the T ≥ 1 under which the mean probability of the decisions is the share of them that is right.

    >>> sure = np.array([[0.99, 0.01]] * 4)
    >>> cooled(sure, honest_temperature(sure, 0.8)).max(axis=1).mean().round(3).item()
    0.8
    """
    from scipy.optimize import brentq

    def claim_too_much(log_temperature: float) -> float:
        return float(cooled(posterior, float(np.exp(log_temperature))).max(axis=1).mean()) - share

    hottest = float(np.log(_HOTTEST))
    if len(posterior) == 0 or claim_too_much(0.0) <= 0:
        return 1.0
    if claim_too_much(hottest) >= 0:
        return _HOTTEST
    return float(np.exp(brentq(claim_too_much, 0.0, hottest, xtol=1e-6)))


def cooled(posterior: Floats, temperature: float) -> Floats:
    """Return P^(1/T), each row normalized.

    >>> cooled(np.array([[0.9, 0.1]]), 2.0).round(2).tolist()
    [[0.75, 0.25]]
    """
    scores = np.log(np.maximum(posterior, np.finfo(np.float64).tiny)) / temperature
    P = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(P / P.sum(axis=1, keepdims=True))


def wilson(right: int, of: int, z: float = 1.96) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share.

    >>> [round(bound, 2) for bound in wilson(18, 20)]
    [0.7, 0.97]
    """
    share = right / of
    middle = (share + z**2 / (2 * of)) / (1 + z**2 / of)
    half = z / (1 + z**2 / of) * (share * (1 - share) / of + z**2 / (4 * of**2)) ** 0.5
    return max(0.0, middle - half), min(1.0, middle + half)

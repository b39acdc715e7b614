"""From scores to probabilities: P(k | x) = softmax_k(f_k(x) / T), or the sigmoid of f(x) / T for two classes.

T is chosen on scores that the labeled rows get while their labels are hidden: the semi-supervised fit is repeated for
three folds of the labeled rows, on at most 2000 unlabeled ones. One number cannot change a decision, so that the class
of the largest score stays the most probable one. Platt's targets, (n_k + 1)/(n_k + 2) in place of 1, keep T above 0
when all held-out rows are on their side. Guo et al., On calibration of modern neural networks, ICML 2017; Platt 1999.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from smatter.labels import Codes


def two_columns(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """One column of scores for two classes becomes two, 0 and f: their softmax is the sigmoid of f."""
    return np.column_stack([np.zeros(len(scores)), scores.ravel()]) if scores.ndim == 1 else scores


def fit_temperature(scores: NDArray[np.float64], codes: Codes) -> float:
    """Return the T that makes the held-out labels likeliest."""
    columns = two_columns(scores)
    n_classes = columns.shape[1]
    counts = np.bincount(codes, minlength=n_classes)
    hit = (counts[codes] + 1.0) / (counts[codes] + 2.0)
    targets = np.repeat(((1.0 - hit) / (n_classes - 1))[:, np.newaxis], n_classes, axis=1)
    targets[np.arange(len(codes)), codes] = hit

    def surprise(log_temperature: float) -> float:
        return -float((targets * log_softmax(columns / np.exp(log_temperature), axis=1)).sum())

    found: Any = minimize_scalar(surprise, bounds=(np.log(1e-3), np.log(1e3)), method="bounded")
    return float(np.exp(found.x))

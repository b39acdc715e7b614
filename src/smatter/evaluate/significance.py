"""Is one method better than another, or was it the split?

The seeds use the paired t-test at 5 %. Its runs share most of their training rows, so it finds differences too easily;
the corrected resampled t-test (Nadeau and Bengio 2003) stands beside it.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smatter.errors import InputError

LEVEL = 0.05


@dataclass(frozen=True)
class TestResult:
    """The outcome of a two-sided t-test of "the mean difference is 0"."""

    __test__ = False  # its name looks like a test case to pytest

    mean_difference: float
    statistic: float
    degrees_of_freedom: int
    p_value: float
    level: float = LEVEL

    @property
    def significant(self) -> bool:
        """True where the difference is unlikely to be chance, at the level."""
        return self.p_value < self.level


def paired_t_test(scores: ArrayLike, baseline: ArrayLike, *, level: float = LEVEL) -> TestResult:
    """Student's paired t-test, t = d̄ / √(s²/J) with J − 1 degrees of freedom.

    >>> paired_t_test([0.9, 0.8, 0.9, 0.8], [0.8, 0.8, 0.8, 0.8]).significant
    False
    """
    differences = _differences(scores, baseline)
    return _t_test(differences, 1 / len(differences), level)


def corrected_resampled_t_test(
    scores: ArrayLike, baseline: ArrayLike, *, test_to_train: float, level: float = LEVEL
) -> TestResult:
    """Nadeau and Bengio's (2003) corrected resampled t-test, t = d̄ / √((1/J + n_test/n_train) s²).

    Parameters
    ----------
    scores, baseline : array-like of length J
        One score a split of both methods, in the same order.
    test_to_train : float
        n_test/n_train, 1/(K − 1) for K folds.
    level : float, default 0.05
        The level at which ``significant`` answers.

    References
    ----------
    C. Nadeau and Y. Bengio. Inference for the generalization error. Machine Learning 52, 2003.

    Examples
    --------
    >>> corrected_resampled_t_test([0.9, 0.7, 0.8], [0.6, 0.5, 0.4], test_to_train=0.25).degrees_of_freedom
    2

    """
    if not test_to_train > 0:
        raise InputError(
            f"test_to_train={test_to_train} must be above 0: pass the number of test rows by that of training rows."
        )
    differences = _differences(scores, baseline)
    return _t_test(differences, 1 / len(differences) + test_to_train, level)


def _differences(scores: ArrayLike, baseline: ArrayLike) -> NDArray[np.float64]:
    first, second = np.asarray(scores, dtype=np.float64), np.asarray(baseline, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1:
        raise InputError(
            f"Scores have shapes {first.shape} and {second.shape}; a paired test needs one score of each method a "
            "split: pass the scores of the same splits."
        )
    if len(first) < 2:
        raise InputError(f"{len(first)} pair of scores; a t-test needs two at least: run more folds.")
    return first - second


def _t_test(differences: NDArray[np.float64], variance_factor: float, level: float) -> TestResult:
    from scipy.stats import t as student

    mean = float(differences.mean())
    deviation = float(differences.std(ddof=1))
    # Differences that are equal but for rounding have no spread to test against.
    if deviation <= 1e-12 * max(1.0, abs(mean)):
        equal = abs(mean) <= 1e-12
        statistic = 0.0 if equal else math.copysign(math.inf, mean)
        return TestResult(mean, statistic, len(differences) - 1, 1.0 if equal else 0.0, level)
    statistic = mean / math.sqrt(variance_factor * deviation**2)
    p_value = 2 * float(student.sf(abs(statistic), len(differences) - 1))
    return TestResult(mean, statistic, len(differences) - 1, p_value, level)

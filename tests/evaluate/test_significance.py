import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from smatter.errors import InputError
from smatter.evaluate.significance import corrected_resampled_t_test, paired_t_test

scores = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=3, max_size=20).filter(
    lambda pairs: np.std([a - b for a, b in pairs]) > 1e-6
)


@given(scores)
def test_the_paired_test_agrees_with_scipy(pairs):
    first, second = np.transpose(pairs)
    ours, theirs = paired_t_test(first, second), stats.ttest_rel(first, second)
    assert ours.statistic == pytest.approx(theirs.statistic)
    assert ours.p_value == pytest.approx(theirs.pvalue)
    assert ours.degrees_of_freedom == len(pairs) - 1


@given(scores, st.floats(0.01, 5))
def test_the_correction_divides_the_statistic_by_its_closed_form(pairs, ratio):
    first, second = np.transpose(pairs)
    plain = paired_t_test(first, second)
    corrected = corrected_resampled_t_test(first, second, test_to_train=ratio)
    n = len(pairs)
    assert corrected.statistic == pytest.approx(plain.statistic / math.sqrt(1 + n * ratio))
    assert corrected.p_value >= plain.p_value


def test_both_tests_by_hand():
    # d = (1, 2, 3): mean 2, s² = 1; t = 2/√(1/3) = 2√3 with 2 degrees of freedom, where
    # P(|T| > t) = 1 − t/√(t² + 2). Corrected with ratio 2/3: t = 2/√(1/3 + 2/3) = 2.
    plain = paired_t_test([1, 3, 5], [0, 1, 2])
    assert plain.statistic == pytest.approx(2 * math.sqrt(3))
    assert plain.p_value == pytest.approx(1 - plain.statistic / math.sqrt(plain.statistic**2 + 2))
    corrected = corrected_resampled_t_test([1, 3, 5], [0, 1, 2], test_to_train=2 / 3)
    assert corrected.statistic == pytest.approx(2)
    assert corrected.p_value == pytest.approx(1 - 2 / math.sqrt(6))


@given(scores)
def test_swapping_the_methods_turns_the_sign_only(pairs):
    first, second = np.transpose(pairs)
    one, other = paired_t_test(first, second), paired_t_test(second, first)
    assert one.statistic == pytest.approx(-other.statistic) and one.p_value == pytest.approx(other.p_value)


def test_differences_without_spread():
    same = paired_t_test([0.5, 0.7], [0.5, 0.7])
    assert (same.statistic, same.p_value, same.significant) == (0.0, 1.0, False)
    always = paired_t_test([0.6, 0.8], [0.5, 0.7])
    assert (always.statistic, always.p_value, always.significant) == (math.inf, 0.0, True)


def test_the_level_decides_what_is_significant():
    first, second = [0.81, 0.84, 0.80, 0.85], [0.80, 0.80, 0.79, 0.82]
    p_value = paired_t_test(first, second).p_value
    assert paired_t_test(first, second, level=p_value * 1.01).significant
    assert not paired_t_test(first, second, level=p_value * 0.99).significant


def test_under_the_null_five_in_a_hundred_are_significant():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(4000, 10))
    rate = np.mean([paired_t_test(row, np.zeros(10)).significant for row in draws])
    assert abs(rate - 0.05) < 0.012


def test_bad_input_is_refused():
    with pytest.raises(InputError, match=r"shapes \(2,\) and \(3,\)"):
        paired_t_test([1, 2], [1, 2, 3])
    with pytest.raises(InputError, match="1 pair of scores; a t-test needs two"):
        paired_t_test([1], [2])
    with pytest.raises(InputError, match="test_to_train=0 must be above 0"):
        corrected_resampled_t_test([1, 2], [2, 2], test_to_train=0)

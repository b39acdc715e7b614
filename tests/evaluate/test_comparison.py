import math

import numpy as np
import pytest

from smatter.errors import InputError
from smatter.evaluate.comparison import compare
from smatter.evaluate.significance import corrected_resampled_t_test, paired_t_test

rng = np.random.default_rng(0)
SCORES = {"nb": rng.normal(0.7, 0.05, (4, 3)), "em": rng.normal(0.75, 0.05, (4, 3))}


def records(scores=SCORES):
    return [
        {"collection": "c", "method": method, "budget": "5%", "x": 5.0, "fold": fold, "start": start, "f": value}
        for method, table in scores.items()
        for (fold, start), value in np.ndenumerate(table)
    ]


def test_runs_are_paired_and_the_corrected_test_sees_one_score_a_fold():
    baseline, method = compare(records(), "f", baseline="nb", test_to_train=lambda name: 0.25)
    assert baseline.gain is None
    assert method.gain == pytest.approx((SCORES["em"] - SCORES["nb"]).mean())
    assert method.paired == paired_t_test(SCORES["em"].ravel(), SCORES["nb"].ravel())
    expected = corrected_resampled_t_test(SCORES["em"].mean(1), SCORES["nb"].mean(1), test_to_train=0.25)
    assert method.corrected.p_value == pytest.approx(expected.p_value)


def test_the_order_of_the_records_does_not_matter():
    shuffled = records()
    rng.shuffle(shuffled)
    by_method = {
        item.point.method: item for item in compare(shuffled, "f", baseline="nb", test_to_train=lambda _: 0.25)
    }
    expected = compare(records(), "f", baseline="nb", test_to_train=lambda _: 0.25)[1]
    assert by_method["em"].paired.p_value == pytest.approx(expected.paired.p_value)


def test_only_runs_of_both_methods_are_compared():
    some = [record for record in records() if record["method"] == "nb" or record["fold"] < 2]
    some[-1]["f"] = math.nan
    method = compare(some, "f", baseline="nb", test_to_train=lambda _: None)[1]
    assert method.paired.degrees_of_freedom == 4
    assert method.corrected is None


def test_a_single_run_has_a_gain_and_no_test():
    single = [record for record in records() if record["fold"] == record["start"] == 0]
    method = compare(single, "f", baseline="nb", test_to_train=lambda _: 0.25)[1]
    assert method.gain is not None and method.paired is None


def test_without_the_baseline_there_is_no_comparison():
    with pytest.raises(InputError, match=r"baseline='svm' is not among the methods \['em', 'nb'\]"):
        compare(records(), "f", baseline="svm", test_to_train=lambda _: 0.25)

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from smatter import LabelBudget, NaiveBayes, Session, SmallGain, StablePredictions
from smatter.active.stopping import cohen_kappa, extrapolate, held_out_curve
from smatter.errors import InputError


def decided_by(*decisions):
    return SimpleNamespace(decisions=[np.array(decided) for decided in decisions])


def test_kappa_is_that_of_scikit_learn():
    random = np.random.default_rng(0)
    first, second = random.integers(0, 4, 200), random.integers(0, 4, 200)
    second[:120] = first[:120]
    assert cohen_kappa(first, second) == pytest.approx(cohen_kappa_score(first, second))
    assert cohen_kappa(np.zeros(5, int), np.zeros(5, int)) == 1


def test_a_budget_is_spent_and_an_empty_pool_ends_all(collection):
    X, codes = collection
    y = np.where(np.arange(40) < 6, codes, -1)
    assert LabelBudget(7).reason(Session(NaiveBayes(), X, y)) is None
    assert "of a budget of 6" in LabelBudget(6).reason(Session(NaiveBayes(), X, y))
    assert "every row" in LabelBudget(100).reason(Session(NaiveBayes(), X, codes))


def test_predictions_are_stable_when_models_some_rounds_apart_agree():
    same, other = [0, 1, 0, 1], [1, 0, 1, 1]
    rule = StablePredictions(step=2, comparisons=2)
    assert rule.reason(decided_by(same, same, same)) is None  # two comparisons need five rounds
    assert rule.reason(decided_by(other, same, same, other, same)) is None  # rounds 0, 2 and 4 count
    assert "κ = 1.0000" in rule.reason(decided_by(same, other, same, other, same))


def test_a_perfect_curve_is_continued_exactly():
    n = np.array([20.0, 30, 50, 80, 120])
    for power in (0.3, 1.0):
        gain = extrapolate(n, 0.9 - 0.8 * n**-power, 60)
        assert gain.expected == pytest.approx(0.8 * (120**-power - 180**-power), rel=0.1)
        assert gain.low <= gain.expected <= gain.high


def test_a_flat_or_falling_curve_gains_nothing():
    n = np.array([20.0, 30, 50, 80, 120])
    assert extrapolate(n, np.full(5, 0.7), 50).high < 1e-4
    assert extrapolate(n, 0.7 - n / 1000, 50).expected < 0.001


def test_the_interval_holds_the_truth_as_often_as_it_says():
    random = np.random.default_rng(1)
    n = np.linspace(20, 200, 10)
    truth = 1.5 * (200**-0.7 - 300**-0.7)
    gains = [extrapolate(n, 0.9 - 1.5 * n**-0.7 + 0.01 * random.standard_normal(10), 100) for _ in range(200)]
    inside = np.mean([gain.low <= truth <= gain.high for gain in gains])
    assert 0.8 <= inside <= 1.0
    assert np.mean([gain.high - gain.low for gain in gains]) < 0.05


def test_a_small_gain_stops_and_a_large_one_does_not(collection):
    X, codes = collection
    X, codes = X[np.tile(np.arange(40), 5)], np.tile(codes, 5)
    session = Session(NaiveBayes(smoothing=0.1), X, np.where(np.arange(200) < 120, codes, -1)).wait()
    reason = SmallGain(next_labels=10, gain=0.2).reason(session)
    assert "10 more labels are expected to raise F by" in reason
    assert SmallGain(next_labels=10, gain=0.0).reason(session) is None
    assert SmallGain(at_least=150).reason(session) is None
    assert SmallGain(every=7).reason(session) is None


def test_too_few_labels_to_hold_any_out_give_no_curve(collection):
    X, codes = collection
    assert held_out_curve(NaiveBayes(), X, np.where(np.arange(40) < 2, codes, -1)) is None


def test_bad_rules_and_curves_are_refused():
    with pytest.raises(InputError, match="labels=0 of LabelBudget must be a whole number"):
        LabelBudget(0)
    with pytest.raises(InputError, match="agreement=2 of StablePredictions"):
        StablePredictions(2)
    with pytest.raises(InputError, match="3 numbers and 3 scores cannot be extrapolated"):
        extrapolate([1, 2, 3], [0.1, 0.2, 0.3], 10)

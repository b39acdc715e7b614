import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from smatter.cli._estimate import can_estimate, cooled, estimate_worth, honest_temperature, usual_folds, wilson
from smatter.cli._work import count_words
from smatter.models.bayes.naive_bayes import NaiveBayes
from smatter.models.bayes.naive_bayes_em import NaiveBayesEM


@given(st.floats(0.3, 1.0), st.integers(0, 1000))
def test_the_mean_claim_becomes_the_share_that_is_right(share, seed):
    P = np.random.default_rng(seed).dirichlet([0.02] * 5, size=50)
    temperature = honest_temperature(P, share)
    claim = cooled(P, temperature).max(axis=1).mean()
    assert temperature >= 1.0
    if temperature > 1.0:
        assert claim == pytest.approx(share, abs=1e-4)
    else:
        assert P.max(axis=1).mean() <= share + 1e-9, "a model that claims too little is left alone"


def test_no_temperature_makes_a_claim_lower_than_chance():
    P = np.array([[1.0, 0.0], [1.0, 0.0]])
    assert cooled(P, honest_temperature(P, 0.1)).max() == pytest.approx(0.5, abs=0.02)
    assert honest_temperature(np.empty((0, 2)), 0.5) == 1.0


@given(st.integers(0, 1000), st.floats(1.0, 100.0))
def test_cooling_keeps_rows_and_decisions(seed, temperature):
    P = np.random.default_rng(seed).dirichlet([0.5] * 4, size=20)
    colder = cooled(P, temperature)
    np.testing.assert_allclose(colder.sum(axis=1), 1.0)
    assert (colder.argmax(axis=1) == P.argmax(axis=1)).all()
    np.testing.assert_allclose(cooled(P, 1.0), P, atol=1e-12)


@pytest.mark.parametrize(("right", "of", "low", "high"), [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0)])
def test_wilson(right, of, low, high):
    assert wilson(right, of) == pytest.approx((low, high), abs=1e-3)


def test_when_labels_are_enough():
    assert can_estimate(["a", "b"] * 5 + [None], 5)
    assert not can_estimate(["a", "b"] * 4 + [None], 5), "eight labels say nothing"
    assert not can_estimate(["a"] * 20 + ["b"], 5), "hiding b leaves one class"
    assert usual_folds(["a", "b"] * 20) == 5
    assert usual_folds(["a", "b"] * 19) == 10


def test_the_estimate_is_near_the_truth():
    """Labels come back at about the rate at which hidden ones are found."""
    from smatter.demo.company import company_mail

    mail = company_mail(600, seed=4)
    X = count_words(mail.texts)
    labels = [truth if row < 150 else None for row, truth in enumerate(mail.truth)]
    found = estimate_worth(NaiveBayesEM(), NaiveBayes(), X, labels, 5)
    model = NaiveBayesEM().fit(X, np.array(labels, dtype=object))
    truth = np.array(mail.truth, dtype=object)
    accuracy = float((model.transduction_[150:] == truth[150:]).mean())
    low, high = wilson(found.right, found.of)
    assert found.of == 150
    assert low - 0.02 <= accuracy <= high + 0.02
    assert found.baseline_right < found.right


def test_words_are_counted_in_tiny_and_in_odd_collections():
    assert count_words(["hammer"]).shape == (1, 1)
    assert count_words([f"word{number}" for number in range(300)]).shape == (300, 300)
    assert count_words(["hammer nails"] * 300).shape == (300, 2)

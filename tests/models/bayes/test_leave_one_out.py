"""The subtraction against a real refit without the document."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from models.bayes.collections import EVENTS, counts, partly, rows_for, setting
from reference import bayes as slow
from smatter import NaiveBayes, NaiveBayesEM
from smatter.models.bayes import _rows
from smatter.models.bayes._leave_one_out import _TEMPERATURES, tempered_log_loss

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("prior", [None, [0.6, 0.3, 0.1]])
def test_losses_are_those_of_refits(event, prior):
    X, truth = rows_for(event, n=30)
    y = partly(truth, 4)
    model = NaiveBayesEM(event_model=event, smoothing=0.3, length_exponent=1.0, class_prior=prior, tol=1e-4).fit(X, y)
    for weight, loss in model.leave_one_out_loss_.items():
        one = NaiveBayesEM(weight, event_model=event, smoothing=0.3, class_prior=prior, tol=1e-4).fit(X, y)
        twin = setting(event, X, y, weight, smoothing=0.3, class_prior=prior)
        assert loss == pytest.approx(slow.leave_one_out_loss(twin, one.posterior_, _TEMPERATURES), abs=1e-9)


@pytest.mark.parametrize("event", EVENTS)
def test_the_smoothing_is_that_of_the_smallest_loss_of_refits(event):
    X, truth = rows_for(event, n=30, seed=5)
    y = partly(truth, 5)
    labeled = y >= 0
    losses = {}
    for smoothing in (1.0, 0.3, 0.1, 0.03, 0.01, 0.003):
        twin = setting(event, X[labeled], y[labeled], smoothing=smoothing, all_rows=X.tolist())
        losses[smoothing] = slow.leave_one_out_loss(twin, slow.one_hot(y[labeled], 3), _TEMPERATURES)
    chosen = NaiveBayes(event).fit(X, y).smoothing_
    assert losses[chosen] == pytest.approx(min(losses.values()), abs=1e-12)


def test_the_length_exponent_is_that_of_the_smallest_loss_of_refits():
    X, truth = counts(30, 12, seed=2)
    X[::4] *= 5
    lengths = X.sum(axis=1)
    y = partly(truth, 5)
    losses = {}
    for exponent in (1.0, 0.5, 0.25, 0.0):
        scaled = X * (lengths.mean() / lengths)[:, None] ** (1 - exponent)
        twin = setting("multinomial", scaled[y >= 0], y[y >= 0], smoothing=0.1)
        losses[exponent] = slow.leave_one_out_loss(twin, slow.one_hot(y[y >= 0], 3), _TEMPERATURES)
    model = NaiveBayes(smoothing=0.1, length_exponent="loo").fit(X, y)
    assert losses[model.length_exponent_] == pytest.approx(min(losses.values()), abs=1e-9)


@pytest.mark.parametrize("event", ["multinomial", "bernoulli"])
def test_work_in_parts_is_work_at_once(event, monkeypatch):
    X, truth = counts(60, 15)
    y = partly(truth, 8)
    at_once = NaiveBayesEM(event_model=event).fit(sp.csr_array(X), y).leave_one_out_loss_
    monkeypatch.setattr(_rows, "_PART", 7)
    for rows in (X, sp.csr_array(X)):
        in_parts = NaiveBayesEM(event_model=event).fit(rows, y).leave_one_out_loss_
        assert in_parts == pytest.approx(at_once, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 10_000), spread=st.sampled_from([1e-3, 1.0, 50.0, 5000.0]))
def test_the_temperature_is_the_best_of_all(seed, spread):
    random = np.random.RandomState(seed)
    n, K = 1 + seed % 9, 2 + seed % 4
    scores, codes, weights = spread * random.randn(n, K), random.randint(K, size=n), random.rand(n) + 0.1
    expected = np.inf
    for temperature in _TEMPERATURES:
        tempered = scores / temperature
        top = tempered.max(axis=1)
        log_loss = top + np.log(np.exp(tempered - top[:, None]).sum(axis=1)) - tempered[np.arange(n), codes]
        expected = min(expected, float(np.average(log_loss, weights=weights)))
    assert tempered_log_loss(scores, codes, weights) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_single_labels_take_no_turn_where_others_have_company():
    X, truth = counts(60, 15)
    y = partly(truth, 5)
    y[np.flatnonzero(y == 2)[1:]] = -1
    model = NaiveBayesEM().fit(X, y)
    assert np.isfinite(list(model.leave_one_out_loss_.values())).all()


def test_nothing_to_leave_out_takes_the_first_candidates():
    X, truth = counts(60, 15)
    model = NaiveBayes(length_exponent="loo").fit(X, partly(truth, 1))
    assert (model.smoothing_, model.length_exponent_) == (0.1, 1.0)

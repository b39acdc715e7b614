"""Several components a class: against loops, N's equations by hand, free P(y | m) on drawn data."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from models.bayes.collections import EVENTS, counts, partly, rows_for, setting
from reference import bayes as slow
from smatter import ManyComponentNaiveBayes, NaiveBayesEM
from smatter.errors import EmptyRowsWarning, InputError, LabelError
from smatter.models.bayes._component_starts import STARTS, tree_start

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def two_topics_a_class(n: int = 240, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Class 0 speaks of two things that have nothing to do with each other, class 1 of a third, in between."""
    random = np.random.RandomState(seed)
    topic = np.arange(n) % 3
    rates = np.array([[4, 1, 0.1, 1], [0.1, 1, 4, 1], [1, 4, 1, 1]]).repeat(4, axis=1) / 2
    return random.poisson(rates[topic]).astype(float), topic, (topic == 2).astype(int)


def test_the_estimates_by_hand():
    """N eq. 2.9: (Σ x_k P(M|x) + 1) / (Σ Σ x_k P(M|x) + d); eq. 2.10: (Σ P(M|x) + 1) / (l + |M|)."""
    X = np.array([[3, 0, 1], [1, 1, 0], [0, 2, 0]])
    model = ManyComponentNaiveBayes(1, smoothing=1.0, random_state=0).fit(X, ["a", "a", "b"])
    np.testing.assert_allclose(model.word_given_component_, [[5 / 9, 2 / 9, 2 / 9], [1 / 5, 3 / 5, 1 / 5]])
    np.testing.assert_allclose(model.class_prior_, [3 / 5, 2 / 5])
    three = ManyComponentNaiveBayes([2, 1], smoothing=1.0, max_iter=1, random_state=0).fit(X, ["a", "a", "b"])
    np.testing.assert_allclose(np.exp(three.mixture_.log_prior), [2 / 6, 2 / 6, 2 / 6])
    expected = [[4 / 7, 1 / 7, 2 / 7], [2 / 5, 2 / 5, 1 / 5], [1 / 5, 3 / 5, 1 / 5]]
    np.testing.assert_allclose(sorted(three.word_given_component_.tolist()), sorted(expected))


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("labels", ["fixed", "free"])
def test_loops_say_the_same(event, labels):
    X, truth = rows_for(event, n=30)
    y = partly(truth, 5)
    model = ManyComponentNaiveBayes(
        [2, 1, 3],
        start="random",
        component_labels=labels,
        unlabeled_weight=0.6,
        event_model=event,
        smoothing=0.4,
        tol=0.0,
        max_iter=6,
        random_state=3,
    )
    weights = np.random.RandomState(0).rand(len(y)) + 0.2
    model.fit(X, y, sample_weight=weights)
    twin = setting(event, X, y, 0.6, smoothing=0.4, prior_smoothing=1.0, owner=[0, 0, 1, 2, 2, 2])
    twin.weights, twin.free = (np.where(y == -1, 0.6, 1.0) * weights).tolist(), labels == "free"
    start = first_responsibilities(model, y, [2, 1, 3])
    parameters, R, objective = slow.em(twin, start, model.n_iter_, softness=0.1 if twin.free else 0.0)
    np.testing.assert_allclose(model.objective_, objective, rtol=1e-9)
    np.testing.assert_allclose(model.component_posterior_, R, atol=1e-8)
    np.testing.assert_allclose(model.class_given_component_, parameters.class_given, atol=1e-9)
    expected = [slow.class_posterior(twin, parameters, row) for row in X.tolist()]
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-8)
    np.testing.assert_allclose(model.posterior_[y == -1], np.array(expected)[y == -1], atol=1e-8)


def first_responsibilities(model: ManyComponentNaiveBayes, y: np.ndarray, n_per_class: list[int]) -> np.ndarray:
    """The Dirichlet draws of the random start, in the order in which the model makes them."""
    seed = np.random.RandomState(model.random_state).randint(np.iinfo(np.int32).max)
    random, R, first = np.random.RandomState(seed), np.zeros((len(y), sum(n_per_class))), 0
    for code, n in enumerate(n_per_class):
        rows = np.flatnonzero(y == code)
        R[rows, first : first + n] = random.dirichlet(np.ones(n), size=len(rows)) if n > 1 else 1.0
        first += n
    return R


@settings(max_examples=40, deadline=None)
@given(
    event=st.sampled_from(EVENTS),
    labels=st.sampled_from(["fixed", "free"]),
    start=st.sampled_from(list(STARTS)),
    weight=st.sampled_from([0.0, 0.3, 1.0]),
    smoothing=st.sampled_from([0.0, 1e-4, 0.2, 1.0]),
    given_prior=st.booleans(),
    seed=st.integers(0, 10_000),
)
def test_the_objective_never_falls(event, labels, start, weight, smoothing, given_prior, seed):
    X, truth = rows_for(event, seed=seed, n=30)
    y = partly(truth, 4, seed=seed)
    model = ManyComponentNaiveBayes(
        [1, 2, 3],
        start=start,
        component_labels=labels,
        unlabeled_weight=weight,
        event_model=event,
        smoothing=smoothing,
        class_prior=[0.2, 0.3, 0.5] if given_prior and labels == "fixed" else None,
        tol=0.0,
        max_iter=20,
        random_state=seed,
    )
    model.fit(X, y, sample_weight=np.random.RandomState(seed).randint(1, 3, len(y)))
    assert (np.diff(model.objective_) >= -1e-9 * np.abs(model.objective_[1:])).all()
    assert np.isfinite(model.posterior_).all()
    np.testing.assert_allclose(model.posterior_.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.component_posterior_.sum(axis=1), 1.0)
    if model.class_prior is not None:
        np.testing.assert_allclose(model.class_prior_, model.class_prior)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("start", list(STARTS))
def test_one_component_a_class_is_naive_bayes_em(event, start):
    """With P(c) given; where it is estimated, eq. 2.10 adds one row to each class."""
    X, truth = rows_for(event)
    y, prior = partly(truth, 3), [0.3, 0.3, 0.4]
    many = ManyComponentNaiveBayes(1, start=start, event_model=event, smoothing=0.2, class_prior=prior, random_state=0)
    one = NaiveBayesEM(1.0, event_model=event, smoothing=0.2, class_prior=prior)
    np.testing.assert_allclose(many.fit(X, y).predict_proba(X), one.fit(X, y).predict_proba(X), atol=1e-9)
    many.set_params(class_prior=None, tol=0.0, max_iter=5).fit(X, y)
    _, R, _ = slow.em(setting(event, X, y, smoothing=0.2, prior_smoothing=1.0), slow.one_hot(y, 3), many.n_iter_)
    np.testing.assert_allclose(many.posterior_, R, atol=1e-9)


@pytest.mark.parametrize("labels", ["fixed", "free"])
def test_two_components_tell_apart_what_one_cannot(labels):
    X, _, truth = two_topics_a_class()
    y = partly(truth, 8)
    one = NaiveBayesEM(1.0, smoothing=0.1).fit(X, y)
    two = ManyComponentNaiveBayes([2, 1], component_labels=labels, smoothing=0.1, random_state=0).fit(X, y)
    assert (two.transduction_ == truth).mean() > (one.transduction_ == truth).mean() + 0.05
    assert (two.transduction_ == truth).mean() > 0.95


def test_the_number_of_components_is_found():
    X, _, truth = two_topics_a_class(n=360)
    model = ManyComponentNaiveBayes("cv", max_components=4, smoothing=0.1, random_state=0).fit(X, partly(truth, 40))
    assert sorted(model.cv_loss_) == [1, 2, 3, 4]
    assert model.n_components_[0] >= 2
    assert min(model.cv_loss_.values()) < 0.9 * model.cv_loss_[1]
    assert (model.transduction_ == truth).mean() > 0.95


def test_free_components_recover_the_truth_of_drawn_data():
    """Three topics: one of class 0, one of class 1, one of either; P(y | m) is learned, not given."""
    random = np.random.RandomState(0)
    topic = random.randint(3, size=600)
    rates = np.full((3, 15), 0.3)
    for t in range(3):
        rates[t, 5 * t : 5 * t + 5] = 3.0
    X, given = random.poisson(rates[topic]).astype(float), np.array([[1, 0], [0, 1], [0.7, 0.3]])
    truth = (random.rand(600) < given[topic, 1]).astype(int)
    y = np.where(random.rand(600) < 0.6, truth, -1)
    model = ManyComponentNaiveBayes([2, 1], component_labels="free", smoothing=0.1, random_state=0).fit(X, y)
    found = model.word_given_component_.reshape(3, 3, 5).sum(axis=2).argmax(axis=1)
    assert sorted(found.tolist()) == [0, 1, 2]
    np.testing.assert_allclose(model.class_given_component_, given[found], atol=0.08)
    np.testing.assert_allclose(model.class_given_component_.sum(axis=1), 1.0)
    expected = rates / rates.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.word_given_component_, expected[found], atol=0.02)
    fixed = ManyComponentNaiveBayes([2, 1], smoothing=0.1, random_state=0).fit(X, y)
    assert set(np.unique(fixed.class_given_component_)) == {0.0, 1.0}


@pytest.mark.parametrize("start", list(STARTS))
def test_the_same_seed_the_same_answer_on_any_number_of_threads(start):
    X, _, truth = two_topics_a_class()
    y, options = partly(truth, 12), {"start": start, "max_components": 3, "random_state": 7}
    first = ManyComponentNaiveBayes("cv", **options).fit(sp.csr_array(X), y)
    with threadpool_limits(1):
        second = ManyComponentNaiveBayes("cv", **options).fit(sp.csr_array(X), y)
    np.testing.assert_array_equal(first.posterior_, second.posterior_)
    assert first.cv_loss_ == second.cv_loss_


def test_the_order_of_rows_words_and_class_names_does_not_matter():
    X, _, truth = two_topics_a_class(n=90)
    y, random = partly(truth, 9), np.random.RandomState(0)
    model = ManyComponentNaiveBayes([2, 3], smoothing=0.1, random_state=0)
    straight = model.fit(X, y).posterior_
    rows, words = random.permutation(len(X)), random.permutation(X.shape[1])
    names = np.array(["z", "a", ""])[y]
    turned = model.set_params(n_components=[3, 2]).fit(X[rows][:, words], names[rows]).posterior_
    np.testing.assert_allclose(turned[:, ::-1], straight[rows], atol=1e-7)


def test_sparse_is_dense():
    X, _, truth = two_topics_a_class(n=90)
    y = partly(truth, 9)
    for event in ("multinomial", "bernoulli"):
        model = ManyComponentNaiveBayes("cv", max_components=3, event_model=event, random_state=0)
        dense = model.fit(X, y).posterior_
        np.testing.assert_allclose(model.fit(sp.csr_array(X), y).posterior_, dense, atol=1e-7)


@pytest.mark.parametrize("labels", ["fixed", "free"])
def test_a_warm_start_goes_on_to_the_same_solution(labels):
    X, _, truth = two_topics_a_class(n=90)
    y = partly(truth, 6)
    options = {"component_labels": labels, "smoothing": 0.3, "tol": 1e-12, "random_state": 0}
    cold = ManyComponentNaiveBayes([2, 2], max_iter=300, **options).fit(X, y)
    warm = ManyComponentNaiveBayes([2, 2], max_iter=1, warm_start=True, **options)
    for _ in range(cold.n_iter_ + 1):
        warm.fit(X, y)
    np.testing.assert_allclose(warm.posterior_, cold.posterior_, atol=1e-4)
    for changed in ({"n_components": [1, 2]}, {"component_labels": "free" if labels == "fixed" else "fixed"}):
        anew = ManyComponentNaiveBayes(**{**cold.get_params(), **changed}).fit(X, y)
        warmed = ManyComponentNaiveBayes(**{**cold.get_params(), "warm_start": True}).fit(X, y).set_params(**changed)
        np.testing.assert_array_equal(warmed.fit(X, y).posterior_, anew.posterior_)


def test_a_warm_start_keeps_the_number_that_was_found():
    X, _, truth = two_topics_a_class(n=90)
    model = ManyComponentNaiveBayes("cv", max_components=3, warm_start=True, random_state=0).fit(X, partly(truth, 9))
    numbers, losses = model.n_components_, model.cv_loss_
    model.fit(X, partly(truth, 10))
    assert (model.n_components_, model.cv_loss_) == (numbers, losses)


def test_no_more_components_than_labeled_rows():
    X, truth = counts(40)
    y = partly(truth, 3)
    y[np.flatnonzero(y == 2)[1:]] = -1
    model = ManyComponentNaiveBayes(5, smoothing=0.5, random_state=0).fit(X, y)
    assert model.n_components_ == [3, 3, 1]
    weights = np.ones(len(y))
    weights[np.flatnonzero(y == 0)[:2]] = 0
    assert ManyComponentNaiveBayes(5, random_state=0).fit(X, y, sample_weight=weights).n_components_ == [1, 3, 1]


@pytest.mark.parametrize("n_labels", [1, 2])
def test_few_labels_a_class(n_labels):
    X, truth = counts(40)
    model = ManyComponentNaiveBayes(random_state=0).fit(X, partly(truth, n_labels))
    assert np.isfinite(model.posterior_).all()
    assert max(model.n_components_) <= n_labels


def test_all_rows_labeled():
    X, topic, truth = two_topics_a_class(n=90)
    model = ManyComponentNaiveBayes([2, 1], smoothing=0.1, random_state=0).fit(X, truth)
    np.testing.assert_array_equal(model.posterior_, slow.one_hot(truth, 2))
    assert len(np.unique(model.component_posterior_.argmax(axis=1)[topic == 0])) == 1


def test_weightless_rows_and_classes_do_no_harm():
    X, truth = counts(40)
    y, weights = partly(truth, 6), np.ones(40)
    weights[np.flatnonzero(y == 2)] = 0.0
    weights[np.flatnonzero(y == 1)[1:]] = 0.0
    for options in ({"n_components": 3}, {"n_components": "cv"}, {"component_labels": "free"}):
        for start in STARTS:
            model = ManyComponentNaiveBayes(start=start, random_state=0, **options).fit(X, y, sample_weight=weights)
            assert np.isfinite(model.posterior_).all() and np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_huge_counts_one_word_and_rows_without_words(smoothing):
    X, truth = counts(40, 10)
    y = partly(truth, 4)
    X[5] = 0
    for rows in (X * 1e9, X[:, :1]):
        model = ManyComponentNaiveBayes(2, smoothing=smoothing, random_state=0).fit(rows, y)
        assert np.isfinite(model.posterior_).all() and np.isfinite(model.objective_).all()
        with pytest.warns(EmptyRowsWarning):
            np.testing.assert_allclose(model.predict_proba(rows)[5], model.class_prior_)


def test_running_out_of_iterations_is_said():
    X, truth = counts(40)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        ManyComponentNaiveBayes(2, smoothing=1.0, tol=0.0, max_iter=2, random_state=0).fit(X, partly(truth, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        ManyComponentNaiveBayes(2, smoothing=1.0, random_state=0).fit(X, partly(truth, 4))


@pytest.mark.parametrize(
    ("options", "X", "y", "message"),
    [
        ({}, np.empty((0, 3)), [], "0 sample"),
        ({}, [[1, 2], [3, 4]], [-1, -1], "no labeled row"),
        ({}, [[1, 2], [3, 4]], [1, -1], "one class only"),
        ({}, [[1, -2], [3, 4]], [0, 1], "Negative values"),
        ({}, [[1, np.nan], [3, 4]], [0, 1], "contains NaN"),
        ({}, [["a", "b"], ["c", "d"]], [0, 1], "holds text .*must be numbers"),
        ({}, [[1, 2], [3, 4]], [0, 1, 1], "inconsistent numbers of samples"),
        ({"n_components": 0}, [[1, 2], [3, 4]], [0, 1], "n_components=0"),
        ({"n_components": "auto"}, [[1, 2], [3, 4]], [0, 1], "n_components='auto'.*'cv'"),
        ({"n_components": [1, 2, 3]}, [[1, 2], [3, 4]], [0, 1], "one for each of the 2 classes"),
        ({"n_components": [1, 0]}, [[1, 2], [3, 4]], [0, 1], "whole number of at least 1"),
        ({"n_components": [1.5, 2]}, [[1, 2], [3, 4]], [0, 1], "whole number"),
        ({"start": "forest"}, [[1, 2], [3, 4]], [0, 1], "start='forest'.*'tree'"),
        ({"component_labels": "soft"}, [[1, 2], [3, 4]], [0, 1], "component_labels='soft'"),
        ({"component_labels": "free", "class_prior": "uniform"}, [[1, 2], [3, 4]], [0, 1], "needs component_labels"),
        ({"unlabeled_weight": "loo"}, [[1, 2], [3, 4]], [0, 1], "unlabeled_weight='loo'"),
        ({"max_components": 0}, [[1, 2], [3, 4]], [0, 1], "max_components=0"),
        ({"cv": 1}, [[1, 2], [3, 4]], [0, 1], "cv=1"),
        ({"random_state": "x"}, [[1, 2], [3, 4]], [0, 1], "random_state='x'"),
    ],
)
def test_bad_input(options, X, y, message):
    with pytest.raises((InputError, LabelError, ValueError), match=message):
        ManyComponentNaiveBayes(**options).fit(X, y)


def test_a_tree_of_a_sample_serves_the_rest():
    X, topic, _ = two_topics_a_class(n=1500)
    rows = topic != 2
    deal = tree_start(lambda: sp.csr_array(X[rows]), np.random.RandomState(0))
    clusters = deal(2).argmax(axis=1)
    same = clusters == (topic[rows] == clusters[0])
    assert max(same.mean(), 1 - same.mean()) > 0.95

"""NB-EM and EM-λ against loops, against scikit-learn at λ = 0, and by what must never change."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, MultinomialNB
from threadpoolctl import threadpool_limits

from models.bayes.collections import EVENTS, counts, partly, rows_for, setting
from reference import bayes as slow
from smatter import NaiveBayes, NaiveBayesEM
from smatter.errors import EmptyRowsWarning, InputError, LabelError
from smatter.models.bayes._leave_one_out import UNLABELED_WEIGHTS
from smatter.progress import listening

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
few = settings(max_examples=30, deadline=None)


def never_falls(objective: np.ndarray) -> bool:
    return bool((np.diff(objective) >= -1e-9 * np.abs(objective[1:])).all())


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize(("weight", "smoothing"), [(1.0, 1.0), (0.3, 0.1), (0.0, 0.5)])
def test_loops_say_the_same(event, weight, smoothing):
    X, truth = rows_for(event)
    y = partly(truth, 2)
    model = NaiveBayesEM(weight, event_model=event, smoothing=smoothing, tol=0.0, max_iter=6).fit(X, y)
    twin = setting(event, X, y, weight, smoothing=smoothing)
    parameters, R, objective = slow.em(twin, slow.one_hot(y, 3), model.n_iter_)
    np.testing.assert_allclose(model.objective_, objective, rtol=1e-10)
    np.testing.assert_allclose(model.posterior_, R, atol=1e-9)
    np.testing.assert_allclose(model.class_prior_, parameters.prior, atol=1e-10)
    expected = [slow.class_posterior(twin, parameters, row) for row in X.tolist()]
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-9)


@pytest.mark.parametrize("event", EVENTS)
def test_loops_say_the_same_with_weights_and_a_given_prior(event):
    X, truth = rows_for(event)
    y, random = partly(truth, 3), np.random.RandomState(1)
    sample_weight, prior = random.rand(len(y)) + 0.1, [0.5, 0.2, 0.3]
    model = NaiveBayesEM(0.4, event_model=event, smoothing=0.2, class_prior=prior, tol=0.0, max_iter=4)
    model.fit(X, y, sample_weight=sample_weight)
    twin = setting(event, X, y, 0.4, smoothing=0.2, class_prior=prior, sample_weight=sample_weight)
    _, R, objective = slow.em(twin, slow.one_hot(y, 3), model.n_iter_)
    np.testing.assert_allclose(model.objective_, objective, rtol=1e-10)
    np.testing.assert_allclose(model.posterior_, R, atol=1e-9)
    np.testing.assert_allclose(model.class_prior_, prior)


@few
@given(
    event=st.sampled_from(EVENTS),
    weight=st.sampled_from([0.0, 0.05, 0.5, 1.0]),
    smoothing=st.sampled_from([0.0, 1e-6, 0.1, 1.0, 5.0]),
    prior=st.sampled_from([None, "uniform", [0.1, 0.2, 0.7]]),
    seed=st.integers(0, 10_000),
)
def test_the_objective_never_falls(event, weight, smoothing, prior, seed):
    X, truth = rows_for(event, seed=seed)
    y = partly(truth, 1 + seed % 3, seed=seed)
    model = NaiveBayesEM(weight, event_model=event, smoothing=smoothing, class_prior=prior, tol=0.0, max_iter=25)
    model.fit(X, y, sample_weight=np.random.RandomState(seed).randint(1, 4, len(y)))
    assert never_falls(model.objective_)
    assert np.isfinite(model.posterior_).all()
    np.testing.assert_allclose(model.posterior_.sum(axis=1), 1.0)


@pytest.mark.parametrize("sparse", [False, True])
def test_without_weight_it_is_scikit_learns_multinomial(sparse):
    X, truth = counts(60, 15)
    y = partly(truth, 6)
    given = sp.csr_array(X) if sparse else X
    ours = NaiveBayesEM(unlabeled_weight=0, smoothing=1.0).fit(given, y)
    theirs = MultinomialNB(alpha=1.0).fit(X[y >= 0], y[y >= 0])
    np.testing.assert_allclose(ours.predict_proba(given), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(np.log(ours.class_prior_), theirs.class_log_prior_, atol=1e-10)
    np.testing.assert_allclose(np.log(ours.word_given_component_), theirs.feature_log_prob_, atol=1e-10)


def test_without_weight_it_is_scikit_learns_bernoulli():
    X, truth = counts(60, 15)
    y = partly(truth, 6)
    ours = NaiveBayesEM(unlabeled_weight=0, event_model="bernoulli", smoothing=0.3).fit(X, y)
    theirs = BernoulliNB(alpha=0.3).fit(X[y >= 0], y[y >= 0])
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(np.log(ours.class_prior_), theirs.class_log_prior_, atol=1e-10)
    np.testing.assert_allclose(np.log(ours.word_given_component_), theirs.feature_log_prob_, atol=1e-10)


def test_without_weight_it_is_scikit_learns_categorical():
    random = np.random.RandomState(0)
    truth = np.arange(60) % 3
    X = (truth[:, None] + random.randint(2, size=(60, 4))) % 4
    y = partly(truth, 7)
    ours = NaiveBayesEM(unlabeled_weight=0, event_model="categorical", smoothing=0.3).fit(X, y)
    theirs = CategoricalNB(alpha=0.3, min_categories=4).fit(X[y >= 0], y[y >= 0])
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(np.log(ours.class_prior_), theirs.class_log_prior_, atol=1e-10)
    np.testing.assert_allclose(np.log(ours.word_given_component_), np.hstack(theirs.feature_log_prob_), atol=1e-10)


@few
@given(event=st.sampled_from(EVENTS), loo=st.booleans(), seed=st.integers(0, 10_000))
def test_the_order_of_rows_columns_and_class_names_does_not_matter(event, loo, seed):
    X, truth = rows_for(event, seed=seed)
    y, random = partly(truth, 3, seed=seed), np.random.RandomState(seed)
    model = NaiveBayesEM(
        "loo" if loo else 0.5,
        event_model=event,
        smoothing="loo" if loo else 0.3,
        tol=0.0 if not loo else 1e-6,
        max_iter=8,
    )
    straight = model.fit(X, y).posterior_
    rows, columns, names = random.permutation(len(X)), random.permutation(X.shape[1]), random.permutation(3)
    renamed = np.where(y == -1, -1, names[y])
    turned = model.fit(X[rows][:, columns], renamed[rows]).posterior_
    np.testing.assert_allclose(turned[:, names], straight[rows], atol=1e-6)


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("weight", [0.3, "loo"])
def test_whole_weights_are_repetitions(event, weight):
    X, truth = rows_for(event)
    y, weights = partly(truth, 4), np.arange(len(truth)) // 2 % 3
    repeated = np.repeat(np.arange(len(truth)), weights)
    smoothing = "loo" if weight == "loo" else 0.4
    weighted = NaiveBayesEM(weight, event_model=event, smoothing=smoothing, length_exponent=0.5)
    copied = NaiveBayesEM(weight, event_model=event, smoothing=smoothing, length_exponent=0.5)
    weighted.fit(X, y, sample_weight=weights)
    copied.fit(X[repeated], y[repeated])
    assert (weighted.unlabeled_weight_, weighted.smoothing_) == (copied.unlabeled_weight_, copied.smoothing_)
    np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), atol=1e-8)
    np.testing.assert_allclose(weighted.objective_, copied.objective_, rtol=1e-10)


@pytest.mark.parametrize("event", ["multinomial", "bernoulli"])
def test_sparse_is_dense(event):
    X, truth = counts(60, 15)
    y = partly(truth, 4)
    dense = NaiveBayesEM(event_model=event).fit(X, y)
    for convert in (sp.csr_array, sp.csc_matrix, sp.coo_array):
        sparse = NaiveBayesEM(event_model=event).fit(convert(X), y)
        np.testing.assert_allclose(sparse.posterior_, dense.posterior_, atol=1e-8)
        np.testing.assert_allclose(sparse.predict_proba(convert(X)), dense.predict_proba(X), atol=1e-8)
        assert sparse.unlabeled_weight_ == dense.unlabeled_weight_


def test_stored_zeros_and_repeated_entries_are_what_they_say():
    X, truth = counts(30, 10)
    y = partly(truth, 4)
    half = sp.coo_array(X / 2)
    twice = sp.coo_array(
        (
            np.concatenate([half.data, half.data, [0.0]]),
            (np.concatenate([half.row, half.row, [0]]), np.concatenate([half.col, half.col, [3]])),
        ),
        shape=X.shape,
    )
    for event in ("multinomial", "bernoulli"):
        plain = NaiveBayesEM(0.5, event_model=event, smoothing=0.1).fit(X, y)
        odd = NaiveBayesEM(0.5, event_model=event, smoothing=0.1).fit(twice, y)
        np.testing.assert_allclose(odd.posterior_, plain.posterior_, atol=1e-9)


def test_the_input_stays_as_it_was():
    X, truth = counts(30, 10)
    X, y = sp.csr_array(X), partly(truth, 3)
    before = X.copy()
    for event in ("multinomial", "bernoulli"):
        NaiveBayesEM(event_model=event).fit(X, y).predict(X)
        assert (before != X).nnz == 0
    dense = X.toarray()
    NaiveBayesEM(event_model="bernoulli").fit(dense, y)
    np.testing.assert_array_equal(dense, before.toarray())


def test_the_same_twice():
    X, truth = counts(60, 15)
    y = partly(truth, 3)
    first, second = NaiveBayesEM().fit(X, y), NaiveBayesEM().fit(X, y)
    np.testing.assert_array_equal(first.posterior_, second.posterior_)


def test_the_same_on_any_number_of_threads():
    """More rows than BLAS sums up in one thread."""
    X, truth = counts(30_000, 5)
    X, y = sp.csr_array(X), partly(truth, 50)
    answers = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            answers.append(NaiveBayesEM(0.5, smoothing=0.1, length_exponent=0.5, max_iter=10).fit(X, y))
    np.testing.assert_array_equal(answers[0].objective_, answers[1].objective_)
    np.testing.assert_array_equal(answers[0].posterior_, answers[1].posterior_)


@pytest.mark.parametrize("event", EVENTS)
def test_a_warm_start_goes_on_to_the_same_solution(event):
    X, truth = rows_for(event)
    y = partly(truth, 2)
    options = {"event_model": event, "smoothing": 0.5, "tol": 1e-13, "max_iter": 400}
    cold = NaiveBayesEM(0.5, **options).fit(X, y)
    warm = NaiveBayesEM(0.5, warm_start=True, **{**options, "max_iter": 1})
    for _ in range(cold.n_iter_ + 1):
        warm.fit(X, y)
    np.testing.assert_allclose(warm.posterior_, cold.posterior_, atol=1e-4)
    assert warm.objective_[-1] == pytest.approx(cold.objective_[-1], rel=1e-10)
    again = warm.set_params(max_iter=400).fit(X, y)
    assert again.n_iter_ <= 3
    np.testing.assert_allclose(again.posterior_, cold.posterior_, atol=1e-4)


def test_a_warm_start_keeps_what_was_chosen_and_takes_one_more_label():
    X, truth = counts(80, 15, seed=2)
    y = partly(truth, 4)
    model = NaiveBayesEM(warm_start=True).fit(X, y)
    chosen, losses = (model.unlabeled_weight_, model.smoothing_, model.length_exponent_), model.leave_one_out_loss_
    more = y.copy()
    more[np.flatnonzero(y == -1)[0]] = truth[np.flatnonzero(y == -1)[0]]
    model.fit(X, more)
    assert (model.unlabeled_weight_, model.smoothing_, model.length_exponent_) == chosen
    assert model.leave_one_out_loss_ == losses
    assert model.posterior_[np.flatnonzero(y == -1)[0]].max() == 1.0


def test_a_warm_start_begins_anew_where_the_last_solution_does_not_fit():
    X, truth = counts(60, 15)
    y = partly(truth, 4)
    model = NaiveBayesEM(0.5, smoothing=0.1, warm_start=True).fit(X, y)
    for changed, rows, labels in (
        ({"event_model": "bernoulli"}, X, y),
        ({"event_model": "categorical"}, X, y),
        ({"event_model": "categorical"}, X + 1, y),
        ({"event_model": "multinomial"}, X, np.where(y == 2, -1, y)),
        ({}, X[:, :9], y),
        ({}, X[:, :9], np.where(y == -1, "", y.astype(str))),
    ):
        cold = NaiveBayesEM(0.5, smoothing=0.1, **changed).fit(rows, labels)
        warm = model.set_params(**changed).fit(rows, labels)
        np.testing.assert_array_equal(warm.posterior_, cold.posterior_)


def test_settings_that_were_chosen_do_not_leak_into_the_next_fit():
    X, truth = counts(60, 15)
    model = NaiveBayesEM().fit(X, partly(truth, 4)).fit(X, truth)
    assert model.leave_one_out_loss_ == {} and model.unlabeled_weight_ == 1.0
    assert model.fit(X, partly(truth, 4)).leave_one_out_loss_.keys() == set(UNLABELED_WEIGHTS)


def test_unlabeled_rows_help_where_the_model_is_true():
    """Two topics that lean to other words: a labeled document names few of them."""
    random = np.random.RandomState(0)
    truth = np.arange(400) % 2
    rates = np.where(np.arange(40) < 20, 0.3, 0.08)
    X = random.poisson(np.where(truth[:, None] == 0, rates, rates[::-1])).astype(float)
    y = partly(truth, 2)
    alone, together = NaiveBayesEM(0.0, smoothing=0.1).fit(X, y), NaiveBayesEM(smoothing=0.1).fit(X, y)
    unlabeled = y == -1
    assert (together.transduction_ == truth)[unlabeled].mean() > 0.95
    assert (together.transduction_ == truth)[unlabeled].mean() > (alone.transduction_ == truth)[unlabeled].mean() + 0.1


def test_all_rows_labeled_is_supervised():
    X, truth = counts(60, 15)
    for weight in (0.7, "loo"):
        ours = NaiveBayesEM(weight, smoothing=0.3, length_exponent=1.0).fit(X, truth)
        np.testing.assert_allclose(
            ours.predict_proba(X), NaiveBayes(smoothing=0.3).fit(X, truth).predict_proba(X), atol=1e-12
        )
        np.testing.assert_allclose(ours.posterior_, slow.one_hot(truth, 3))


@pytest.mark.parametrize("event", EVENTS)
def test_one_label_a_class_is_enough(event):
    X, truth = rows_for(event, n=60)
    model = NaiveBayesEM(event_model=event).fit(X, partly(truth, 1))
    assert np.isfinite(model.posterior_).all() and np.isfinite(model.objective_).all()
    assert model.leave_one_out_loss_[0.0] == np.inf, "without unlabeled rows nothing can stand in for the only label"
    assert model.unlabeled_weight_ > 0
    assert np.isfinite(model.leave_one_out_loss_[model.unlabeled_weight_])


def test_a_class_of_few_rows():
    X, truth = counts(90, 15)
    y = partly(truth, 8)
    y[np.flatnonzero(y == 2)[1:]] = -1
    model = NaiveBayesEM().fit(X, y)
    assert np.isfinite(model.posterior_).all()
    assert 0 < model.class_prior_[2] < 0.9


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
@pytest.mark.parametrize("event", ["multinomial", "bernoulli"])
def test_huge_counts_one_word_and_words_never_seen(event, smoothing):
    X, truth = counts(40, 10)
    y = partly(truth, 3)
    X[:, 9] = 0
    for rows in (X * 1e9, X[:, :1] + 1, X * 1e-9):
        model = NaiveBayesEM(1.0, event_model=event, smoothing=smoothing, tol=0.0, max_iter=20).fit(rows, y)
        assert np.isfinite(model.posterior_).all() and never_falls(model.objective_)
        assert np.isfinite(model.predict_proba(rows + 1)).all()


def test_rows_without_words_get_the_prior():
    X, truth = counts(40, 10)
    y = partly(truth, 3)
    X[np.flatnonzero(y == -1)[0]] = 0
    model = NaiveBayesEM(length_exponent="loo").fit(X, y)
    np.testing.assert_allclose(model.posterior_[np.flatnonzero(y == -1)[0]], model.class_prior_, rtol=1e-4)
    with pytest.warns(EmptyRowsWarning, match="1 of 40 rows have no known word"):
        P = model.predict_proba(X)
    np.testing.assert_allclose(P[np.flatnonzero(y == -1)[0]], model.class_prior_)


def test_a_class_without_words_takes_no_document():
    X, truth = counts(30, 10)
    y = truth.copy()
    y[9:] = -1
    X[:9][truth[:9] == 1] = 0
    model = NaiveBayesEM(0.0, smoothing=0.0).fit(X, y)
    np.testing.assert_allclose(model.word_given_component_[1], 0.1)


def test_iterations_are_reported_and_running_out_of_them_is_said():
    X, truth = counts(60, 15)
    y, seen = partly(truth, 2), []
    with listening(seen.append), pytest.warns(ConvergenceWarning, match="max_iter=3"):
        model = NaiveBayesEM(0.5, smoothing=0.1, max_iter=3, tol=0.0).fit(X, y)
    assert [(step.what, step.done, step.total) for step in seen] == [("NaiveBayesEM", i, 3) for i in (1, 2, 3)]
    assert [step.objective for step in seen] == model.objective_.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NaiveBayesEM(0.5, smoothing=0.1).fit(X, y)


def test_the_chosen_weight_ends_where_it_would_have_ended_alone():
    X, truth = counts(120, 20, seed=3)
    y = partly(truth, 5)
    chosen = NaiveBayesEM(smoothing=0.1, length_exponent=1.0, max_iter=300).fit(X, y)
    alone = NaiveBayesEM(chosen.unlabeled_weight_, smoothing=0.1, max_iter=300).fit(X, y)
    np.testing.assert_allclose(chosen.objective_, alone.objective_, rtol=1e-13)
    np.testing.assert_array_equal(chosen.posterior_, alone.posterior_)


@pytest.mark.parametrize(
    ("options", "X", "y", "message"),
    [
        ({}, np.empty((0, 3)), [], "0 sample"),
        ({}, [[1, 2], [3, 4]], [-1, -1], "no labeled row"),
        ({}, [[1, 2], [3, 4]], ["a", ""], "one class only"),
        ({}, [[1, -2], [3, 4]], [0, 1], "Negative values"),
        ({}, [[1, np.nan], [3, 4]], [0, 1], "contains NaN"),
        ({}, [["a", "b"], ["c", "d"]], [0, 1], "holds text .*must be numbers"),
        ({}, [[1, 2], [3, 4]], [0, 1, -1], "inconsistent numbers of samples"),
        ({"unlabeled_weight": 1.5}, [[1, 2], [3, 4]], [0, 1], "unlabeled_weight=1.5.*at most 1"),
        ({"unlabeled_weight": "auto"}, [[1, 2], [3, 4]], [0, 1], "unlabeled_weight='auto'.*'loo'"),
        ({"length_exponent": "long"}, [[1, 2], [3, 4]], [0, 1], "length_exponent='long'"),
        ({"max_iter": 0}, [[1, 2], [3, 4]], [0, 1], "max_iter=0"),
        ({"max_iter": 2.5}, [[1, 2], [3, 4]], [0, 1], "max_iter=2.5.*whole"),
        ({"tol": -1}, [[1, 2], [3, 4]], [0, 1], "tol=-1"),
        ({"warm_start": 1}, [[1, 2], [3, 4]], [0, 1], "warm_start=1"),
        ({"smoothing": float("nan")}, [[1, 2], [3, 4]], [0, 1], "smoothing=nan"),
        ({"class_prior": [0.5, 0.4]}, [[1, 2], [3, 4]], [0, 1], "class_prior"),
    ],
)
def test_bad_input(options, X, y, message):
    with pytest.raises((InputError, LabelError, ValueError), match=message):
        NaiveBayesEM(**options).fit(X, y)


def test_bad_weights():
    X, truth = counts(12)
    for weights, message in (
        ([-1.0] * 12, "sample_weight"),
        ([np.nan] * 12, "weight"),
        ([0.0] * 12, "(?i)sample.weight"),
    ):
        with pytest.raises(ValueError, match=message):
            NaiveBayesEM().fit(X, truth, sample_weight=weights)


def test_a_stranger_at_prediction():
    X, truth = counts(30)
    model = NaiveBayesEM().fit(X, partly(truth, 3))
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :3])
    with pytest.raises(InputError, match="NaN"):
        model.predict(X * np.nan)

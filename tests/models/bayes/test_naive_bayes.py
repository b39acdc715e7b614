"""Supervised naive Bayes: scikit-learn's three, the slides' example, parts, bad input."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, MultinomialNB

from models.bayes.collections import EVENTS, counts, partly, rows_for, setting, table
from reference import bayes as slow
from smatter import NaiveBayes
from smatter.errors import EmptyRowsWarning, InputError, LabelError

SLIDES = ["mb", "ms", "gq", "hs", "gq", "gq", "gs", "hb", "hq", "mb"]
SLIDES_CLASSES = "tttttfffff"


def slides_rows() -> list[list[str]]:
    return [list(row) for row in SLIDES]


def fitted(event: str, seed: int = 0, **options) -> tuple[NaiveBayes, np.ndarray, np.ndarray]:
    X, truth = rows_for(event, seed=seed)
    y = partly(truth, 5, seed=seed)
    return NaiveBayes(event, **{"smoothing": 0.7, **options}).fit(X, y), X, y


def test_the_slides_worked_example():
    """A = m, B = q: t has 1/2 · 2/5 · 2/5 = 2/25, f has 1/2 · 1/5 · 2/5 = 1/25."""
    model = NaiveBayes("categorical", smoothing=0.0).fit(slides_rows(), list(SLIDES_CLASSES))
    assert model.classes_.tolist() == ["f", "t"]
    np.testing.assert_allclose(model.predict_proba([["m", "q"]]), [[1 / 3, 2 / 3]], atol=1e-12)
    assert model.predict([["m", "q"]]).tolist() == ["t"]
    np.testing.assert_allclose(model.class_prior_, [0.5, 0.5])
    by_value = dict(zip(["A=g", "A=h", "A=m", "B=b", "B=q", "B=s"], model.word_given_component_.T, strict=True))
    np.testing.assert_allclose(by_value["A=m"], [1 / 5, 2 / 5])
    np.testing.assert_allclose(by_value["B=q"], [2 / 5, 2 / 5])
    np.testing.assert_allclose(by_value["B=b"], [2 / 5, 1 / 5])


def test_a_missing_value_is_skipped_as_the_slides_say():
    model = NaiveBayes("categorical", smoothing=0.0).fit(slides_rows(), list(SLIDES_CLASSES))
    for gap in (None, float("nan"), "never seen"):
        np.testing.assert_allclose(model.predict_proba([["m", gap]]), [[1 / 3, 2 / 3]], atol=1e-12)
        np.testing.assert_allclose(model.predict_proba([[gap, gap]]), [[1 / 2, 1 / 2]], atol=1e-12)


def test_the_slides_smoothing_of_one_over_n():
    """Zero counts: Pr(A = a | c) = (n_ij + λ) / (n_j + λ n_i) with λ = 1/n."""
    model = NaiveBayes("categorical", smoothing=1 / 10).fit(slides_rows(), list(SLIDES_CLASSES))
    np.testing.assert_allclose(model.word_given_component_[1, 2], (2 + 0.1) / (5 + 0.1 * 3))


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("smoothing", [1.0, 0.05])
def test_loops_say_the_same(event, smoothing):
    model, X, y = fitted(event, smoothing=smoothing)
    labeled = y >= 0
    twin = setting(event, X[labeled], y[labeled], smoothing=smoothing, all_rows=X.tolist())
    parameters = slow.m_step(twin, slow.one_hot(y[labeled], 3), slow.hard_classes(twin))
    expected = [slow.class_posterior(twin, parameters, row) for row in X.tolist()]
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-10)
    np.testing.assert_allclose(model.class_prior_, parameters.prior, atol=1e-12)
    np.testing.assert_allclose(model.posterior_[labeled], slow.one_hot(y[labeled], 3))
    np.testing.assert_allclose(model.posterior_[~labeled], np.array(expected)[~labeled], atol=1e-10)
    _, objective = slow.e_step(twin, parameters)
    np.testing.assert_allclose(model.objective_, [objective], rtol=1e-10)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("alpha", [1.0, 0.1, 1e-3])
def test_multinomial_is_that_of_scikit_learn(alpha, sparse):
    X, y = counts(60, 15, seed=3)
    X = sp.csr_array(X) if sparse else X
    theirs = MultinomialNB(alpha=alpha).fit(X, y)
    ours = NaiveBayes(smoothing=alpha).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(np.log(ours.class_prior_), theirs.class_log_prior_, atol=1e-10)
    np.testing.assert_allclose(np.log(ours.word_given_component_), theirs.feature_log_prob_, atol=1e-10)


@pytest.mark.parametrize("alpha", [1.0, 0.1, 1e-3])
def test_bernoulli_is_that_of_scikit_learn(alpha):
    X, y = counts(60, 15, seed=4)
    theirs = BernoulliNB(alpha=alpha).fit(X, y)
    for given in (X, sp.csr_array(X)):
        ours = NaiveBayes("bernoulli", smoothing=alpha).fit(given, y)
        np.testing.assert_allclose(ours.predict_proba(given), theirs.predict_proba(X), atol=1e-10)
        np.testing.assert_allclose(np.log(ours.class_prior_), theirs.class_log_prior_, atol=1e-10)
        np.testing.assert_allclose(np.log(ours.word_given_component_), theirs.feature_log_prob_, atol=1e-10)


@pytest.mark.parametrize("alpha", [1.0, 0.1, 1e-3])
def test_categorical_is_that_of_scikit_learn(alpha):
    X, y = counts(60, 6, seed=5)
    theirs = CategoricalNB(alpha=alpha).fit(X, y)
    ours = NaiveBayes("categorical", smoothing=alpha).fit(X, y)
    seen = [np.unique(column) for column in X.T]
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10 if _gapless(seen) else 1e-2)
    np.testing.assert_allclose(np.log(ours.class_prior_), theirs.class_log_prior_, atol=1e-10)


def _gapless(seen: list[np.ndarray]) -> bool:
    """scikit-learn counts every number up to the largest as a category, seen or not."""
    return all(len(values) == values[-1] + 1 for values in seen)


def test_categorical_without_gaps_is_that_of_scikit_learn():
    random = np.random.RandomState(0)
    y = np.arange(90) % 3
    X = (y[:, None] + random.randint(4, size=(90, 5))) % 4
    theirs, ours = CategoricalNB(alpha=0.3).fit(X, y), NaiveBayes("categorical", smoothing=0.3).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(np.log(ours.word_given_component_), np.hstack(theirs.feature_log_prob_), atol=1e-10)


@pytest.mark.parametrize("event", EVENTS)
def test_parts_add_up_to_the_whole(event):
    X, truth = rows_for(event, n=40)
    y = partly(truth, 9)
    whole = NaiveBayes(event, smoothing=0.5).fit(X, y)
    parts = NaiveBayes(event, smoothing=0.5)
    for rows in (np.arange(0, 25), np.arange(25, 26), np.arange(26, 40)):
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), atol=1e-10)
    np.testing.assert_allclose(parts.class_prior_, whole.class_prior_)
    assert parts.posterior_.shape == (14, 3)


def test_the_first_part_may_lack_classes_or_labels():
    X, y = counts(30)
    model = NaiveBayes(smoothing=0.5).partial_fit(X[:3], [-1, -1, -1], classes=[0, 1, 2])
    np.testing.assert_allclose(model.predict_proba(X), 1 / 3)
    model.partial_fit(X[:1], y[:1]).partial_fit(X[1:], y[1:])
    np.testing.assert_allclose(model.predict_proba(X), NaiveBayes(smoothing=0.5).fit(X, y).predict_proba(X))


def test_fit_begins_anew():
    X, y = counts(30)
    model = NaiveBayes(smoothing=0.5).fit(X[::-1], y).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), NaiveBayes(smoothing=0.5).fit(X, y).predict_proba(X))


@pytest.mark.parametrize("event", EVENTS)
def test_whole_weights_are_repetitions(event):
    X, truth = rows_for(event)
    y, weights = partly(truth, 4), np.arange(len(truth)) // 2 % 3
    repeated = np.repeat(np.arange(len(truth)), weights)
    for smoothing in (0.3, "loo"):
        weighted = NaiveBayes(event, smoothing=smoothing).fit(X, y, sample_weight=weights)
        copied = NaiveBayes(event, smoothing=smoothing).fit(X[repeated], y[repeated])
        assert weighted.smoothing_ == copied.smoothing_
        np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), atol=1e-10)


def test_lengths_are_damped_as_the_formula_says():
    X, y = counts(20)
    X[3] = 0
    lengths = X.sum(axis=1)
    mean = lengths[lengths > 0].mean()
    for exponent in (0.0, 0.25, 1.0):
        scaled = X * (mean / np.where(lengths > 0, lengths, 1))[:, None] ** (1 - exponent)
        ours = NaiveBayes(smoothing=0.2, length_exponent=exponent).fit(X, y)
        plain = NaiveBayes(smoothing=0.2).fit(scaled, y)
        np.testing.assert_allclose(ours.posterior_, plain.posterior_)
        np.testing.assert_allclose(ours.word_given_component_, plain.word_given_component_)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EmptyRowsWarning)
            np.testing.assert_allclose(ours.predict_proba(X), plain.predict_proba(scaled), atol=1e-12)


def test_fractions_are_cut_into_bins_and_whole_numbers_are_not():
    random = np.random.RandomState(0)
    truth = np.arange(400) % 2
    X = np.stack([truth + random.randn(400), random.randint(4, size=400)], axis=1)
    model = NaiveBayes("categorical", smoothing=1.0).fit(X, truth)
    assert [len(values) for values in model.events_.values] == [10, 4]
    bins = np.bincount(np.searchsorted(model.events_.cuts[0], X[:, 0], side="right"))
    assert bins.max() - bins.min() <= 2
    assert (model.predict(X) == truth).mean() > 0.65
    whole, gap = model.predict_proba([[2.0, 1]]), model.predict_proba([[None, 1]])
    assert whole[0, 1] > 0.75, "a whole number in a column of fractions falls in its bin"
    assert abs(gap[0, 1] - 0.5) < 0.1
    np.testing.assert_allclose(model.predict_proba([[1e300, 1]]), model.predict_proba([[50.0, 1]]))


def test_a_column_without_a_value_says_nothing():
    X, y = table(30)
    X[:, 2] = None
    with_gap = NaiveBayes("categorical", smoothing=1.0).fit(X, y)
    without = NaiveBayes("categorical", smoothing=1.0).fit(X[:, :2], y)
    np.testing.assert_allclose(with_gap.predict_proba(X), without.predict_proba(X[:, :2]))
    X[:] = None
    np.testing.assert_allclose(NaiveBayes("categorical").fit(X, y).predict_proba(X), 1 / 3)


@pytest.mark.parametrize("event", ["multinomial", "bernoulli"])
def test_no_smoothing_is_the_limit_of_little(event):
    X, y = counts(12, 30, seed=1)
    X[:, -1], X[y == 2, :] = 0, 0  # a word that nobody uses, a class without words
    none = NaiveBayes(event, smoothing=0.0).fit(X, y)
    little = NaiveBayes(event, smoothing=1e-250).fit(X, y)
    unseen = np.eye(30) * 3 + X[:1]
    for model in (none, little):
        assert np.isfinite(model.predict_proba(unseen)).all()
        np.testing.assert_allclose(model.predict_proba(unseen).sum(axis=1), 1.0)
    np.testing.assert_array_equal(
        none.predict_proba(unseen).argmax(axis=1), little.predict_proba(unseen).argmax(axis=1)
    )
    np.testing.assert_allclose(none.word_given_component_[2], 1 / 30 if event == "multinomial" else 0.0, atol=1e-12)


def test_rows_without_words_get_the_prior():
    X, y = counts(20)
    model = NaiveBayes().fit(X, y)
    with pytest.warns(EmptyRowsWarning, match="1 of 2 rows have no known word"):
        P = model.predict_proba(np.vstack([np.zeros(X.shape[1]), X[0]]))
    np.testing.assert_allclose(P[0], model.class_prior_)


def test_under_bernoulli_absent_words_speak():
    X, y = counts(20)
    model = NaiveBayes("bernoulli").fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        P = model.predict_proba(np.zeros((1, X.shape[1])))
    assert abs(P[0] - model.class_prior_).max() > 1e-3


@pytest.mark.parametrize("prior", [[0.2, 0.3, 0.5], "uniform"])
def test_a_given_prior_is_kept(prior):
    X, y = counts(31)
    model = NaiveBayes(class_prior=prior, smoothing=1.0).fit(X, y)
    expected = np.full(3, 1 / 3) if prior == "uniform" else prior
    np.testing.assert_allclose(model.class_prior_, expected)
    theirs = MultinomialNB(class_prior=expected).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), atol=1e-10)


@pytest.mark.parametrize("event", ["multinomial", "bernoulli"])
def test_huge_counts_and_a_single_word(event):
    X, y = counts(20)
    big = NaiveBayes(event, smoothing=1.0).fit(X * 1e9, y)
    assert np.isfinite(big.predict_proba(X * 1e9)).all() and np.isfinite(big.objective_).all()
    one = NaiveBayes(event).fit(X[:, :1], y)
    assert np.isfinite(one.posterior_).all()
    if event == "multinomial":
        np.testing.assert_allclose(
            NaiveBayes(smoothing=1.0).fit(X[:, :1] + 1, y).predict_proba([[5.0]])[0], one.class_prior_
        )


@pytest.mark.parametrize(
    ("options", "X", "y", "message"),
    [
        ({}, np.empty((0, 3)), [], "0 sample"),
        ({}, np.empty((2, 0)), [0, 1], "0 feature"),
        ({}, [[1, 2], [3, 4]], [-1, -1], "no labeled row"),
        ({}, [[1, 2], [3, 4]], [1, -1], "one class only"),
        ({}, [[1, -2], [3, 4]], [0, 1], r"Negative values.*X\[0, 1\] is -2"),
        ({}, [[1, np.nan], [3, 4]], [0, 1], "contains NaN at row 0, column 1"),
        ({}, [[1, np.inf], [3, 4]], [0, 1], "contains infinity"),
        ({}, [[1, 1e200], [3, 4]], [0, 1], "1e.200, which is too large"),
        ({}, [["a", "b"], ["c", "d"]], [0, 1], "holds text .*must be numbers"),
        ({}, [[1, 2], [3, 4]], [0, 1, 0], "inconsistent numbers of samples.*2 rows.*3 labels"),
        ({}, [[1, 2], [3, 4]], None, "y is None"),
        ({"smoothing": -1}, [[1, 2], [3, 4]], [0, 1], "smoothing=-1.*'loo', or a number of at least 0"),
        ({"smoothing": "cv"}, [[1, 2], [3, 4]], [0, 1], "smoothing='cv'"),
        ({"length_exponent": 2}, [[1, 2], [3, 4]], [0, 1], "length_exponent=2"),
        ({"event_model": "poisson"}, [[1, 2], [3, 4]], [0, 1], "event_model='poisson'"),
        ({"class_prior": [0.5, 0.6]}, [[1, 2], [3, 4]], [0, 1], "class_prior.*sum to 1"),
        ({"class_prior": [0.0, 1.0]}, [[1, 2], [3, 4]], [0, 1], "class_prior.*above 0"),
        ({"class_prior": ["a", "b"]}, [[1, 2], [3, 4]], [0, 1], "class_prior"),
        ({"class_prior": [1.0]}, [[1, 2], [3, 4]], [0, 1], "2 numbers"),
        ({"event_model": "categorical"}, sp.csr_array(np.eye(2)), [0, 1], "X is sparse"),
        ({"event_model": "categorical"}, [[0.5, np.inf], [1, 2]], [0, 1], "infinity in a numeric attribute"),
        ({"event_model": "categorical"}, np.empty((0, 2)), [], "at least one row"),
    ],
)
def test_bad_input(options, X, y, message):
    with pytest.raises((InputError, ValueError), match=message):
        NaiveBayes(**options).fit(X, y)


def test_bad_parts():
    X, y = counts(12)
    model = NaiveBayes().fit(X, y)
    with pytest.raises(InputError, match="differ from those of the first call"):
        model.partial_fit(X, y, classes=[0, 1, 3])
    with pytest.raises(InputError, match="12 rows, y has 1 labels"):
        model.partial_fit(X, [0])
    with pytest.raises(LabelError, match="not among the 3 known classes"):
        model.partial_fit(X, y + 1)
    with pytest.raises(InputError, match="smoothing=-1"):
        NaiveBayes(smoothing=-1).partial_fit(X, y, classes=[0, 1, 2])
    with pytest.raises(LabelError, match="at least two classes"):
        NaiveBayes().partial_fit(X, y, classes=[0])
    with pytest.raises(InputError, match="NaN"):
        model.partial_fit(X * np.nan, y)


def test_text_in_a_column_that_was_numeric():
    X = np.array([[0.5], [1.5], [2.5], [3.5]])
    model = NaiveBayes("categorical").fit(X, [0, 0, 1, 1])
    with pytest.raises(InputError, match="Column 0 held fractions"):
        model.predict([["many"]])

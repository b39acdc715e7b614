"""tf-idf and the top words: closed forms, and scikit-learn's where it has the same."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.utils.estimator_checks import check_estimator

from smatter import TfIdf, TopWords
from smatter.errors import InputError

counts = arrays(np.float64, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=st.integers(0, 5).map(float))


@pytest.mark.parametrize(
    "estimator",
    [TfIdf(), TfIdf(idf="smooth", norm="l2"), TfIdf(norm="l1", sublinear_tf=True), TopWords(2), TopWords(2, norm=None)],
)
def test_estimator_checks(estimator):
    check_estimator(estimator, on_skip=None)


def test_equation_6_1():
    X = np.array([[3.0, 1, 0, 2], [0, 1, 0, 1], [1, 1, 0, 0]])
    expected = X * np.log(3 / np.array([2, 3, 1, 2]))
    assert np.allclose(TfIdf().fit_transform(X), expected)
    assert np.allclose(TfIdf().fit_transform(sp.csr_array(X)).toarray(), expected)


def test_word_that_was_not_seen_weighs_as_the_rarest():
    fitted = TfIdf().fit([[1, 0], [1, 0]])
    assert np.allclose(fitted.transform([[1, 1]]), [[0, np.log(2)]])


@given(counts, st.sampled_from([None, "l1", "l2"]), st.booleans())
def test_smooth_form_is_scikit_learns(X, norm, sublinear):
    theirs = TfidfTransformer(norm=norm, sublinear_tf=sublinear).fit_transform(X).toarray()
    ours = TfIdf(idf="smooth", norm=norm, sublinear_tf=sublinear)
    assert np.allclose(ours.fit_transform(X), theirs)
    assert np.allclose(ours.fit_transform(sp.csr_array(X)).toarray(), theirs)


@given(counts)
def test_permutations_of_rows_and_words_commute(X):
    rows, words = np.random.RandomState(0).permutation(X.shape[0]), np.random.RandomState(1).permutation(X.shape[1])
    assert np.allclose(TfIdf().fit_transform(X)[rows][:, words], TfIdf().fit_transform(X[rows][:, words]))
    assert np.allclose(TopWords().fit_transform(X)[rows][:, words], TopWords().fit_transform(X[rows][:, words]))


def test_input_is_left_as_it_was():
    X = sp.random_array((20, 10), density=0.3, rng=0, format="csr")
    X.data = np.ceil(X.data * 5)
    before = X.copy()
    for transformer in (TfIdf(), TfIdf(idf="smooth", norm="l2", sublinear_tf=True), TopWords(3)):
        transformed = transformer.fit_transform(X)
        assert isinstance(transformed, sp.csr_array)
        assert transformed.has_canonical_format
        assert (before != X).nnz == 0
    assert (TfIdf().fit_transform(X).data != 0).all()


def _naive_top_words(X: np.ndarray, n_words: int) -> list[int]:
    """Score, sort, cut: a loop a word."""
    n = len(X)
    idf = [np.log((1 + n) / (1 + sum(X[:, word] > 0))) + 1 for word in range(X.shape[1])]
    score = np.zeros(X.shape[1])
    for row in X:
        weights = row * idf
        length = np.sqrt((weights**2).sum())
        score += weights / length if length else weights
    return sorted(sorted(range(X.shape[1]), key=lambda word: -round(score[word], 9))[:n_words])


@given(counts, st.integers(1, 6))
def test_top_words_have_the_largest_sum_of_tf_idf(X, n_words):
    fitted = TopWords(n_words).fit(X)
    chosen, naive = set(fitted.columns_), set(_naive_top_words(X, n_words))
    assert np.isclose(sum(fitted.scores_[list(chosen)]), sum(fitted.scores_[list(naive)]))
    assert np.allclose(TopWords(n_words).fit(sp.csr_array(X)).scores_, fitted.scores_)


@pytest.mark.parametrize(
    ("norm", "length"), [("l1", lambda row: row.sum()), ("l2", lambda row: np.sqrt((row**2).sum()))]
)
def test_rows_have_the_asked_length(norm, length):
    X = np.array([[3.0, 1, 2, 0], [0, 0, 1, 1], [0, 0, 0, 9]])
    scaled = TopWords(3, scale=10_000, norm=norm).fit_transform(X)
    lengths = [length(row) for row in scaled]
    assert all(np.isclose(value, 10_000) or value == 0 for value in lengths)
    assert scaled.shape == (3, 3)


def test_names_of_the_kept_words():
    fitted = TopWords(2).fit([[5, 0, 1], [0, 0, 1], [0, 1, 1]])
    assert fitted.get_feature_names_out(["ax", "be", "cat"]).tolist() == [
        ["ax", "be", "cat"][word] for word in fitted.columns_
    ]


def test_fewer_words_than_asked_for_are_all_kept():
    assert TopWords(600).fit_transform([[1, 2], [0, 1]]).shape == (2, 2)


@pytest.mark.parametrize(
    ("transformer", "message"),
    [
        (TfIdf(idf="none"), r"idf='none' of TfIdf must be 'plain' or 'smooth'"),
        (TfIdf(norm="max"), r"norm='max' of TfIdf must be"),
        (TopWords(0), r"n_words=0 of TopWords must be a whole number of at least 1"),
        (TopWords(scale=0), r"scale=0 of TopWords must be a number above 0"),
    ],
)
def test_bad_parameters(transformer, message):
    with pytest.raises(InputError, match=message):
        transformer.fit([[1, 0], [0, 1]])


@pytest.mark.parametrize("transformer", [TfIdf(), TopWords()])
@pytest.mark.parametrize(
    ("X", "message"),
    [([[-1, 0]], "Negative values"), ([[np.nan, 1]], "contains NaN"), ([["a", "b"]], "could not convert")],
)
def test_bad_counts(transformer, X, message):
    with pytest.raises(ValueError, match=message):
        transformer.fit(X)

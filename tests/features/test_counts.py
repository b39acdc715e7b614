"""Counts of words: against scikit-learn's, and against what is wrong with real input."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from smatter import TfIdf, TopWords, WordCounts
from smatter.errors import InputError, UnreadableError
from smatter.features import _counting, _tokens
from smatter.progress import listening

TEXTS = [
    "The cat sat on the mat; the CAT!",
    "A dog and a cat, 2 dogs.",
    "",
    "Größe: 12_345 — naïve café, über naïve",
    "cat dog mat sat",
]
CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "iterator": iter,
    "array of str": np.array,
    "array of objects": lambda texts: np.array(texts, dtype=object),
    "pandas": pd.Series,
    "polars": pl.Series,
}
WORD = r"[^\W_]+"
word = st.sampled_from(["a", "bb", "Cat", "été", "x_y", "3", "the", ";", "\n", "日本"])
texts = st.lists(st.lists(word, max_size=12).map(" ".join), min_size=1, max_size=8)


def _same(ours: sp.csr_array, theirs: sp.csr_matrix) -> bool:
    return ours.shape == theirs.shape and abs(ours - theirs).nnz == 0


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"min_df": 2},
        {"min_df": 0.4, "max_df": 0.6},
        {"max_df": 2},
        {"binary": True, "lowercase": False},
        {"stop_words": "english"},
        {"stop_words": ["cat", "dogs"], "ngram_range": (1, 2)},
        {"ngram_range": (2, 3)},
        {"analyzer": "char", "ngram_range": (1, 3)},
        {"analyzer": "char", "ngram_range": (3, 60)},
        {"analyzer": "char_wb", "ngram_range": (1, 4)},
        {"analyzer": "char_wb", "ngram_range": (4, 6), "min_df": 2},
        {"token_pattern": r"(?u)\b\w\w+\b"},
        {"token_pattern": r"\w(\w)"},
        {"dtype": np.int32},
    ],
)
def test_same_as_scikit_learn(options):
    pattern = {} if "char" in options.get("analyzer", "word") else {"token_pattern": WORD}
    theirs = CountVectorizer(**(pattern | options))
    ours = WordCounts(**options)
    assert _same(ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS))
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    unseen = ["cat unseen words, the cat", "", "12 dogs sat"]
    assert _same(ours.transform(unseen), theirs.transform(unseen))


@settings(deadline=None)
@given(texts, st.integers(1, 3), st.sampled_from([(1, 1), (1, 2), (2, 2)]))
def test_same_as_scikit_learn_on_any_texts(texts, min_df, ngram_range):
    theirs = CountVectorizer(token_pattern=WORD, min_df=min_df, ngram_range=ngram_range)
    ours = WordCounts(min_df=min_df, ngram_range=ngram_range)
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:
        with pytest.raises(InputError):
            ours.fit(texts)
    else:
        assert _same(ours.fit_transform(texts), expected)
        assert list(ours.vocabulary_) == sorted(theirs.vocabulary_)


def test_counts_are_canonical_floats_with_sorted_words():
    counts = WordCounts().fit_transform(TEXTS)
    assert isinstance(counts, sp.csr_array)
    assert counts.has_canonical_format
    assert counts.dtype == np.float64
    names = WordCounts().fit(TEXTS).get_feature_names_out()
    assert names.dtype == object
    assert names.tolist() == sorted(names)


def test_most_frequent_words_ties_in_alphabetical_order():
    counter = WordCounts(max_features=3).fit(["d c b a", "d c b a", "d"])
    assert list(counter.vocabulary_) == ["a", "b", "d"]


@pytest.mark.parametrize("n_jobs", [2, -1])
@pytest.mark.parametrize("options", [{}, {"ngram_range": (1, 2), "min_df": 2, "max_features": 20}])
def test_same_whatever_the_number_of_processes(monkeypatch, n_jobs, options):
    monkeypatch.setattr(_counting, "_CHUNK", 200)  # many small chunks
    many = [f"{text} {number % 7}" for number in range(30) for text in TEXTS]
    one, several = WordCounts(**options), WordCounts(**options, n_jobs=n_jobs)
    assert _same(several.fit_transform(many), one.fit_transform(many))
    assert one.vocabulary_ == several.vocabulary_
    assert list(one.vocabulary_) == list(several.vocabulary_)
    assert _same(several.transform(many), one.transform(many))


def test_stop_words_of_a_file_are_cut_like_the_texts(tmp_path):
    (tmp_path / "stop.txt").write_text("don't\nTHE\n", encoding="utf-8")
    counter = WordCounts(stop_words=tmp_path / "stop.txt").fit(["The men don't"])
    assert list(counter.vocabulary_) == ["men"]
    assert list(WordCounts(stop_words=str(tmp_path / "stop.txt")).fit(["The men"]).vocabulary_) == ["men"]


def test_a_fitted_counter_no_longer_needs_its_stop_list(tmp_path):
    (tmp_path / "stop.txt").write_text("the\n", encoding="utf-8")
    counter = WordCounts(stop_words=tmp_path / "stop.txt", ngram_range=(2, 2)).fit(["over the hill"])
    (tmp_path / "stop.txt").unlink()
    assert counter.transform(["over the hill"]).toarray().tolist() == [[1]]


def test_english_stop_words_are_those_of_scikit_learn():
    kept = WordCounts(stop_words="english").fit([" ".join(sorted(ENGLISH_STOP_WORDS)) + " word"])
    assert list(kept.vocabulary_) == ["word"]


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS)
def test_texts_in_any_container(container):
    assert _same(WordCounts().fit_transform(container(TEXTS)), WordCounts().fit_transform(TEXTS))


def test_clone_pickle_and_pipeline():
    counter = WordCounts(min_df=2, stop_words=["on"])
    assert clone(counter).get_params() == counter.get_params()
    again = pickle.loads(pickle.dumps(counter.fit(TEXTS)))
    assert _same(again.transform(TEXTS), counter.transform(TEXTS))
    pipeline = make_pipeline(WordCounts(), TfIdf(), TopWords(3), MultinomialNB())
    assert pipeline.fit(TEXTS, [0, 1, 0, 1, 1]).predict(TEXTS).shape == (5,)
    assert len(pipeline[:-1].get_feature_names_out()) == 3


def test_set_output():
    assert _same(WordCounts().set_output(transform="default").fit_transform(TEXTS), WordCounts().fit_transform(TEXTS))
    with pytest.raises(ValueError, match="sparse"):
        WordCounts().set_output(transform="pandas").fit_transform(TEXTS)


def test_progress_is_reported(monkeypatch):
    monkeypatch.setattr(_counting, "_PROGRESS_EVERY", 2)
    seen = []
    with listening(seen.append):
        WordCounts().fit(TEXTS)
    assert [(step.what, step.done, step.total) for step in seen] == [("WordCounts", done, 5) for done in (0, 2, 4)]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (
            "one text",
            r"given one string, 'one text'…; it needs an iterable over raw text documents.* wrap it in a list",
        ),
        (b"bytes", r"given one bytes object"),
        (None, r"given a NoneType; it needs one string a document"),
        (3, r"given a int; it needs one string a document"),
        ({"a": 1}, r"given a dict; it needs one string a document"),
        ([], r"given no documents; it needs at least one"),
        (["a", None], r"document 1 of WordCounts is 'None' of type NoneType; .* replace missing texts by ''"),
        (["a", float("nan")], r"document 1 of WordCounts is 'nan' of type float; .* replace missing texts"),
        ([b"a"], r"document 0 of WordCounts is .* of type bytes; .* decode it"),
        (["a", 5], r"document 1 of WordCounts is '5' of type int; .* convert it with str"),
        ([["a", "b"]], r"document 0 of WordCounts is .* of type list"),
        (np.array([["a"], ["b"]]), r"given a table or matrix"),
        (pd.DataFrame({"a": ["x"]}), r"given a table or matrix"),
        (["", " . ", "\x00"], r"none of the 0 different words of 3 documents is left \(empty vocabulary\)"),
    ],
)
def test_bad_texts(raw, message):
    with pytest.raises(InputError, match=message):
        WordCounts().fit(raw)


def test_bad_texts_in_transform():
    counter = WordCounts().fit(TEXTS)
    with pytest.raises(InputError, match="document 0 of WordCounts"):
        counter.transform([None])
    assert counter.transform([]).shape == (0, len(counter.vocabulary_))
    with pytest.raises(NotFittedError):
        WordCounts().transform(TEXTS)


def test_every_word_pruned():
    with pytest.raises(InputError, match=r"none of the 4 different words of 2 documents is left .* lower min_df"):
        WordCounts(min_df=2).fit(["a b", "c d"])
    with pytest.raises(InputError, match=r"max_df=1 is 1 of 2 texts, less than min_df=2"):
        WordCounts(min_df=2, max_df=1).fit(["a b", "c d"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_df": -1}, r"min_df=-1 of WordCounts must be a whole number of at least 1, or a number"),
        ({"max_df": 0.0}, r"max_df=0\.0 of WordCounts must be"),
        ({"max_features": 0}, r"max_features=0 of WordCounts must be"),
        ({"analyzer": "line"}, r"analyzer='line' of WordCounts must be 'word' or 'char' or 'char_wb'"),
        ({"ngram_range": (2, 1)}, r"ngram_range=\(2, 1\) starts above its end"),
        ({"ngram_range": (0, 1)}, r"ngram_range=\(0, 1\) must be two whole numbers"),
        ({"ngram_range": (1,)}, r"ngram_range=\(1,\) must be two whole numbers"),
        ({"ngram_range": 2}, r"ngram_range=2 of WordCounts must be"),
        ({"token_pattern": "["}, r"token_pattern='\[' is no regular expression"),
        ({"token_pattern": "(a)(b)"}, r"has 2 groups; a word is one"),
        ({"analyzer": "char", "stop_words": ["a"]}, r"of no use with analyzer='char'"),
        ({"stop_words": "klingon"}, r"stop_words='klingon' is neither 'english' nor a file"),
        ({"stop_words": ["a", 1]}, r"stop_words holds 1; a stop word is a string"),
        ({"lowercase": "yes"}, r"lowercase='yes' of WordCounts must be True or False"),
        ({"n_jobs": 1.5}, r"n_jobs=1\.5 of WordCounts must be"),
        ({"n_jobs": 0}, r"n_jobs=0 of WordCounts must be"),
    ],
)
def test_bad_parameters(options, message):
    with pytest.raises(InputError, match=message):
        WordCounts(**options).fit(TEXTS)


def test_stop_list_that_is_no_text(tmp_path):
    (tmp_path / "stop.bin").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UnreadableError, match="is not UTF-8 text"):
        WordCounts(stop_words=tmp_path / "stop.bin").fit(TEXTS)


@pytest.mark.parametrize("ending", ["", " é"])
def test_one_document_of_fifty_megabytes(ending):
    counts = WordCounts(stop_words=["the"]).fit_transform(["the quick brown fox " * 2_500_000 + ending])
    assert counts.toarray()[0, :3].tolist() == [2_500_000] * 3


@pytest.mark.parametrize("options", [{}, {"ngram_range": (1, 2)}, {"analyzer": "char", "ngram_range": (2, 2)}])
def test_memory_of_a_long_document_is_that_of_its_text(monkeypatch, options):
    monkeypatch.setattr(_tokens, "LONG_TEXT", 10_000)
    text = "the quick brown fox " * 50_000 + "é"
    tracemalloc.start()
    WordCounts(**options).fit_transform([text])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * len(text)  # its 200,000 words as strings would take eleven times as much


def test_nul_bytes_separate_words():
    assert list(WordCounts().fit(["one\x00two\x00\x00"]).vocabulary_) == ["one", "two"]

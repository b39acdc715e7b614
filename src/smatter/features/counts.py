"""Texts as counts of their words."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from smatter.errors import InputError
from smatter.features._counting import CountedTerms, count_all, count_known
from smatter.features._texts import check_texts, stop_list
from smatter.features._tokens import UNITS, Analyzer, compiled
from smatter.validation import TRUTH, Instance, Number, OneOf, Rules, check_parameters

_WHOLE = Number(1, whole=True)


class WordCounts(TransformerMixin, BaseEstimator):
    r"""Count the words of texts: n(w, x) of word w in text x, as a sparse matrix with a row for each text.

    A word is a run of letters and digits, of any script; everything else separates words, as in section 6.3 of
    Krithara's thesis. The columns are the words in alphabetical order, whatever ``n_jobs``.

    Parameters
    ----------
    min_df, max_df : int or float, default 1 and 1.0
        Drop words that are in fewer or in more texts; a whole number counts texts, a fraction is the share of them.
        The thesis has ``min_df=5``.
    stop_words : None, "english", path or sequence of str
        Words to leave out: scikit-learn's English list, the words of a file, or these.
    analyzer : {"word", "char", "char_wb"}
        What is counted: words, runs of characters, or runs of characters within words.
    ngram_range : (int, int), default (1, 1)
        The shortest and the longest run of words, or of characters, that is one feature.
    token_pattern : str, optional
        A regular expression of what a word is, with at most one group.
    lowercase : bool, default True
        Take "Word" and "word" as the same.
    max_features : int, optional
        Keep only the most frequent.
    binary : bool, default False
        Record that a word occurs instead of how often.
    dtype : dtype, default float64
        The type of the counts; the models compute in float64.
    n_jobs : int, optional
        Worker processes; −1 for all cores.

    Attributes
    ----------
    vocabulary_ : dict
        The column of each word.
    analyzer_ : Analyzer
        How a text was cut, with the stop words that the list held then.

    References
    ----------
    A. Krithara: Learning aspect models with partially labeled data. Thesis, 2008, section 6.3.

    Examples
    --------
    >>> counter = WordCounts(stop_words=["the"])
    >>> counter.fit_transform(["The cat, the dog", "dog; dog!"]).toarray().tolist()
    [[1.0, 1.0], [0.0, 2.0]]
    >>> counter.get_feature_names_out().tolist()
    ['cat', 'dog']

    """

    rules: ClassVar[Rules] = {
        "min_df": (_WHOLE, Number(0, 1)),
        "max_df": (_WHOLE, Number(0, 1, above=True)),
        "stop_words": (
            OneOf(None, "english"),
            Instance((str, Path, list, tuple, set, frozenset, np.ndarray), "the path of a list, or words"),
        ),
        "analyzer": OneOf(*UNITS),
        "ngram_range": Instance((tuple, list), "two whole numbers"),
        "token_pattern": (OneOf(None), Instance((str,), "a regular expression")),
        "lowercase": TRUTH,
        "max_features": (OneOf(None), _WHOLE),
        "binary": TRUTH,
        "n_jobs": (OneOf(None), _WHOLE, Number(high=-1, whole=True)),
    }

    def __init__(
        self,
        *,
        min_df: int | float = 1,
        max_df: int | float = 1.0,
        stop_words: str | Path | Sequence[str] | None = None,
        analyzer: str = "word",
        ngram_range: tuple[int, int] = (1, 1),
        token_pattern: str | None = None,
        lowercase: bool = True,
        max_features: int | None = None,
        binary: bool = False,
        dtype: DTypeLike = np.float64,
        n_jobs: int | None = None,
    ) -> None:
        self.min_df = min_df
        self.max_df = max_df
        self.stop_words = stop_words
        self.analyzer = analyzer
        self.ngram_range = ngram_range
        self.token_pattern = token_pattern
        self.lowercase = lowercase
        self.max_features = max_features
        self.binary = binary
        self.dtype = dtype
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def fit(self, raw_documents: Iterable[str], y: ArrayLike | None = None) -> Self:
        """Learn the vocabulary."""
        self.fit_transform(raw_documents)
        return self

    def fit_transform(self, raw_documents: Iterable[str], y: ArrayLike | None = None) -> sp.csr_array:
        """Learn the vocabulary and count, in one pass over the texts."""
        check_parameters(self, self.rules)
        texts = check_texts(raw_documents, type(self).__name__)
        if not texts:
            raise InputError(f"{type(self).__name__} was given no documents; it needs at least one: pass some.")
        self.analyzer_ = self._analyzer()
        counted = count_all(texts, self.analyzer_, self.n_jobs, type(self).__name__)
        kept = self._kept(counted, len(texts))
        kept.sort(key=counted.terms.__getitem__)
        self.vocabulary_ = {counted.terms[term]: column for column, term in enumerate(kept)}
        counts = counted.rows.matrix(len(counted.terms))
        del counted  # the words that were pruned take as much memory as the result
        counts = counts[:, kept]
        return self._finished(counts)

    def transform(self, raw_documents: Iterable[str]) -> sp.csr_array:
        """Count the words of the vocabulary; others are passed over."""
        check_is_fitted(self, "vocabulary_")
        texts = check_texts(raw_documents, type(self).__name__)
        n_words = len(self.vocabulary_)
        rows = count_known(texts, self.analyzer_, self.vocabulary_, self.n_jobs, type(self).__name__)
        counts = rows.matrix(n_words + 1)[:, :n_words]
        del rows
        return self._finished(counts)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the words, in the order of the columns."""
        check_is_fitted(self, "vocabulary_")
        return np.asarray(list(self.vocabulary_), dtype=object)

    def _finished(self, counts: sp.csr_array) -> sp.csr_array:
        if self.binary:
            counts.data[:] = 1
        counts.sort_indices()
        return counts.astype(self.dtype, copy=False)

    def _analyzer(self) -> Analyzer:
        if len(self.ngram_range) != 2 or not all(_WHOLE.accepts(size) for size in self.ngram_range):
            raise InputError(f"ngram_range={self.ngram_range!r} must be two whole numbers of at least 1: correct it.")
        shortest, longest = self.ngram_range
        if shortest > longest:
            raise InputError(f"ngram_range={self.ngram_range!r} starts above its end: put the shorter length first.")
        if self.analyzer != "word" and (self.stop_words is not None or self.token_pattern is not None):
            raise InputError(
                f"stop_words and token_pattern are of no use with analyzer={self.analyzer!r}, which knows no words: "
                "leave them out."
            )
        self._check_pattern()
        without = Analyzer(self.analyzer, shortest, longest, bool(self.lowercase), self.token_pattern)
        stop_words = (token for word in stop_list(self.stop_words) for token in without.tokens(word))
        return replace(without, stop_words=frozenset(stop_words))

    def _check_pattern(self) -> None:
        if self.token_pattern is None:
            return
        try:
            groups = compiled(self.token_pattern).groups
        except re.error as error:
            raise InputError(
                f"token_pattern={self.token_pattern!r} is no regular expression ({error}): correct it."
            ) from error
        if groups > 1:
            raise InputError(
                f"token_pattern={self.token_pattern!r} has {groups} groups; a word is one: write (?:…) for the others."
            )

    def _kept(self, counted: CountedTerms, n_texts: int) -> list[int]:
        frequency = counted.document_frequency()
        lowest, highest = _texts(self.min_df, n_texts), _texts(self.max_df, n_texts)
        if highest < lowest:
            raise InputError(
                f"max_df={self.max_df!r} is {highest:g} of {n_texts} texts, less than min_df={self.min_df!r} "
                f"({lowest:g}); no word can be in as few and as many: raise max_df or lower min_df."
            )
        candidates = np.flatnonzero((frequency >= lowest) & (frequency <= highest)).tolist()
        kept = [term for term in candidates if counted.terms[term] not in self.analyzer_.stop_words]
        if not kept:
            raise InputError(
                f"none of the {len(counted.terms)} different words of {n_texts} documents is left (empty vocabulary); "
                f"a word must be in {lowest:g} to {highest:g} documents and not be a stop word: lower min_df, raise "
                "max_df, or look at whether the documents hold text."
            )
        if self.max_features is not None and len(kept) > self.max_features:
            total = counted.total()
            kept.sort(key=lambda term: (-total[term], counted.terms[term]))
            kept = kept[: self.max_features]
        return kept


def _texts(limit: int | float, n_texts: int) -> float:
    return limit if isinstance(limit, (int, np.integer)) else limit * n_texts

"""Counts of words as weights: tf-idf, and the few words that carry most of it."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from smatter.validation import TRUTH, Matrix, Number, OneOf, Rules, check_matrix, check_parameters

Frequencies = NDArray[np.float64]


def _plain(frequency: Frequencies, n_rows: int) -> Frequencies:
    return np.log(n_rows / np.maximum(frequency, 1))  # a word that was never seen weighs as much as the rarest


def _smooth(frequency: Frequencies, n_rows: int) -> Frequencies:
    return np.log((1 + n_rows) / (1 + frequency)) + 1


_IDF: dict[str, Callable[[Frequencies, int], Frequencies]] = {"plain": _plain, "smooth": _smooth}


class TfIdf(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Weigh counts by how few texts have the word: n(w, x) · log(\|X\| / df(w)), equation 6.1.

    Here \|X\| is the number of texts and df(w) the number of those that have w, both of the data of ``fit``.

    Parameters
    ----------
    idf : {"plain", "smooth"}, default "plain"
        Equation 6.1, or log((1 + \|X\|) / (1 + df(w))) + 1, which no word in every text falls out of and which
        scikit-learn's ``TfidfTransformer`` has.
    norm : None, "l1" or "l2", default None
        Scale each row to this norm; linear machines want ``idf="smooth", norm="l2"``.
    sublinear_tf : bool, default False
        Take 1 + log n for n.

    Attributes
    ----------
    idf_ : ndarray of shape (n_words,)
        The weight of each word.

    References
    ----------
    A. Krithara: Learning aspect models with partially labeled data. Thesis, 2008, equation 6.1.

    Examples
    --------
    >>> TfIdf().fit_transform([[2, 1], [0, 3]]).round(2).tolist()
    [[1.39, 0.0], [0.0, 0.0]]

    """

    rules: ClassVar[Rules] = {"idf": OneOf(*_IDF), "norm": OneOf(None, "l1", "l2"), "sublinear_tf": TRUTH}

    def __init__(self, *, idf: str = "plain", norm: str | None = None, sublinear_tf: bool = False) -> None:
        self.idf = idf
        self.norm = norm
        self.sublinear_tf = sublinear_tf

    def __sklearn_tags__(self) -> Any:
        return _counts_only(super().__sklearn_tags__())

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Learn how many rows have each word."""
        check_parameters(self, self.rules)
        X = check_matrix(self, X, reset=True, nonnegative=True)
        self.idf_ = _IDF[self.idf](_document_frequency(X), X.shape[0])
        return self

    def transform(self, X: Any) -> Matrix:
        """Weigh counts; sparse stays sparse."""
        check_is_fitted(self, "idf_")
        return self._weighed(check_matrix(self, X, reset=False, nonnegative=True))

    def _weighed(self, X: Matrix) -> Matrix:
        weighed = _times(_log_counts(X) if self.sublinear_tf else X, self.idf_)
        if sp.issparse(weighed) and not self.idf_.all():
            weighed = weighed.copy()
            weighed.eliminate_zeros()
        return weighed if self.norm is None else normalize(weighed, norm=self.norm, copy=False)


class TopWords(TransformerMixin, BaseEstimator):
    r"""Keep the words with the largest sum of tf-idf over the texts, as rows of one length.

    score(w) = Σ_x t(w, x), with t the smooth tf-idf in rows of Euclidean length 1. The kept words' weights are
    scaled again to length 1 and multiplied by ``scale``, so that a multinomial model takes them for counts beside
    which its smoothing is small.

    Parameters
    ----------
    n_words : int, default 600
        How many words to keep.
    scale : float, default 10000
        The length of a row.
    norm : None, "l1" or "l2", default "l2"
        What the length is: the sum of the weights, its Euclidean norm, or nothing, which leaves lengths as they are.

    Attributes
    ----------
    scores_ : ndarray of shape (n_words_in,)
        The score of every word.
    columns_ : ndarray of shape (n_words,)
        The columns that are kept, in their order.

    References
    ----------
    N. H. Nghia: Semi-supervised learning with the framework of generative model. Thesis, 2019, section 2.4; the
    weights and the scale are those of the settings that he published beside it.

    Examples
    --------
    >>> TopWords(n_words=1, scale=10).fit_transform([[3, 1, 0], [4, 0, 1], [1, 0, 0]]).tolist()
    [[10.0], [10.0], [10.0]]

    """

    rules: ClassVar[Rules] = {
        "n_words": Number(1, whole=True),
        "scale": Number(0, above=True),
        "norm": OneOf(None, "l1", "l2"),
    }

    def __init__(self, n_words: int = 600, *, scale: float = 10_000.0, norm: str | None = "l2") -> None:
        self.n_words = n_words
        self.scale = scale
        self.norm = norm

    def __sklearn_tags__(self) -> Any:
        return _counts_only(super().__sklearn_tags__())

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Score the words and choose."""
        check_parameters(self, self.rules)
        X = check_matrix(self, X, reset=True, nonnegative=True)
        self.idf_ = _smooth(_document_frequency(X), X.shape[0])
        self.scores_ = np.asarray(normalize(_times(X, self.idf_), copy=False).sum(axis=0)).ravel()
        best = np.argsort(-self.scores_, kind="stable")[: self.n_words]
        self.columns_ = np.sort(best)
        return self

    def transform(self, X: Any) -> Matrix:
        """Return the weights of the kept words; sparse stays sparse."""
        check_is_fitted(self, "columns_")
        X = check_matrix(self, X, reset=False, nonnegative=True)
        kept = _times(X[:, self.columns_], self.idf_[self.columns_])
        return (kept if self.norm is None else normalize(kept, norm=self.norm, copy=False)) * float(self.scale)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the kept words."""
        check_is_fitted(self, "columns_")
        return np.asarray(_check_feature_names_in(self, input_features), dtype=object)[self.columns_]


def _document_frequency(X: Matrix) -> Frequencies:
    if sp.issparse(X):
        return np.bincount(X.indices[X.data != 0], minlength=X.shape[1]).astype(np.float64)
    return np.count_nonzero(X, axis=0).astype(np.float64)


def _times(X: Matrix, weights: Frequencies) -> Matrix:
    """Multiply each column by its weight; the result shares the positions of a sparse X, not its values."""
    return _like(X, X.data * weights[X.indices]) if sp.issparse(X) else X * weights


def _log_counts(X: Matrix) -> Matrix:
    counts = X.data if sp.issparse(X) else X
    logs = np.log(counts, where=counts > 0, out=np.full(counts.shape, -1.0)) + 1
    return _like(X, logs) if sp.issparse(X) else logs


def _like(X: Matrix, values: NDArray[np.float64]) -> Matrix:
    return sp.csr_array((values, X.indices, X.indptr), shape=X.shape)


def _counts_only(tags: Any) -> Any:
    tags.input_tags.sparse = True
    tags.input_tags.positive_only = True
    return tags

"""The supervised side of a comparison: what the labeled rows alone would have given."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples, check_is_fitted

from smatter.errors import InputError, LabelError
from smatter.labels import encode_labels


def _offers(method: str) -> Any:
    return available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), method))


class LabeledOnly(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):
    """Any classifier, trained on the labeled rows alone; the unlabeled ones are dropped before it sees them.

    Parameters
    ----------
    estimator : classifier
        A scikit-learn classifier or pipeline; a clone of it is fitted.

    Examples
    --------
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> model = LabeledOnly(MultinomialNB()).fit([[3, 0], [0, 2], [1, 1]], ["ham", "spam", None])
    >>> model.predict([[1, 0]]).tolist()
    ['ham']

    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Fit a clone of the estimator on the rows of X that have a label."""
        if y is None:
            raise InputError("LabeledOnly requires y to be passed, but the target y is None: pass one label a row.")
        labels = encode_labels(y)
        if _num_samples(X) != len(labels.codes):
            raise InputError(
                f"Found input variables with inconsistent numbers of samples: X has {_num_samples(X)} rows, y has "
                f"{len(labels.codes)} labels; each row needs one: mark unlabeled rows with -1, None, '' or NaN."
            )
        rows = np.flatnonzero(labels.labeled)
        if len(rows) == 0:
            raise LabelError("y has no labeled row; a supervised baseline needs labels of two classes: label some.")
        X = X.tocsr() if sp.issparse(X) else X  # not every sparse form has rows to pick
        self.estimator_ = clone(self.estimator).fit(_safe_indexing(X, rows), labels.decode(labels.codes[rows]))
        self.classes_ = self.estimator_.classes_
        return self

    @property
    def n_features_in_(self) -> int:
        """The number of features that the estimator was fitted on."""
        check_is_fitted(self, "estimator_")
        return int(self.estimator_.n_features_in_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict(X))

    @_offers("predict_proba")
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return P(class | row), where the estimator knows it."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X))

    @_offers("decision_function")
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the estimator's scores."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.decision_function(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

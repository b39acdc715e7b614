"""The supervised side of a comparison: what the labeled rows alone would have given."""

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from smatter.errors import LabelError
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
        labels = encode_labels(y)
        rows = np.flatnonzero(labels.labeled)
        if len(rows) == 0:
            raise LabelError("y has no labeled row; a supervised baseline needs labels of two classes: label some.")
        X = X[rows] if hasattr(X, "shape") else np.asarray(X)[rows]
        self.estimator_ = clone(self.estimator).fit(X, labels.decode(labels.codes[rows]))
        self.classes_ = self.estimator_.classes_
        return self

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
        inner = self.estimator.__sklearn_tags__()
        tags.input_tags = inner.input_tags
        return tags

"""What every semi-supervised classifier here shares: the door in, the door out, nothing of the mathematics."""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from smatter.errors import EmptyRowsWarning, InputError, LabelError
from smatter.labels import Labels, encode_labels
from smatter.validation import Matrix, Rules, check_matrix, check_parameters, check_weights, empty_rows


class SemiSupervisedClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that learns from labeled and unlabeled rows.

    A subclass states its parameter ``rules``, writes ``fit`` between ``_open_fit`` and ``_close_fit``, and
    ``_posterior`` for rows that it has not seen. After ``fit`` it offers

    ==================  =================================================================
    ``classes_``        the sorted classes
    ``posterior_``      P(class | row) of the training rows, in their order (n × K)
    ``transduction_``   the decided class of each training row
    ``n_iter_``         the iterations that it took
    ``objective_``      the objective after each iteration
    ==================  =================================================================
    """

    rules: ClassVar[Rules] = {}
    nonnegative: ClassVar[bool] = False
    empty_rows_are_blank: ClassVar[bool] = True  # a row of zeros says nothing, as with counts of words
    sklearn_exceptions: ClassVar[dict[str, str]] = {}  # scikit-learn's checks that cannot hold here → why

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self.nonnegative
        return tags

    def _open_fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[Matrix, Labels, NDArray[np.float64]]:
        """Check the parameters and the data; remember the classes."""
        check_parameters(self, self.rules)
        X = self._check_rows(X, reset=True)
        labels = check_labels(self, X, y)
        self.classes_ = labels.classes
        weights = check_weights(sample_weight, X)
        _refuse_weightless_classes(labels, weights, type(self).__name__)
        return X, labels, weights

    def _check_rows(self, X: Any, *, reset: bool) -> Matrix:
        """Check X at the door; a family whose rows are not vectors of numbers checks its own way."""
        return check_matrix(self, X, reset=reset, nonnegative=self.nonnegative)

    def _close_fit(self, posterior: NDArray[np.float64], objective: list[float]) -> Self:
        """Remember what every model remembers."""
        self.posterior_ = np.clip(posterior, 0.0, 1.0)  # a sum of probabilities may exceed 1 by a rounding error
        self.transduction_ = self.classes_[posterior.argmax(axis=1)]
        self.objective_ = np.asarray(objective, dtype=np.float64)
        self.n_iter_ = max(1, len(objective))
        return self

    def _posterior(self, X: Matrix) -> NDArray[np.float64]:
        """P(class | row) of checked rows; what a subclass writes."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return P(class | row), one row a row of X, one column a class of ``classes_``."""
        check_is_fitted(self)
        X = self._check_rows(X, reset=False)
        if self.empty_rows_are_blank:
            warn_of_empty_rows(X)
        return np.clip(self._posterior(X), 0.0, 1.0)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return log P(class | row), finite: no smaller than the logarithm of the smallest float."""
        return np.log(np.maximum(self.predict_proba(X), np.finfo(np.float64).tiny))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row."""
        posterior = self.predict_proba(X)
        return self.classes_[posterior.argmax(axis=1)]


def check_labels(estimator: Any, X: Matrix, y: ArrayLike) -> Labels:
    """Encode y and make sure that there is something to learn from."""
    name = type(estimator).__name__
    if y is None:
        raise InputError(
            f"{name} requires y to be passed, but the target y is None: pass one label a row (-1, None, '' or NaN "
            "where it is unknown)."
        )
    labels = encode_labels(y)
    if len(labels.codes) != X.shape[0]:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: X has {X.shape[0]} rows, y has "
            f"{len(labels.codes)} labels; each row needs one: mark unlabeled rows with -1, None, '' or NaN."
        )
    _refuse_measurements(labels, name)
    if len(labels.classes) == 0:
        raise LabelError(
            f"y has no labeled row: {name} needs at least one label in each of two classes; label some rows "
            "(-1, None, '' and NaN mean unlabeled)."
        )
    if len(labels.classes) == 1:
        hint = " Is -1 one of your classes? It means unlabeled here." if str(labels.classes[0]) in "01" else ""
        raise LabelError(
            f"y has one class only, {labels.classes.tolist()[0]!r}: {name} needs labels of at least two; label a row "
            f"of another class.{hint}"
        )
    return labels


def _refuse_measurements(labels: Labels, name: str) -> None:
    values = labels.classes
    if values.dtype.kind == "f" and (values != np.floor(values)).any():
        wrong = values[values != np.floor(values)][0]
        raise LabelError(
            f"Unknown label type: y holds {wrong:g}; {name} is a classifier and its labels are categories, not "
            "measurements: use whole numbers or strings."
        )


def _refuse_weightless_classes(labels: Labels, weights: NDArray[np.float64], name: str) -> None:
    weighty = np.bincount(labels.codes[labels.labeled], weights[labels.labeled], minlength=len(labels.classes)) > 0
    if weighty.sum() < 2:
        raise LabelError(
            f"sample_weight leaves {int(weighty.sum())} class with a labeled row of weight above 0; {name} needs two: "
            "raise the weight of a row of another class."
        )


def warn_of_empty_rows(X: Matrix) -> None:
    """Warn of rows without a known feature, of which any model can say no more than the prior."""
    empty = np.flatnonzero(empty_rows(X))
    if len(empty):
        warnings.warn(
            f"{len(empty)} of {X.shape[0]} rows have no known word (the first is row {empty[0]}); they get the class "
            "prior: leave them out, or look at how they were read.",
            EmptyRowsWarning,
            stacklevel=3,
        )


def warn_unsettled(model: Any) -> None:
    """Warn that the iterations ran out before the objective settled."""
    warnings.warn(
        f"{type(model).__name__} stopped at max_iter={model.max_iter}, before the objective settled: raise max_iter or "
        "tol.",
        ConvergenceWarning,
        stacklevel=3,
    )

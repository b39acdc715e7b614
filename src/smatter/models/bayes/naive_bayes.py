"""Naive Bayes, supervised: the baseline that every other model is measured against (SPEC A1)."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smatter.errors import InputError, LabelError
from smatter.labels import Labels, encode_labels
from smatter.models.bayes._base import EVENT_RULES, LENGTH_RULE, MixtureClassifier
from smatter.models.bayes._mixture import (
    Problem,
    labeled_sums,
    log_joint,
    log_prior_of,
    mixture_from_sums,
    normalize,
    one_component_a_class,
)
from smatter.validation import Matrix, Rules, check_parameters, check_weights


class NaiveBayes(MixtureClassifier):
    """Naive Bayes on the labeled rows; unlabeled rows are classified, not learned from.

    P(c | x) ∝ P(c) Π_w P(w | c)^n(w, x), with P(w | c) ∝ Σ_{x in c} n(w, x) + smoothing. With
    ``event_model="multinomial"`` and a number for ``smoothing`` this is scikit-learn's ``MultinomialNB``.

    Parameters
    ----------
    event_model : {"multinomial", "bernoulli", "categorical"}, default "multinomial"
        What a row is: counts of words; presence and absence of words; a table of attributes of any kind, with None
        or NaN where a value is missing (it is skipped) and fractions cut into bins.
    smoothing : float or "loo", default "loo"
        Lidstone's λ, added to every count. "loo" picks the one that tells left-out labeled rows apart best.
    length_exponent : float in [0, 1] or "loo", default 1.0
        Below 1, long documents are weighed down: their counts are multiplied by (mean length / length)^(1 − e).
    class_prior : None, "uniform" or array of shape (K,), default None
        P(c); None estimates it from the labeled rows.

    Attributes
    ----------
    classes_, posterior_, transduction_, objective_, n_iter_
        As in every model here.
    class_prior_ : array of shape (K,)
        P(c).
    smoothing_, length_exponent_ : float
        The settings in use.

    References
    ----------
    McCallum and Nigam (1998), "A comparison of event models for naive Bayes text classification".

    Examples
    --------
    >>> from smatter import NaiveBayes
    >>> rows = [["m", "b"], ["m", "s"], ["g", "q"], ["h", "s"], ["g", "q"],
    ...         ["g", "q"], ["g", "s"], ["h", "b"], ["h", "q"], ["m", "b"]]
    >>> model = NaiveBayes("categorical", smoothing=0.0).fit(rows, list("tttttfffff"))
    >>> model.predict([["m", "q"]]).tolist(), model.predict_proba([["m", "q"]]).round(3).tolist()
    (['t'], [[0.333, 0.667]])

    """

    rules: ClassVar[Rules] = {**EVENT_RULES, "length_exponent": LENGTH_RULE}

    def __init__(
        self,
        event_model: str = "multinomial",
        *,
        smoothing: float | str = "loo",
        length_exponent: float | str = 1.0,
        class_prior: str | ArrayLike | None = None,
    ) -> None:
        self.event_model = event_model
        self.smoothing = smoothing
        self.length_exponent = length_exponent
        self.class_prior = class_prior

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from the labeled rows of X; rows whose y is -1, None, "" or NaN are classified only."""
        X, labels, weights = self._open_fit(X, y, sample_weight)
        problem = self._state(X, labels, weights, (self.length_exponent, self.smoothing))
        self._sums = labeled_sums(problem)
        return self._estimate(problem)

    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add more rows to the counts.

        The first call settles the classes (``classes``, or those of y) and all that "loo", the mean length and the bins
        of a table are chosen from; ``posterior_`` is that of the rows of the last call.
        """
        if hasattr(self, "_sums"):
            return self._add_part(X, y, classes, sample_weight)
        if classes is None:
            return self.fit(X, y, sample_weight)
        check_parameters(self, self.rules)
        X = self._check_rows(X, reset=True)
        labels = _labels_of_part(X, y, _two_classes(classes))
        self.classes_ = labels.classes
        problem = self._state(X, labels, check_weights(sample_weight, X), (self.length_exponent, self.smoothing))
        self._sums = labeled_sums(problem)
        return self._estimate(problem)

    def _add_part(self, X: Any, y: ArrayLike, classes: ArrayLike | None, sample_weight: ArrayLike | None) -> Self:
        if classes is not None and not np.array_equal(encode_labels(classes).classes, self.classes_):
            raise InputError(
                f"classes={list(np.asarray(classes))!r} differ from those of the first call, {self.classes_.tolist()}: "
                "name all classes in the first call."
            )
        X = self._check_rows(X, reset=False)
        labels = _labels_of_part(X, y, self.classes_)
        rows, weights = self.events_.prepare(X), check_weights(sample_weight, X)
        prior = self._fixed_prior(len(self.classes_))
        problem = Problem(self.events_, rows, labels, weights, self.smoothing_, 0.0, prior)
        self._sums = self._sums + labeled_sums(problem)
        return self._estimate(problem)

    def _estimate(self, problem: Problem) -> Self:
        """Turn the counts into P(c) and P(w | c), and classify the rows at hand."""
        labels = problem.labels
        self.mixture_ = mixture_from_sums(problem, self._sums, one_component_a_class(len(self.classes_)))
        scores = log_joint(problem.rows, self.mixture_)
        labeled = np.flatnonzero(labels.labeled)
        joint = float((problem.weights[labeled] * scores[labeled, labels.codes[labeled]]).sum())
        posterior, _ = normalize(scores)
        posterior[labeled] = 0.0
        posterior[labeled, labels.codes[labeled]] = 1.0
        return self._close_fit(posterior, [joint + log_prior_of(problem, self.mixture_)])


def _labels_of_part(X: Matrix, y: ArrayLike, classes: ArrayLike) -> Labels:
    labels = encode_labels(y, classes)
    if len(labels.codes) != X.shape[0]:
        raise InputError(
            f"X has {X.shape[0]} rows, y has {len(labels.codes)} labels; each row needs one: mark unlabeled rows with "
            "-1, None, '' or NaN."
        )
    return labels


def _two_classes(classes: ArrayLike) -> NDArray[Any]:
    known = encode_labels(classes).classes
    if len(known) < 2:
        raise LabelError(f"classes={known.tolist()} must name at least two classes: add those of later calls.")
    return known

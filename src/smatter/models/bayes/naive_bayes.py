"""Naive Bayes, supervised: the baseline that every other model is measured against (SPEC A1)."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from smatter.errors import InputError
from smatter.labels import Labels, encode_labels
from smatter.models.bayes._base import EVENT_RULES, LENGTH_RULE, MixtureClassifier
from smatter.models.bayes._events import EventModel, Floats
from smatter.models.bayes._mixture import Problem, component_classes, log_prior_of, mixture_from_counts, normalize
from smatter.validation import Matrix, Rules, check_weights


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
        events, rows, smoothing = self._choose_events(X, labels, weights, (self.length_exponent, self.smoothing))
        self._remember_settings(events, smoothing)
        self._counts, self._totals = _sums(events, rows, labels, weights)
        return self._estimate(rows, labels, weights)

    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Add more rows to the counts. The first call settles the classes (``classes``, or those of y)."""
        if not hasattr(self, "classes_"):
            if classes is None:
                return self.fit(X, y, sample_weight)
            return self._first_part(X, y, classes, sample_weight)
        if classes is not None and not np.array_equal(encode_labels(classes).classes, self.classes_):
            raise InputError(
                f"classes={list(np.asarray(classes))!r} differ from those of the first call, {self.classes_.tolist()}: "
                "name all classes in the first call."
            )
        X = self._check_rows(X, reset=False)
        labels = encode_labels(y, self.classes_)
        return self._add(self.events_.prepare(X), labels, check_weights(sample_weight, X))

    def _first_part(self, X: Any, y: ArrayLike, classes: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        X = self._check_rows(X, reset=True)
        labels = encode_labels(y, encode_labels(classes).classes)
        self.classes_ = labels.classes
        weights = check_weights(sample_weight, X)
        events, rows, smoothing = self._choose_events(X, labels, weights, (self.length_exponent, self.smoothing))
        self._remember_settings(events, smoothing)
        self._counts, self._totals = np.zeros(()), np.zeros(())
        return self._add(rows, labels, weights)

    def _add(self, rows: Matrix, labels: Labels, weights: Floats) -> Self:
        counts, totals = _sums(self.events_, rows, labels, weights)
        self._counts, self._totals = self._counts + counts, self._totals + totals
        return self._estimate(rows, labels, weights)

    def _estimate(self, rows: Matrix, labels: Labels, weights: Floats) -> Self:
        n_classes = len(self.classes_)
        weights = np.where(labels.labeled, weights, 0.0)
        problem = Problem(self.events_, rows, labels, weights, self.smoothing_, 0.0, self._fixed_prior(n_classes))
        log_class = component_classes(np.ones(n_classes, dtype=np.int64))
        self.mixture_ = mixture_from_counts(problem, self._counts, self._totals, log_class)
        scores = self.events_.log_likelihood(rows, self.mixture_.log_p) + self.mixture_.log_prior
        labeled = np.flatnonzero(labels.labeled)
        joint = float(weights[labeled] @ scores[labeled, labels.codes[labeled]])
        posterior, _ = normalize(scores)
        posterior[labeled] = labels.one_hot()[labeled]
        return self._close_fit(posterior, [joint + log_prior_of(problem, self.mixture_)])


def _sums(events: EventModel, rows: Matrix, labels: Labels, weights: Floats) -> tuple[Floats, Floats]:
    """Counts of words (K × d) and weights of documents (K) of the labeled rows."""
    weighted = labels.one_hot() * weights[:, None]
    return events.statistics(rows, weighted), weighted.sum(axis=0)

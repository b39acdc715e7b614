"""What the naive Bayes models share beside the EM: parameters, the door in, prediction."""

from typing import Any

import numpy as np

from smatter.errors import InputError
from smatter.labels import Labels
from smatter.models.base import SemiSupervisedClassifier
from smatter.models.bayes._events import EVENT_MODELS, EventModel, Floats, Multinomial
from smatter.models.bayes._leave_one_out import SMOOTHINGS, choose_events, event_candidates
from smatter.models.bayes._mixture import Mixture, Problem, class_posterior
from smatter.validation import ARRAY, Matrix, Number, OneOf, Rules

SMOOTHING_RULE = (OneOf("loo"), Number(0))
PRIOR_RULE = (OneOf(None, "uniform"), ARRAY)
LENGTH_RULE = (OneOf("loo"), Number(0, 1))
EVENT_RULES: Rules = {"event_model": OneOf(*EVENT_MODELS), "smoothing": SMOOTHING_RULE, "class_prior": PRIOR_RULE}


class MixtureClassifier(SemiSupervisedClassifier):
    """A classifier whose classes are mixtures of components that an event model describes."""

    event_model: Any
    smoothing: Any
    class_prior: Any
    mixture_: Mixture
    events_: EventModel

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        table = self.event_model == "categorical"
        tags.classifier_tags.poor_score = True  # scikit-learn's blobs are not counts
        tags.input_tags.sparse = not table
        tags.input_tags.positive_only = not table
        tags.input_tags.allow_nan = table
        tags.input_tags.categorical = tags.input_tags.string = table
        return tags

    @property
    def empty_rows_are_blank(self) -> bool:  # type: ignore[override]
        """Whether a row of zeros says nothing; under Bernoulli absent words speak."""
        return bool(EVENT_MODELS[self.event_model].silent_when_empty)

    def _check_rows(self, X: Any, *, reset: bool) -> Matrix:
        return EVENT_MODELS[self.event_model]().check(self, X, reset)

    def _choose_events(
        self, X: Matrix, labels: Labels, weights: Floats, settings: tuple[float | str, float | str]
    ) -> tuple[EventModel, Matrix, float]:
        """Settle length exponent and smoothing, by leave-one-out where they say "loo"; prepare the rows."""
        length_exponent, smoothing = settings
        events: list[EventModel] = [EVENT_MODELS[self.event_model]()]
        if self.event_model == "multinomial":
            events = event_candidates(length_exponent)
        smoothings = list(SMOOTHINGS) if isinstance(smoothing, str) else [float(smoothing)]
        problem = Problem(events[0], X, labels, weights, smoothings[0], 0.0, self._fixed_prior(len(labels.classes)))
        chosen, best = choose_events((events, smoothings), X, labels, problem)
        return chosen, chosen.prepare(X, weights), best

    def _fixed_prior(self, n_classes: int) -> Floats | None:
        """Return the class prior that the user gave, None where it is to be estimated."""
        if self.class_prior is None:
            return None
        if isinstance(self.class_prior, str):
            return np.full(n_classes, 1.0 / n_classes)
        prior = np.asarray(self.class_prior, dtype=np.float64)
        if prior.shape != (n_classes,) or not (prior > 0).all() or abs(prior.sum() - 1.0) > 1e-6:
            raise InputError(
                f"class_prior={prior.tolist()} must be {n_classes} numbers above 0 that sum to 1, in the order of the "
                f"classes {self.classes_.tolist()[:10]}: correct it, or pass None to estimate it."
            )
        return prior

    def _posterior(self, X: Matrix) -> Floats:
        return class_posterior(self.events_, self.events_.prepare(X), self.mixture_)

    @property
    def class_prior_(self) -> Floats:
        """P(y) that the model uses, estimated or given (K)."""
        return np.exp(self.mixture_.log_prior) @ np.exp(self.mixture_.log_class)

    def _remember_settings(self, events: EventModel, smoothing: float) -> None:
        self.events_ = events
        self.smoothing_ = smoothing
        if isinstance(events, Multinomial):
            self.length_exponent_ = events.length_exponent

"""What the naive Bayes models share beside the EM: parameters, the door in, prediction."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from smatter.errors import InputError
from smatter.labels import Labels
from smatter.models.base import SemiSupervisedClassifier
from smatter.models.bayes._categorical import Categorical
from smatter.models.bayes._events import Bernoulli, EventModel, Multinomial
from smatter.models.bayes._leave_one_out import SMOOTHINGS, choose_events, event_candidates
from smatter.models.bayes._mixture import Mixture, Problem, class_posterior
from smatter.models.bayes._rows import Floats, Rows
from smatter.validation import ARRAY, Matrix, Number, OneOf, Rules

EVENT_MODELS: dict[str, type[Multinomial] | type[Bernoulli] | type[Categorical]] = {
    "multinomial": Multinomial,
    "bernoulli": Bernoulli,
    "categorical": Categorical,
}
SMOOTHING_RULE = (OneOf("loo"), Number(0))
PRIOR_RULE = (OneOf(None, "uniform"), ARRAY)
LENGTH_RULE = (OneOf("loo"), Number(0, 1))
EVENT_RULES: Rules = {"event_model": OneOf(*EVENT_MODELS), "smoothing": SMOOTHING_RULE, "class_prior": PRIOR_RULE}


@dataclass(frozen=True)
class Solution:
    """What a warm start goes on from."""

    mixture: Mixture
    events: EventModel
    classes: list[Any]
    n_features: int


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

    def _state(self, X: Matrix, labels: Labels, weights: Floats, settings: tuple[float | str, float | str]) -> Problem:
        """State the problem: settle length exponent and smoothing, by leave-one-out where they say "loo"."""
        length_exponent, smoothing = settings
        events: list[EventModel] = [EVENT_MODELS[self.event_model]()]
        if self.event_model == "multinomial":
            events = event_candidates(length_exponent)
        smoothings = list(SMOOTHINGS) if isinstance(smoothing, str) else [float(smoothing)]
        prior = self._fixed_prior(len(labels.classes))
        unsettled = Problem(events[0], Rows.plain(X), labels, weights, 0.0, 0.0, prior)
        problem = choose_events(events, smoothings, X, unsettled)
        self.events_ = problem.events
        self.smoothing_ = problem.smoothing
        if isinstance(problem.events, Multinomial):
            self.length_exponent_ = problem.events.length_exponent
        return problem

    def _fixed_prior(self, n_classes: int) -> Floats | None:
        """Return the class prior that the user gave, None where it is to be estimated."""
        if self.class_prior is None:
            return None
        if isinstance(self.class_prior, str):
            return np.full(n_classes, 1.0 / n_classes)
        try:
            prior = np.asarray(self.class_prior, dtype=np.float64)
        except (TypeError, ValueError):
            prior = np.empty(0)
        if prior.shape != (n_classes,) or not (prior > 0).all() or abs(prior.sum() - 1.0) > 1e-6:
            raise InputError(
                f"class_prior={self.class_prior!r} must be {n_classes} numbers above 0 that sum to 1, in the order of "
                f"the classes {self.classes_.tolist()[:10]}: correct it, or pass None to estimate it."
            )
        return prior

    def _posterior(self, X: Matrix) -> Floats:
        return class_posterior(self.events_.prepare(X), self.mixture_)

    def _last_solution(self) -> Solution | None:
        if not hasattr(self, "mixture_"):
            return None
        return Solution(self.mixture_, self.events_, self.classes_.tolist(), self.n_features_in_)

    def _still_fitting(self, before: Solution | None) -> Solution | None:
        """Return the last solution if classes, features and event model are still the same."""
        if before is None or type(before.events) is not EVENT_MODELS[self.event_model]:
            return None
        same = before.classes == self.classes_.tolist() and before.n_features == self.n_features_in_
        return before if same else None

    def _settings(self, length_exponent: float | str, before: Solution | None) -> tuple[float | str, float | str]:
        """Length exponent and smoothing as given; where that is "loo", those of the last solution."""
        smoothing = self.smoothing
        if before is not None:
            smoothing = self.smoothing_ if isinstance(smoothing, str) else smoothing
            if isinstance(length_exponent, str) and isinstance(before.events, Multinomial):
                length_exponent = before.events.length_exponent
        return length_exponent, smoothing

    @property
    def class_prior_(self) -> Floats:
        """P(y) that the model uses, estimated or given (K)."""
        return np.exp(self.mixture_.log_prior) @ np.exp(self.mixture_.log_class)

    @property
    def word_given_component_(self) -> Floats:
        """P(w | m), M × words: of presence under Bernoulli, of each value of each attribute in a table."""
        return self.events_.probabilities(self.mixture_.log_p)

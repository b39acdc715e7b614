"""I5: a committee of naive Bayes models drawn from their Dirichlet posterior (K algorithm 12)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from smatter.active._divergence import divergence_to_mean
from smatter.active.state import Floats, State
from smatter.active.strategy import Strategy
from smatter.models.bayes._events import TINY, Multinomial, Sums
from smatter.models.bayes._mixture import (
    Limits,
    Mixture,
    Problem,
    labeled_sums,
    mixture_from_sums,
    one_component_a_class,
    run_em,
)
from smatter.validation import Number, Rules


@dataclass(frozen=True)
class CommitteeDisagreement(Strategy):
    """Query by committee: the KL divergence to the mean of k naive Bayes models that EM started from random draws.

    P(w|c) of each member is drawn from the Dirichlet distribution of its class, with parameters
    n(w, c) + smoothing over the labeled documents; P(c) is not drawn. EM over the unlabeled documents follows.
    McCallum and Nigam ask for the largest ``CommitteeDisagreement() * Density()``.

    Parameters
    ----------
    members : int, default 3
        k.
    smoothing : float, default 0.1
        Added to each count of a word.
    unlabeled_weight : float in [0, 1], default 1.0
        The weight of an unlabeled document in EM; 0 keeps to what was drawn.
    max_iter : int, default 10
        The most EM iterations of a member; it stops where the objective gains less than 0.0001 of its size.

    References
    ----------
    A. McCallum and K. Nigam, Employing EM and pool-based active learning for text classification, ICML 1998.

    Examples
    --------
    >>> from smatter.labels import encode_labels
    >>> X = np.array([[9.0, 0.0], [0.0, 9.0], [9.0, 0.0], [1.0, 1.0]])
    >>> state = State(np.full((4, 2), 0.5), encode_labels(["a", "b", None, None]), X=X)
    >>> CommitteeDisagreement(members=20, unlabeled_weight=0.0).utility(state).argmax().item()
    1

    """

    rules: ClassVar[Rules] = {
        "members": Number(2, whole=True),
        "smoothing": Number(0, above=True),
        "unlabeled_weight": Number(0, 1),
        "max_iter": Number(1, whole=True),
    }
    members: int = 3
    smoothing: float = 0.1
    unlabeled_weight: float = 1.0
    max_iter: int = 10

    def utility(self, state: State) -> Floats:
        """Return the disagreement of this round's committee."""
        problem = self._problem(state)
        random, sums = state.random(_DRAW), labeled_sums(problem)
        return divergence_to_mean([self._member(problem, sums, random)[state.candidates] for _ in range(self.members)])

    def _problem(self, state: State) -> Problem:
        events = Multinomial()
        rows = events.prepare(state.need("X", self))
        weights = np.where(state.labeled, 1.0, self.unlabeled_weight)
        return Problem(events, rows, state.labels, weights, self.smoothing, 1.0)

    def _member(self, problem: Problem, sums: Sums, random: np.random.Generator) -> Floats:
        """Draw P(w|c), let EM go on from there, and return what the member says of every row."""
        log_class = one_component_a_class(len(problem.labels.classes))
        expected = mixture_from_sums(problem, sums, log_class)
        drawn = Mixture(expected.log_prior, self._draw(sums, random), expected.log_blank, log_class)
        n_iter = self.max_iter + 1 if self.unlabeled_weight else 1  # the first E-step is that of the draw itself
        return run_em(problem, drawn, Limits(n_iter, _TOL, type(self).__name__)).responsibilities

    def _draw(self, sums: Sums, random: np.random.Generator) -> Floats:
        """Log P(w|c) ~ Dirichlet(n(w, c) + smoothing), as normalized gamma variates."""
        variates = np.maximum(random.standard_gamma(np.maximum(sums.words, 0.0) + self.smoothing), TINY)
        return np.log(variates) - np.log(variates.sum(axis=1, keepdims=True))


_DRAW, _TOL = 4, 1e-4

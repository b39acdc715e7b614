"""I2: how often the decision about a row has changed (K 5.3)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from smatter.active.state import Floats, State
from smatter.active.strategies.class_entropy import entropy
from smatter.active.strategy import Strategy
from smatter.labels import Codes
from smatter.validation import OneOf, Rules


@dataclass(frozen=True)
class VoteEntropy(Strategy):
    """VE(x) = −Σ_y V(y, x)/iters log V(y, x)/iters  (K 5.2): ask where the decision keeps changing.

    V(y, x) counts how often x was decided to be y. Rows that were always decided alike share the value 0; among equals
    the order is random, so that the first rounds, which know of no change, ask at random (K notes the same).

    Parameters
    ----------
    votes : {"rounds", "iterations", "all"}, default "all"
        Who votes: the model after each question, as in K's algorithm 20; the iterations of the last fit, for models
        that keep them (``label_history_``); or both.

    References
    ----------
    A. Krithara, *Learning Aspect Models with Partially Labeled Data*, thesis, 2008, section 5.3; after I. Dagan and
    S. Engelson, Committee-based sampling for training probabilistic classifiers, ICML 1995.

    Examples
    --------
    >>> from smatter.labels import encode_labels
    >>> decisions = (np.array([0, 0]), np.array([0, 1]))
    >>> state = State(np.full((2, 2), 0.5), encode_labels([None, None], [0, 1]), decisions=decisions)
    >>> VoteEntropy("rounds").utility(state).round(3).tolist()
    [0.0, 0.693]

    """

    rules: ClassVar[Rules] = {"votes": OneOf("rounds", "iterations", "all")}
    votes: str = "all"

    def utility(self, state: State) -> Floats:
        """Return VE(x)."""
        votes = np.zeros((len(state.candidates), len(state.classes)))
        positions = np.arange(len(votes))
        for decided in _VOTERS[self.votes](state):
            here = decided[state.candidates]
            cast = here >= 0
            votes[positions[cast], here[cast]] += 1.0
        return entropy(votes / np.maximum(votes.sum(axis=1, keepdims=True), 1.0))


def _of_rounds(state: State) -> list[Codes]:
    return list(state.decisions)


def _of_iterations(state: State) -> list[Codes]:
    """Decisions after each EM iteration of the last fit, in the codes of the state."""
    history = getattr(state.model, "label_history_", None)
    if history is None or len(history) == 0:
        return []
    code_of = np.append(np.searchsorted(state.classes, state.model.classes_), -1)  # −1 stays −1
    return list(code_of[np.asarray(history)])


_VOTERS: dict[str, Callable[[State], list[Codes]]] = {
    "rounds": _of_rounds,
    "iterations": _of_iterations,
    "all": lambda state: _of_rounds(state) + _of_iterations(state),
}

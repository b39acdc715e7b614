"""I0: the baseline of every comparison."""

from dataclasses import dataclass

from smatter.active.state import Floats, State
from smatter.active.strategy import Strategy


@dataclass(frozen=True)
class RandomChoice(Strategy):
    """Rows at random: what a strategy must beat.

    Examples
    --------
    >>> import numpy as np
    >>> from smatter.labels import encode_labels
    >>> state = State(np.full((3, 2), 0.5), encode_labels([None, None, None], [0, 1]), seed=1)
    >>> RandomChoice().utility(state).shape
    (3,)

    """

    def utility(self, state: State) -> Floats:
        """Uniform numbers, decided by the seed and the round."""
        return state.random(_CHOICE).random(len(state.labels.codes))[state.candidates]


_CHOICE = 2

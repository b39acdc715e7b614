"""I6: the models of the last rounds as a committee (HKLD)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from smatter.active._divergence import divergence_to_mean
from smatter.active.state import Floats, State
from smatter.active.strategy import Strategy
from smatter.validation import Number, Rules


@dataclass(frozen=True)
class HistoryDivergence(Strategy):
    """HKLD: the KL divergence to the mean of the posteriors of the last k rounds.

    The first round has a committee of one, which never disagrees: every row gets 0, and the order is random.

    Parameters
    ----------
    members : int, default 5
        k; a session remembers 10.

    References
    ----------
    M. Davy and S. Luz, Active learning with history-based query selection for text categorisation, ECIR 2007.

    Examples
    --------
    >>> from smatter.labels import encode_labels
    >>> before, now = np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[0.5, 0.5], [0.0, 1.0]])
    >>> state = State(now, encode_labels([None, None], ["a", "b"]), history=(before, now))
    >>> HistoryDivergence().utility(state).round(3).tolist()
    [0.0, 0.693]

    """

    rules: ClassVar[Rules] = {"members": Number(2, whole=True)}
    members: int = 5

    def utility(self, state: State) -> Floats:
        """Return the divergence of the last posteriors."""
        if not state.history:
            return np.zeros(len(state.candidates))
        return divergence_to_mean([P[state.candidates] for P in state.history[-self.members :]])

"""I1: the entropy of the posterior, which Krithara calls the margin method (K 5.2)."""

from dataclasses import dataclass

import numpy as np

from smatter.active.state import Floats, State
from smatter.active.strategy import Strategy


@dataclass(frozen=True)
class ClassEntropy(Strategy):
    """B(x) = −Σ_y P(y|x) log P(y|x)  (K 5.1): ask where the model is least sure.

    References
    ----------
    A. Krithara, *Learning Aspect Models with Partially Labeled Data*, thesis, 2008, section 5.2.

    Examples
    --------
    >>> from smatter.labels import encode_labels
    >>> P = np.array([[0.5, 0.5], [1.0, 0.0]])
    >>> ClassEntropy().utility(State(P, encode_labels([None, None], ["a", "b"]))).round(3).tolist()
    [0.693, 0.0]

    """

    def utility(self, state: State) -> Floats:
        """Return B(x)."""
        return entropy(state.posterior[state.candidates])


def entropy(P: Floats) -> Floats:
    """−Σ p log p of each row, with 0 log 0 = 0.

    >>> entropy(np.array([[0.25, 0.25, 0.5]])).round(4).tolist()
    [1.0397]
    """
    # Not −0.0, and never below 0 by rounding: products of utilities need that.
    return np.maximum(-np.einsum("ij,ij->i", P, np.log(np.maximum(P, np.finfo(np.float64).tiny))), 0.0) + 0.0

"""I3: rows at the boundary of a margin classifier."""

from dataclasses import dataclass

import numpy as np

from smatter.active.state import Floats, State
from smatter.active.strategy import Strategy
from smatter.errors import InputError


@dataclass(frozen=True)
class ClosestToHyperplane(Strategy):
    """1 / (1 + |f(x)|): ask next to the hyperplane; for more than two classes f is the gap of the two largest scores.

    The model needs a ``decision_function``.

    References
    ----------
    S. Tong and D. Koller, Support vector machine active learning with applications to text classification, ICML 2000.
    C. Campbell, N. Cristianini and A. Smola, Query learning with large margin classifiers, ICML 2000.

    Examples
    --------
    >>> from sklearn.svm import LinearSVC
    >>> from smatter.labels import encode_labels
    >>> X = np.array([[-1.0], [1.0], [0.1], [3.0]])
    >>> model = LinearSVC().fit(X[:2], [0, 1])
    >>> state = State(np.full((4, 2), 0.5), encode_labels([0, 1, -1, -1]), X=X, model=model)
    >>> state.candidates[ClosestToHyperplane().utility(state).argmax()].item()
    2

    """

    def utility(self, state: State) -> Floats:
        """Return 1 / (1 + distance in units of the score)."""
        model, X = state.need("model", self), state.need("X", self)
        if not hasattr(model, "decision_function"):
            raise InputError(
                f"{type(model).__name__} has no decision_function, and so no hyperplane to be close to: take a margin "
                "model, or ClassEntropy."
            )
        scores = np.asarray(model.decision_function(X[state.candidates]))
        if scores.ndim == 2:
            two = np.partition(scores, scores.shape[1] - 2, axis=1)[:, -2:]
            scores = two[:, 1] - two[:, 0]
        return np.asarray(1.0 / (1.0 + np.abs(scores)))

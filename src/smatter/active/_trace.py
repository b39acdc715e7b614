"""What the models of a session have said, round after round."""

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smatter.active.answers import position_in
from smatter.active.state import Floats
from smatter.evaluate.metrics import align_posterior
from smatter.labels import Codes

REMEMBERED = 10  # posteriors; decisions are kept for good


class Trace:
    """Posteriors of the last rounds, decisions and residual errors of all of them, in the codes of all classes."""

    def __init__(self) -> None:
        self.posteriors: deque[Floats] = deque(maxlen=REMEMBERED)
        self.decisions: list[Codes] = []
        self.residual_errors: list[float] = []
        self._classes: NDArray[Any] = np.empty(0)

    def add(self, posterior: Floats, known: NDArray[Any], classes: NDArray[Any], unlabeled: NDArray[np.bool_]) -> None:
        """Remember a round; a class that the model does not know has probability 0."""
        P = align_posterior(posterior, known, classes)
        self._classes = classes
        self.posteriors.append(P)
        self.decisions.append(P.argmax(axis=1).astype(np.int32))
        left = 1.0 - P[unlabeled].max(axis=1)
        self.residual_errors.append(float(left.mean()) if len(left) else 0.0)

    def widen(self, classes: NDArray[Any]) -> None:
        """A class has been added: the columns and codes behind it move up."""
        if not self.decisions:
            return
        places = position_in(classes, self._classes)
        for i, P in enumerate(self.posteriors):
            wider = np.zeros((len(P), len(classes)))
            wider[:, places] = P
            self.posteriors[i] = wider
        self.decisions = [places[decided].astype(np.int32) for decided in self.decisions]
        self._classes = classes

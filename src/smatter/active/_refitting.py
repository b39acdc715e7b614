"""When a model is fitted anew: at once, or in the background while the last one answers."""

import copy
from concurrent.futures import Executor, Future
from contextvars import copy_context
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from smatter.labels import UNLABELED, encode_labels

GROWTH = (
    1.1  # so many times the labels of the last fit from scratch ask for another: EM that goes on stays where it was
)


class Refitting:
    """Holds the newest model; knows which labels it has seen."""

    def __init__(self, model: Any, X: Any, executor: Executor | None) -> None:
        self._blank = clone(model)
        if "warm_start" in self._blank.get_params(deep=False):
            self._blank.set_params(warm_start=True)
        self._X, self._executor = X, executor
        self.model: Any = None
        self._future: Future[Any] | None = None
        self._seen: NDArray[Any] | None = None  # by the newest model, or by the one that is being fitted
        self._scratch_labels = 0

    def newest(self, y: NDArray[Any]) -> list[Any]:
        """Return the models that have become ready; without an executor that is one with all labels."""
        return self.finish(y) if self._executor is None else self.start(y)

    def start(self, y: NDArray[Any]) -> list[Any]:
        """Begin to fit in the background where that is due; return the model that has become ready, if any."""
        ready = self._collect(wait=False)
        if self._executor is not None and self._future is None and self._due(y):
            context, job = copy_context(), self._job(y)
            self._future = self._executor.submit(lambda: context.run(_fit, *job))
        return ready

    def finish(self, y: NDArray[Any]) -> list[Any]:
        """Fit until the newest model has seen all labels; return the models in their order."""
        ready = self._collect(wait=True)
        if self._due(y):
            self.model = _fit(*self._job(y))
            ready.append(self.model)
        return ready

    def _collect(self, wait: bool) -> list[Any]:
        if self._future is None or not (wait or self._future.done()):
            return []
        future, self._future = self._future, None
        self.model = future.result()
        return [self.model]

    def _due(self, y: NDArray[Any]) -> bool:
        if self._seen is not None and np.array_equal(y, self._seen):
            return False
        return len(encode_labels(y).classes) > 1

    def _job(self, y: NDArray[Any]) -> tuple[Any, Any, NDArray[Any]]:
        """Return what to fit: the last model, which it then goes on from, or a blank one; rows; labels."""
        self._seen = y
        count = int((encode_labels(y).codes != UNLABELED).sum())
        scratch = self.model is None or count >= GROWTH * self._scratch_labels
        if scratch:
            self._scratch_labels = count
        return (self._blank if scratch else self.model), self._X, y


def _fit(last: Any, X: Any, y: NDArray[Any]) -> Any:
    """Fit a copy: the last model goes on answering."""
    return copy.copy(last).fit(X, y)

"""One way for long work to say how far it is: the worker reports, whoever listens draws.

>>> seen = []
>>> with listening(seen.append):
...     report(Progress("NaiveBayesEM", done=1, total=30, objective=-123.4))
>>> seen[0].done, seen[0].total
(1, 30)
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """One step of something long."""

    what: str
    done: int
    total: int | None = None
    objective: float | None = None


Listener = Callable[[Progress], object]
_listeners: ContextVar[tuple[Listener, ...]] = ContextVar("smatter_progress_listeners", default=())


def report(progress: Progress) -> None:
    """Tell every listener of this context; costs next to nothing when nobody listens."""
    for listener in _listeners.get():
        listener(progress)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Call ``listener`` with each report made inside the block. An exception that it raises stops the work."""
    token = _listeners.set((*_listeners.get(), listener))
    try:
        yield
    finally:
        _listeners.reset(token)

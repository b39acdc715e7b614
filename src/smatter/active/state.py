"""What a strategy may look at when it says which row to ask about."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from smatter.errors import InputError
from smatter.labels import UNLABELED, Codes, Labels
from smatter.validation import Matrix

Floats = NDArray[np.float64]
Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class State:
    """The rows, what is known of them, and what the model thinks, now and before.

    Parameters
    ----------
    posterior : array of shape (n, K)
        P(class | row) of the last model; a labeled row has 1 for its label.
    labels : Labels
        Codes of all rows (-1: unlabeled) into the K sorted classes.
    candidates : array of int, optional
        The rows that may be asked; all unlabeled ones by default.
    X : matrix of shape (n, d), optional
        The rows themselves.
    graph : sparse matrix of shape (n, n), optional
        Weights between rows.
    model : classifier, optional
        The last fitted model.
    history : tuple of arrays of shape (n, K)
        Posteriors of the last rounds, the newest last and among them; older ones may be forgotten.
    decisions : tuple of arrays of shape (n,)
        The decided code of every row after each round, the newest last.
    residual_errors : tuple of float
        After each round, the mean of 1 − max_y P(y|x) over the rows then unlabeled.
    seed : int
        Decides whatever is random; ``len(decisions)`` is the round.
    memory : dict
        What strategies want to find again in the next round; see :meth:`remember`.

    Examples
    --------
    >>> from smatter.labels import encode_labels
    >>> state = State(np.array([[1.0, 0.0], [0.4, 0.6]]), encode_labels(["a", None], ["a", "b"]))
    >>> state.candidates.tolist(), state.decided.tolist()
    ([1], [0, 1])

    """

    posterior: Floats
    labels: Labels
    candidates: NDArray[np.intp] = None  # type: ignore[assignment]
    X: Matrix = None
    graph: Matrix = None
    model: Any = None
    history: tuple[Floats, ...] = ()
    decisions: tuple[Codes, ...] = ()
    residual_errors: tuple[float, ...] = ()
    seed: int = 0
    memory: dict[Any, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.candidates is None:
            object.__setattr__(self, "candidates", np.flatnonzero(~self.labels.labeled))
        n, K = len(self.labels.codes), len(self.labels.classes)
        if self.posterior.shape != (n, K):
            raise InputError(
                f"posterior has shape {self.posterior.shape} for {n} rows and {K} classes; it needs one row a row and "
                "one column a class: align it with the classes."
            )

    @property
    def classes(self) -> NDArray[Any]:
        """The sorted classes."""
        return self.labels.classes

    @property
    def labeled(self) -> NDArray[np.bool_]:
        """True where a row has a label."""
        return self.labels.labeled

    @property
    def round(self) -> int:
        """How many models there have been."""
        return len(self.decisions)

    @cached_property
    def decided(self) -> Codes:
        """The most probable code of each row."""
        return self.posterior.argmax(axis=1)

    @cached_property
    def unlabeled(self) -> NDArray[np.intp]:
        """All rows without a label, whether they may be asked or not."""
        return np.flatnonzero(self.labels.codes == UNLABELED)

    def random(self, purpose: int) -> np.random.Generator:
        """A generator of random numbers for this round; two purposes never share one."""
        return np.random.default_rng([self.seed, self.round, purpose])

    def among(self, rows: NDArray[np.intp]) -> "State":
        """The same state with fewer candidates."""
        return replace(self, candidates=rows)

    def need(self, what: str, who: Any) -> Any:
        """Return ``X``, ``graph`` or ``model``, which a strategy cannot do without."""
        value = getattr(self, what)
        if value is None:
            raise InputError(f"{type(who).__name__} needs {what}, but the state has none: pass {what}.")
        return value

    def remember(self, key: Any, make: Callable[[], Made]) -> Made:
        """Make something once for as long as the rows stay the same (a density, an inverse) and find it again."""
        if key not in self.memory:
            self.memory[key] = make()
        return self.memory[key]

"""What an experiment is: which methods, on which collections, at which budgets, by which protocol."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from smatter.errors import InputError
from smatter.evaluate.protocols import Budget, Protocol
from smatter.evaluate.reports import Key, Measure

Recipe = Callable[[], tuple[Any, Any, Any]]  # → X, y, feature names
Factory = Callable[[], Any]  # → an estimator
PublishedValue = tuple[Key, str, float]  # (collection, method, budget), measure name, value on the scale 0 … 1


@dataclass(frozen=True)
class Published:
    """A file of the folder of published numbers, and how a row of it reads in the experiment's own names."""

    file: str
    read: Callable[[Mapping[str, str]], Iterable[PublishedValue]]


@dataclass(frozen=True)
class Experiment:
    """A table or figure to be made again.

    Parameters
    ----------
    name : str
        The folder of its results; lower-case words joined by hyphens.
    title : str
        One line.
    collections : dict of str to function
        Each makes ``(X, y, feature names)``. A frozen dataclass with ``__call__`` keeps what it was made with in sight.
    methods : dict of str to function
        Each makes a fresh estimator; its ``random_state`` is set by the engine.
    baseline : str
        The supervised method that always stands beside the others.
    budgets : tuple of Share or PerClass
        How many labels are shown.
    protocol : Protocol
        Splits and repeats as they were published.
    measures : tuple of Measure
        What the table shows; the first is plotted and tested.
    published : tuple of Published
        The numbers to put beside ours.
    transductive : bool
        Also score the unlabeled training rows.
    notes : str
        Markdown for the results page: where we read the protocol, what differs.
    """

    name: str
    title: str
    collections: Mapping[str, Recipe]
    methods: Mapping[str, Factory]
    baseline: str
    budgets: tuple[Budget, ...]
    protocol: Protocol
    measures: tuple[Measure, ...] = (Measure("micro_f", "micro F, %", 100, 2),)
    published: tuple[Published, ...] = ()
    transductive: bool = False
    notes: str = ""

    def __post_init__(self) -> None:
        if self.baseline not in self.methods:
            raise InputError(
                f"baseline={self.baseline!r} of experiment {self.name!r} is not among its methods "
                f"{sorted(self.methods)}; the supervised baseline always stands beside the others: add it."
            )
        for what in ("collections", "budgets", "measures"):
            if not getattr(self, what):
                raise InputError(f"{what} of experiment {self.name!r} is empty; one at least is needed: add one.")

"""A cell is one fit: a collection, a method, a budget, a fold and a start."""

import hashlib
import re
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sklearn
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from smatter.errors import InputError, SmatterWarning
from smatter.evaluate.curves import Record, flat
from smatter.evaluate.protocols import Budget
from smatter.evaluate.trials import make_task, run_trial
from smatter.experiments.engine.definition import Experiment
from smatter.labels import Labels, encode_labels

Only = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Cell:
    """What is fitted where. ``settings`` names the definition that it belongs to; other settings are another cell."""

    collection: str
    method: str
    budget: Budget
    fold: int
    start: int
    settings: str

    @property
    def key(self) -> tuple[str, str, str, int, int, str]:
        """What tells finished cells from missing ones."""
        return self.collection, self.method, str(self.budget), self.fold, self.start, self.settings


def key_of(record: Record) -> tuple[str, str, str, int, int, str]:
    """Return the key of the cell that a stored record is of."""
    names = ("collection", "method", "budget", "fold", "start", "settings")
    return tuple(record[name] for name in names)


def cells(experiment: Experiment, *, folds: int, starts: int, only: Only | None = None) -> Iterator[Cell]:
    """Yield the cells in an order in which what is done early is a smaller experiment, complete in itself."""
    wanted = _filters(experiment, only or {})
    settings = {
        (collection, method): settings_of(experiment, collection, method)
        for collection in experiment.collections
        for method in experiment.methods
    }
    for collection in filter(wanted["collection"], experiment.collections):
        for start in range(starts):
            for fold in range(folds):
                for budget in experiment.budgets:
                    if wanted["budget"](str(budget)):
                        for method in filter(wanted["method"], experiment.methods):
                            yield Cell(collection, method, budget, fold, start, settings[collection, method])


def settings_of(experiment: Experiment, collection: str, method: str) -> str:
    """Return a short hash of all that decides a cell's outcome but the code; when it changes, cells are re-run."""
    with sklearn.config_context(print_changed_only=False):
        estimator = experiment.methods[method]()
        words = estimator.__repr__(N_CHAR_MAX=1_000_000) if hasattr(estimator, "get_params") else repr(estimator)
    parts = (experiment.protocol, experiment.collections[collection], words, experiment.transductive)
    text = re.sub(r" at 0x[0-9a-f]+", "", repr(parts))  # addresses change with every process
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def run_cell(experiment: Experiment, cell: Cell, token: str) -> Record:
    """Fit and score one cell on one thread; a failure is a record too.

    ``token`` names the run, so that a process that lives longer than it does not answer with another run's data.
    """
    where = {
        "collection": cell.collection,
        "method": cell.method,
        "budget": str(cell.budget),
        "x": cell.budget.x,
        "fold": cell.fold,
        "start": cell.start,
        "settings": cell.settings,
    }
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        for heard in (SmatterWarning, ConvergenceWarning):
            warnings.simplefilter("always", heard)
        try:
            outcome: Record = {"error": None, **_scores(experiment, cell, token)}
        except Exception as error:  # whatever it is, the other cells go on
            outcome = {"error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
    messages = sorted({f"{warning.category.__name__}: {warning.message}" for warning in caught})
    return {**where, **outcome, "warnings": messages}


def _scores(experiment: Experiment, cell: Cell, token: str) -> Record:
    X, labels = _data(_Source(experiment.collections[cell.collection], (token, cell.collection)))
    protocol = experiment.protocol
    task = make_task(X, labels, protocol, cell.budget, fold=cell.fold, start=cell.start)
    trial = run_trial(
        experiment.methods[cell.method](),
        task,
        seed=protocol.model_seed(cell.fold, cell.start),
        transductive=experiment.transductive,
    )
    return {"n_rows": X.shape[0], "n_features": X.shape[1], **flat(trial)}


class _Source:
    """A recipe that the cache knows by its key: recipes themselves need not hash."""

    def __init__(self, recipe: Callable[[], Any], key: tuple[str, str]) -> None:
        self.recipe, self.key = recipe, key

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Source) and self.key == other.key


@lru_cache(maxsize=1)
def _data(source: _Source) -> tuple[Any, Labels]:
    X, y, *_ = source.recipe()
    return X, encode_labels(y)


def _filters(experiment: Experiment, only: Only) -> dict[str, Callable[[str], bool]]:
    known = {
        "collection": list(experiment.collections),
        "method": list(experiment.methods),
        "budget": [str(budget) for budget in experiment.budgets],
    }
    for what, values in only.items():
        strangers = [value for value in values if value not in known.get(what, [])]
        if what not in known or strangers:
            wrong = f"{what}={strangers[0]}" if what in known else what
            choices = known.get(what, list(known))
            raise InputError(
                f"only: {wrong!r} is not in experiment {experiment.name!r}; it must be one of {choices}: correct it."
            )
    return {what: frozenset(only.get(what, values)).__contains__ for what, values in known.items()}

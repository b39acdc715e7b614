"""Finds the experiments by walking the folder of definitions, so that nothing is listed twice."""

from importlib import import_module
from pathlib import Path

from smatter.errors import InputError
from smatter.experiments.engine.definition import Experiment

_FOLDER = Path(__file__).parents[1]


def all_experiments() -> dict[str, Experiment]:
    """Return every experiment that a file of ``smatter/experiments`` defines at its top level, by name."""
    found: dict[str, Experiment] = {}
    for file in sorted(_FOLDER.glob("[!_]*.py")):
        for experiment in _defined_in(f"smatter.experiments.{file.stem}"):
            if found.setdefault(experiment.name, experiment) is not experiment:
                raise InputError(
                    f"Two experiments are named {experiment.name!r}, the second in {file.name}; a name is the folder "
                    "of its results: rename one."
                )
    return found


def find(name: str) -> Experiment:
    """Return the experiment of that name."""
    known = all_experiments()
    if name not in known:
        raise InputError(f"There is no experiment {name!r}; there are {', '.join(sorted(known))}: choose one.")
    return known[name]


def _defined_in(module: str) -> list[Experiment]:
    return [value for value in vars(import_module(module)).values() if isinstance(value, Experiment)]

"""The published numbers, read from the folder ``published`` beside the data folder (SMATTER_DATA).

They are no part of the project.
"""

import csv
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from smatter.datasets.folders import data_folder
from smatter.errors import UnreadableError
from smatter.evaluate.reports import Key
from smatter.experiments.engine.definition import Experiment, Published, PublishedValue

Values = dict[tuple[Key, str], float]


def folder() -> Path | None:
    """Return the folder of published numbers, beside the data folder; None where there is none."""
    beside = data_folder().resolve().parent / "published"
    return beside if beside.is_dir() else None


def published_values(experiment: Experiment) -> Values | None:
    """Return the numbers to put beside an experiment's own; None where the folder or one of its files is missing.

    Rows of a file that are of other collections, methods, budgets or measures than the experiment's are passed over.
    """
    place = folder()
    if place is None or not all((place / source.file).is_file() for source in experiment.published):
        return None
    budgets = {str(budget) for budget in experiment.budgets}
    keys = set(product(experiment.collections, experiment.methods, budgets))
    measures = {measure.name for measure in experiment.measures}
    read = (value for source in experiment.published for value in _read(place / source.file, source, experiment.name))
    return {(key, measure): value for key, measure, value in read if key in keys and measure in measures}


def _read(path: Path, source: Published, name: str) -> Iterator[PublishedValue]:
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            try:
                yield from list(source.read(row))
            except (KeyError, ValueError) as error:
                raise UnreadableError(
                    f"A row of {path} reads {dict(row)}, in which {error} is amiss; the file must have the columns "
                    f"that experiment {name!r} reads: correct the file or the definition."
                ) from error

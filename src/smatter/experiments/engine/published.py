"""The published numbers, read from the folder ``published`` beside the data folder (SMATTER_DATA).

They are no part of the project.
"""

import csv
from pathlib import Path

from smatter.datasets.folders import data_folder
from smatter.errors import UnreadableError
from smatter.evaluate.reports import Key
from smatter.experiments.engine.definition import Experiment

Values = dict[tuple[Key, str], float]


def folder() -> Path | None:
    """Return the folder of published numbers, beside the data folder; None where there is none."""
    beside = data_folder().resolve().parent / "published"
    return beside if beside.is_dir() else None


def published_values(experiment: Experiment) -> Values | None:
    """Return the numbers to put beside an experiment's own; None where the folder or one of its files is missing."""
    place = folder()
    if place is None or not all((place / source.file).is_file() for source in experiment.published):
        return None
    found: Values = {}
    for source in experiment.published:
        path = place / source.file
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                try:
                    found |= {(key, measure): value for key, measure, value in source.read(row)}
                except (KeyError, ValueError) as error:
                    raise UnreadableError(
                        f"A row of {path} reads {dict(row)}, in which {error} is amiss; the file must have the columns "
                        f"that experiment {experiment.name!r} reads: correct the file or the definition."
                    ) from error
    return found

"""Results as a tidy table (CSV) and as a Markdown table beside the published numbers."""

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smatter.evaluate.comparison import Comparison
from smatter.evaluate.significance import TestResult
from smatter.files import written_whole

Key = tuple[str, str, str]  # collection, method, budget
NOTHING = "–"


@dataclass(frozen=True)
class Measure:
    """How a score is shown: its name in the records, its heading, its scale (100 for percent) and decimals."""

    name: str
    heading: str
    scale: float = 1.0
    decimals: int = 3

    def text(self, value: float | None) -> str:
        """Show a score."""
        return NOTHING if value is None or math.isnan(value) else f"{self.scale * value:.{self.decimals}f}"

    def signed(self, value: float | None) -> str:
        """Show a difference of scores, with its sign."""
        return NOTHING if value is None or math.isnan(value) else f"{self.scale * value:+.{self.decimals}f}"


def write_csv(path: str | Path, records: Sequence[Mapping[str, Any]], columns: Sequence[str] | None = None) -> None:
    """Write one row a record; an absent value or NaN is an empty cell. The file is written whole or not at all.

    Parameters
    ----------
    path : path
        Where to.
    records : sequence of dict
        One a row.
    columns : sequence of str, optional
        Which columns; by default all, in the order in which they first occur.
    """
    names = list(columns) if columns is not None else list(dict.fromkeys(name for row in records for name in row))
    with written_whole(path) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(names)
        for row in records:
            writer.writerow([_cell(row.get(name)) for name in names])


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], *, numbers_from: int = 0) -> str:
    """Return a Markdown table; the columns from ``numbers_from`` on are set flush right.

    >>> print(markdown_table(["method", "F"], [["nb", "0.8"]], numbers_from=1))
    | method |    F |
    | ------ | ---: |
    | nb     |  0.8 |
    """
    cells = [[text.replace("|", "\\|") for text in row] for row in [header, *rows]]
    widths = [max(4, *(len(row[column]) for row in cells)) for column in range(len(header))]
    right = [column >= numbers_from for column in range(len(header))]
    lines = [
        " | ".join(
            text.rjust(width) if flush else text.ljust(width)
            for text, width, flush in zip(row, widths, right, strict=True)
        )
        for row in cells
    ]
    rule = " | ".join("-" * (w - 1) + ":" if flush else "-" * w for w, flush in zip(widths, right, strict=True))
    return "\n".join(f"| {line} |" for line in [lines[0], rule, *lines[1:]])


def comparison_table(
    comparisons: Mapping[Measure, Sequence[Comparison]], *, baseline: str, published: Mapping[tuple[Key, str], float]
) -> str:
    """Return the Markdown table of an experiment, the baseline first in each group of one collection and budget.

    The first measure also shows the gain over the baseline and the p-values of both tests (bold where significant).

    Parameters
    ----------
    comparisons : dict of Measure to comparisons
        From :func:`smatter.evaluate.comparison.compare`, the same methods for each measure.
    baseline : str
        The supervised method.
    published : dict of ((collection, method, budget), measure name) to value
        On the scale of the records (0 … 1).
    """
    first = next(iter(comparisons))
    header = ["collection", "labeled", "method"]
    beside = {measure: any(name == measure.name for _, name in published) for measure in comparisons}
    for measure in comparisons:
        header += [measure.heading, "±"]
        header += ["published", "difference"] if beside[measure] else []
    header += [f"over {baseline}", "p paired", "p corrected", "runs"]
    found = {measure: {_key(item): item for item in items} for measure, items in comparisons.items()}
    rows = []
    for item in sorted(comparisons[first], key=_group_order(comparisons[first], baseline)):
        key = _key(item)
        row = [key[0], key[2], key[1]]
        for measure in comparisons:
            value = found[measure][key].point
            row += [measure.text(value.mean), measure.text(value.deviation)]
            row += _beside(measure, value.mean, published.get((key, measure.name))) if beside[measure] else []
        row += [first.signed(item.gain), _p_value(item.paired), _p_value(item.corrected), str(item.point.runs)]
        rows.append(row)
    return markdown_table(header, rows, numbers_from=3)


def _beside(measure: Measure, ours: float, theirs: float | None) -> list[str]:
    return [measure.text(theirs), measure.signed(None if theirs is None else ours - theirs)]


def _key(item: Comparison) -> Key:
    return item.point.collection, item.point.method, item.point.budget


def _group_order(items: Sequence[Comparison], baseline: str) -> Any:
    collections = list(dict.fromkeys(item.point.collection for item in items))
    methods = list(dict.fromkeys(item.point.method for item in items))
    methods = sorted(methods, key=lambda name: name != baseline)
    return lambda item: (
        collections.index(item.point.collection),
        item.point.x,
        item.point.budget,
        methods.index(item.point.method),
    )


def _p_value(test: TestResult | None) -> str:
    if test is None or math.isnan(test.p_value):
        return NOTHING
    text = "<0.0001" if test.p_value < 0.0001 else f"{test.p_value:.4f}"
    return f"**{text}**" if test.significant else text


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return repr(float(value)) if isinstance(value, float) else str(value)

"""Results as tables on the terminal."""

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.table import Table
from rich.text import Text

from smatter.cli._estimate import Estimate, wilson
from smatter.cli._messages import printable
from smatter.cli._work import GIVEN

if TYPE_CHECKING:
    from smatter.cli._work import Answers

MOST_CATEGORIES = 40  # more are summed up in the last row


def plain_table(*headings: str, words: int = 1, gap: int = 2) -> Table:
    """Return an empty table: words in the first columns, numbers flush right in the others."""
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")
    for position, heading in enumerate(headings):
        if position < words:
            table.add_column(heading, overflow="fold")
        else:
            table.add_column(heading, justify="right", no_wrap=True)
    return table


def category_table(given: dict[str, int], answers: "Answers") -> Table:
    """Show how many documents each category was given, got, and how sure the model is of these."""
    rows = zip(answers.categories, answers.probabilities, answers.sources, strict=True)
    sure: dict[str, list[float]] = {name: [] for name in given}
    for category, probability, source in rows:
        if source != GIVEN:
            sure[category].append(float(probability))
    table = plain_table("category", "given", "predicted", "mean probability")
    for name in list(given)[:MOST_CATEGORIES]:
        table.add_row(Text(printable(name)), f"{given[name]:,}", f"{len(sure[name]):,}", _mean(sure[name]))
    rest = list(given)[MOST_CATEGORIES:]
    if rest:
        together = Counter({"given": sum(given[name] for name in rest), "got": sum(len(sure[name]) for name in rest)})
        table.add_row(f"{len(rest)} more", f"{together['given']:,}", f"{together['got']:,}", "")
    everything = [value for values in sure.values() for value in values]
    table.add_row("all", f"{sum(given.values()):,}", f"{len(everything):,}", _mean(everything), style="bold")
    return table


def accuracy_table(name: str, estimate: Estimate) -> Table:
    """Show the expected accuracy beside what the labels alone would give."""
    table = plain_table("expected accuracy", "right", "95 % interval", words=1)
    for who, right in ((name, estimate.right), ("supervised baseline", estimate.baseline_right)):
        low, high = wilson(right, estimate.of)
        table.add_row(who, percent(right / estimate.of), f"{percent(low)} – {percent(high)}")
    return table


def _mean(values: list[float]) -> str:
    return f"{np.mean(values):.2f}" if values else "–"


def bar(share: float, width: int = 30) -> str:
    """Draw a share as a bar.

    >>> bar(0.5, 4), bar(0.625, 4)
    ('██', '██▌')
    """
    eighths = round(share * width * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def percent(value: Any) -> str:
    """Show a share in percent.

    >>> percent(0.8123)
    '81.2%'
    """
    return f"{value:.1%}"

"""``python -m smatter.experiments.characteristics``: what was loaded, beside Krithara's table 6.1, as Markdown."""

import sys
from typing import NamedTuple

from smatter.experiments.inputs import counts


class Characteristics(NamedTuple):
    """A column of table 6.1: a fifth of the documents is for testing."""

    documents: int
    classes: int
    vocabulary: int
    training: int
    testing: int


PRINTED = {
    "20newsgroups": Characteristics(20_000, 20, 38_300, 16_000, 4_000),
    "20newsgroups-bydate": None,
    "webkb": Characteristics(4_196, 4, 9_400, 3_257, 839),
    "reuters": Characteristics(4_381, 7, 4_749, 3_504, 876),
}
"""Table 6.1 as printed, by the collection here that stands beside it."""


def characteristics(name: str) -> Characteristics:
    """Describe a collection as the table does: words in at least 5 documents, CACM's stop words left out."""
    X, labels, _ = counts(name, min_df=5, stop_words="cacm")
    testing = X.shape[0] // 5
    return Characteristics(X.shape[0], len(set(labels)), X.shape[1], X.shape[0] - testing, testing)


def table() -> str:
    """Return the Markdown table: a line a collection, the printed number in parentheses."""
    head = ["collection", *(name.replace("_", " ") for name in Characteristics._fields)]
    lines = [head, ["---", *["---:"] * len(Characteristics._fields)]]
    for name, printed in PRINTED.items():
        here = characteristics(name)
        beside = [""] * len(here) if printed is None else [f" ({number:,})" for number in printed]
        lines.append([name, *(f"{number:,}{other}" for number, other in zip(here, beside, strict=True))])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(table())

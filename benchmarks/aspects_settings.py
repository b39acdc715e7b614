"""Settings of the aspect models for a collection, chosen on the other collections alone.

``python benchmarks/aspects_settings.py results.jsonl`` hides labels of three collections, fits `SoftMislabelPLSA` with
each setting of a small grid on three draws of labels, and counts how many of the hidden labels are found; a line a fit.
Then, for every collection, it prints which setting is best by the mean of the others: no label of a collection has a
part in its own. A second run goes on where the first one stopped.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from smatter import SoftMislabelPLSA
from smatter.models.aspects import _base, _starts

COLLECTIONS = ("webkb", "reuters", "20newsgroups")
SHARES = (0.01, 0.1)
DRAWS = 3
Setting = tuple[float, float, int, int]  # count_exponent, unlabeled_weight, steps of a fold-in, steps of a decision
COUNTS: list[Setting] = [(e, w, 4, 1) for e, w in product((0.5, 1.0), (0.1, 0.25, 0.5, 1.0))]
STEPS: list[Setting] = [(0.5, 0.25, fold_in, decision) for fold_in, decision in ((2, 1), (8, 1), (4, 2), (4, 4))]


class Uncalibrated(SoftMislabelPLSA):
    """Decisions do not depend on the calibration, which costs time."""

    def _calibrate(self, *_: Any) -> float:
        return 1.0


def accuracy(X: Any, truth: Any, share: float, draw: int, setting: Setting) -> float:
    """Return the share of hidden labels that are found; what is shown is the same for every setting."""
    exponent, weight, _starts.FOLD_IN_ITERATIONS, _base._DECISION_ITERATIONS = setting
    rng = np.random.default_rng(draw)
    y = np.where(rng.random(len(truth)) < share, truth, -1)
    first = np.unique(truth, return_index=True)[1]
    y[first] = truth[first]
    model = Uncalibrated(count_exponent=exponent, unlabeled_weight=weight).fit(X, y)
    hidden = y < 0
    return float((model.transduction_[hidden] == truth[hidden]).mean())


def measure(path: Path) -> None:
    """Fit what has no line yet."""
    from smatter.experiments.inputs import counts

    known = {(line[0], line[1], line[2], tuple(line[3])) for line in lines(path)}
    for name in COLLECTIONS:
        counted = counts(name)
        truth = np.unique(counted.labels.astype(str), return_inverse=True)[1]
        for draw, share, setting in product(range(DRAWS), SHARES, COUNTS + STEPS):
            if (name, share, draw, setting) not in known:
                found = accuracy(counted.X, truth, share, draw, setting)
                with path.open("a") as file:
                    file.write(json.dumps([name, share, draw, setting, found]) + "\n")


def lines(path: Path) -> Iterator[Any]:
    """Yield collection, share, draw, setting and accuracy of every fit so far."""
    if path.exists():
        yield from map(json.loads, path.read_text().splitlines())


def report(path: Path) -> None:
    """Print the table, and what each collection's others say."""
    found: dict[Setting, dict[tuple[str, float], float]] = defaultdict(lambda: defaultdict(float))
    for name, share, _, setting, value in lines(path):
        found[tuple(setting)][name, share] += value / DRAWS
    cells = list(product(COLLECTIONS, SHARES))
    print(
        "| count_exponent | unlabeled_weight | fold-in | decision |", " | ".join(f"{n} {s:.0%}" for n, s in cells), "|"
    )
    print("| ---: " * (4 + len(cells)) + "|")
    for setting, values in found.items():
        print("|", " | ".join(map(str, setting)), "|", " | ".join(f"{100 * values[c]:.2f}" for c in cells), "|")
    print("\n| settings for | chosen on | " + "best of the grid | mean of the others | of the defaults |")
    print("| --- | --- | --- | ---: | ---: |")
    for left_out in (*COLLECTIONS, "any other"):
        others = [name for name in COLLECTIONS if name != left_out]
        means = {s: 100 * np.mean([v[n, share] for n in others for share in SHARES]) for s, v in found.items()}
        best = max(means, key=lambda setting, means=means: means[setting])
        print(f"| {left_out} | {', '.join(others)} | {best} | {means[best]:.2f} | {means[0.5, 0.25, 4, 1]:.2f} |")


if __name__ == "__main__":
    measure(Path(sys.argv[1]))
    report(Path(sys.argv[1]))

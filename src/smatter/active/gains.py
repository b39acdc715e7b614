"""What a strategy is worth beside asking at random: area under the curve, significance, labels saved."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from smatter.errors import InputError
from smatter.evaluate.comparison import Comparison, compare
from smatter.evaluate.curves import Record, summarize


@dataclass(frozen=True)
class Worth:
    """A strategy's curve in a few numbers.

    Attributes
    ----------
    collection, method : str
        What was played.
    last : Comparison
        The score after the last question, beside the baseline's.
    area : Comparison
        The mean score over the curve (the area under it, scaled to 1), beside the baseline's.
    labels_needed : float or None
        Labels with which the strategy reaches what the baseline reaches at its end; None where it never does.
    labels_saved : float or None
        How much fewer labels that are than the baseline's, as a share; below 0 where it takes more.

    """

    collection: str
    method: str
    last: Comparison
    area: Comparison
    labels_needed: float | None
    labels_saved: float | None


def judge_strategies(
    records: Sequence[Record], measure: str = "micro_f", *, baseline: str, test_to_train: float | None = None
) -> list[Worth]:
    """Summarize the curves of a simulation.

    Parameters
    ----------
    records : sequence of dict
        From :func:`smatter.active.simulation.simulate`, of one or more collections.
    measure : str, default "micro_f"
        The score.
    baseline : str
        The method that asks at random.
    test_to_train : float, optional
        n_test/n_train of the split, for the corrected resampled test.

    """
    found = []
    for collection in dict.fromkeys(record["collection"] for record in records):
        here = [record for record in records if record["collection"] == collection]
        last, area = (_beside(_per_run(here, measure, part), measure, baseline, test_to_train) for part in _PARTS)
        curves = mean_curves(here, measure)
        for method in curves:
            needed, saved = labels_saved(*curves[method], *curves[baseline])
            found.append(Worth(collection, method, last[method], area[method], needed, saved))
    return found


_PARTS = ("last", "area")


def _beside(
    records: Sequence[Record], measure: str, baseline: str, test_to_train: float | None
) -> dict[str, Comparison]:
    found = compare(records, measure, baseline=baseline, test_to_train=lambda _: test_to_train)
    return {item.point.method: item for item in found}


Curve = tuple[list[float], list[float]]  # labels, scores


def mean_curves(records: Sequence[Record], measure: str) -> dict[str, Curve]:
    """Return each method's mean score by the number of labels."""
    curves: dict[str, Curve] = {}
    for point in sorted(summarize(records, measure), key=lambda point: point.x):
        labels, scores = curves.setdefault(point.method, ([], []))
        labels.append(point.x)
        scores.append(point.mean)
    return {method: curves[method] for method in dict.fromkeys(record["method"] for record in records)}


def area_under_curve(labels: ArrayLike, scores: ArrayLike) -> float:
    """Return the mean height of the curve, by the trapezoid rule; of a single point, its height.

    >>> area_under_curve([0, 10, 20], [0.0, 1.0, 1.0])
    0.75
    """
    x, f = np.asarray(labels, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    if len(x) != len(f) or not len(x) or (np.diff(x) <= 0).any():
        raise InputError(
            f"A curve needs one score at each of increasing numbers of labels; there are {len(x)} numbers and {len(f)} "
            "scores: pass as many of both, sorted by the numbers."
        )
    if len(x) == 1:
        return float(f[0])
    return float(np.diff(x) @ (f[1:] + f[:-1]) / 2 / (x[-1] - x[0]))


def labels_saved(
    labels: ArrayLike, scores: ArrayLike, baseline_labels: ArrayLike, baseline_scores: ArrayLike
) -> tuple[float | None, float | None]:
    """Return the labels with which a curve first reaches the baseline's best score, and the share saved by it.

    Both are read off the curves' running maxima: the baseline's best score is credited to the first number of labels at
    which it had it. Between two points the curve is a straight line.

    >>> labels_saved([0, 50, 100], [0.0, 0.8, 0.9], [0, 100], [0.0, 0.8])
    (50.0, 0.5)
    """
    x, f = np.asarray(labels, dtype=np.float64), np.maximum.accumulate(np.asarray(scores, dtype=np.float64))
    best = float(np.max(baseline_scores))
    at = float(np.asarray(baseline_labels)[int(np.argmax(baseline_scores))])
    if f[-1] < best:
        return None, None
    i = int(np.argmax(f >= best))
    needed = float(x[i]) if i == 0 else float(np.interp(best, f[i - 1 : i + 1], x[i - 1 : i + 1]))
    return needed, 1.0 - needed / at if at else 0.0


def _per_run(records: Sequence[Record], measure: str, part: str) -> list[Record]:
    """One record a run: its last score, or its area."""
    runs: dict[tuple[str, int, int], list[Record]] = {}
    for record in sorted(records, key=lambda record: record["x"]):
        runs.setdefault((record["method"], record["fold"], record["start"]), []).append(record)
    found = []
    for curve in runs.values():
        x, f = [record["x"] for record in curve], [record[measure] for record in curve]
        value = f[-1] if part == "last" else area_under_curve(x, f)
        found.append({**curve[-1], "budget": part, "x": 0.0, measure: value})
    return found

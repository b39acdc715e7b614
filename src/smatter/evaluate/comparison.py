"""Methods side by side: each beside the supervised baseline on the same splits, and beside the published number."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from smatter.errors import InputError
from smatter.evaluate.curves import Point, Record, summarize
from smatter.evaluate.significance import TestResult, corrected_resampled_t_test, paired_t_test


@dataclass(frozen=True)
class Comparison:
    """A method at a budget beside the baseline: gain, and two tests of it (None for the baseline and single runs)."""

    point: Point
    gain: float | None = None
    paired: TestResult | None = None
    corrected: TestResult | None = None


def compare(
    records: Sequence[Record], measure: str, *, baseline: str, test_to_train: Callable[[str], float | None]
) -> list[Comparison]:
    """Compare every method with the baseline run by run.

    The paired test takes every run for itself, as the seeds do. The corrected one takes one score a fold, the mean over
    its starts: starts share their test rows and are no independent splits.

    Parameters
    ----------
    records : sequence of dict
        One a run.
    measure : str
        The score to compare.
    baseline : str
        The supervised method; must be among the methods.
    test_to_train : function of a collection's name
        n_test/n_train, or None where unknown: then there is no corrected test.
    """
    methods = sorted({record["method"] for record in records})
    if records and baseline not in methods:
        raise InputError(
            f"baseline={baseline!r} is not among the methods {methods}; the supervised baseline always stands beside "
            "the others: run it too."
        )
    scores = _by_run(records, measure)
    return [
        Comparison(point)
        if point.method == baseline
        else _against(point, scores, baseline, test_to_train(point.collection))
        for point in summarize(records, measure)
    ]


Run = tuple[int, int]


def _by_run(records: Iterable[Record], measure: str) -> dict[tuple[str, str, str], dict[Run, float]]:
    scores: dict[tuple[str, str, str], dict[Run, float]] = {}
    for record in records:
        key = (record["collection"], record["budget"], record["method"])
        scores.setdefault(key, {})[record["fold"], record["start"]] = record.get(measure, float("nan"))
    return scores


def _against(
    point: Point,
    scores: dict[tuple[str, str, str], dict[Run, float]],
    baseline: str,
    test_to_train: float | None,
) -> Comparison:
    own = scores[point.collection, point.budget, point.method]
    other = scores.get((point.collection, point.budget, baseline), {})
    runs = sorted(run for run in own.keys() & other.keys() if np.isfinite([own[run], other[run]]).all())
    if not runs:
        return Comparison(point)
    first, second = np.array([own[run] for run in runs]), np.array([other[run] for run in runs])
    gain = float((first - second).mean())
    if len(runs) < 2:
        return Comparison(point, gain)
    fold_of = np.array([fold for fold, _ in runs])
    folds = np.unique(fold_of)
    corrected = None
    if test_to_train is not None and len(folds) > 1:
        first_of_fold = [first[fold_of == fold].mean() for fold in folds]
        second_of_fold = [second[fold_of == fold].mean() for fold in folds]
        corrected = corrected_resampled_t_test(first_of_fold, second_of_fold, test_to_train=test_to_train)
    return Comparison(point, gain, paired_t_test(first, second), corrected)

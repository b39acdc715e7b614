"""Learning curves: scores against the number of labels, with their spread over folds and starts.

A record is a flat dictionary of one run: ``collection``, ``method``, ``budget`` (as text), ``x`` (its place on the
axis), ``fold``, ``start``, and its scores by name. Everything that summarizes reads records.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from smatter.evaluate.protocols import Budget, Protocol
from smatter.evaluate.trials import Trial, make_task, run_trial
from smatter.labels import encode_labels
from smatter.progress import Progress, report

Record = dict[str, Any]


@dataclass(frozen=True)
class Point:
    """Mean and standard deviation (J − 1) of a measure over the runs of a method at a budget."""

    collection: str
    method: str
    budget: str
    x: float
    mean: float
    deviation: float
    runs: int


def learning_curve(
    methods: Mapping[str, Any],
    X: Any,
    y: ArrayLike,
    budgets: Sequence[Budget],
    *,
    protocol: Protocol | None = None,
    collection: str = "",
) -> list[Record]:
    """Run every method at every budget, fold and start of the protocol; return one record a run.

    Parameters
    ----------
    methods : dict of str to classifier
        The supervised baseline belongs among them.
    X, y : the collection
        Rows without a label always train.
    budgets : sequence of Share or PerClass
        How many labels are shown.
    protocol : Protocol, optional
        Five stratified folds unless given.
    collection : str
        Goes into the records.

    Examples
    --------
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> from smatter.evaluate.baselines import LabeledOnly
    >>> from smatter.evaluate.protocols import Share
    >>> X, y = np.tile([[3, 0], [0, 3]], (10, 1)), ["ham", "spam"] * 10
    >>> records = learning_curve({"supervised": LabeledOnly(MultinomialNB())}, X, y, [Share(0.5), Share(1.0)])
    >>> len(records), records[0]["micro_f"]
    (10, 1.0)

    """
    protocol = protocol or Protocol(folds=5)
    labels = encode_labels(y)
    total = protocol.folds * protocol.starts * len(budgets) * len(methods)
    records: list[Record] = []
    for fold in range(protocol.folds):
        for start in range(protocol.starts):
            for budget in budgets:
                task = make_task(X, labels, protocol, budget, fold=fold, start=start)
                for name, estimator in methods.items():
                    trial = run_trial(estimator, task, seed=protocol.model_seed(fold, start))
                    where = {"collection": collection, "method": name, "budget": str(budget), "x": budget.x}
                    records.append({**where, "fold": fold, "start": start, **flat(trial)})
                    report(Progress("learning_curve", len(records), total))
    return records


def flat(trial: Trial) -> Record:
    """Spread a trial over the columns of a record; class scores are named like ``f[spam]``."""
    record: Record = {
        "n_train": trial.n_train,
        "n_labeled": trial.n_labeled,
        "n_test": trial.n_test,
        "fit_seconds": trial.fit_seconds,
        "n_iter": trial.n_iter,
        **trial.scores,
    }
    record |= {f"transductive_{name}": value for name, value in trial.transductive.items()}
    for row in trial.per_class:
        record |= {f"{name}[{row['class']}]": row[name] for name in ("precision", "recall", "f")}
    return record


def summarize(records: Iterable[Record], measure: str) -> list[Point]:
    """Return one point for each collection, method and budget, in the order in which they first occur.

    >>> runs = [{"collection": "c", "method": "nb", "budget": "1%", "x": 1.0, "f": value} for value in (0.5, 0.7)]
    >>> round(summarize(runs, "f")[0].mean, 6)
    0.6
    """
    groups: dict[tuple[str, str, str, float], list[float]] = {}
    for record in records:
        key = (record["collection"], record["method"], record["budget"], record["x"])
        groups.setdefault(key, []).append(record.get(measure, float("nan")))
    return [Point(*key, *_mean_and_deviation(values), len(values)) for key, values in groups.items()]


def _mean_and_deviation(values: list[float]) -> tuple[float, float]:
    numbers = np.asarray(values, dtype=np.float64)
    return float(numbers.mean()), float(numbers.std(ddof=1)) if len(numbers) > 1 else float("nan")

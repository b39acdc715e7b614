"""The results page of an experiment: CSV, Markdown table beside the published numbers, plot."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from smatter.evaluate.comparison import compare
from smatter.evaluate.curves import Record, summarize
from smatter.evaluate.plots import plot_curves
from smatter.evaluate.reports import comparison_table, write_csv
from smatter.experiments.engine.cells import key_of, settings_of
from smatter.experiments.engine.definition import Experiment
from smatter.experiments.engine.published import Values, published_values
from smatter.files import written_whole

_COLUMNS = ("collection", "method", "budget", "fold", "start", "n_train", "n_labeled", "n_test")
_SCORES = ("micro_f", "macro_f", "accuracy", "log_loss", "calibration_error", "coverage")
_LAST_COLUMNS = ("n_iter", "fit_seconds", "commit")


def write_results(experiment: Experiment, records: Sequence[Record], folder: Path) -> None:
    """Write ``results.csv``, ``table.md`` and the plot from all cells of the present definition."""
    current = _current(experiment, records)
    scored = [record for record in current if not record["error"]]
    published = published_values(experiment)
    names = [measure.name for measure in experiment.measures]
    columns = dict.fromkeys([*_COLUMNS, *names, *_SCORES, *_transductive(scored), *_LAST_COLUMNS])
    write_csv(folder / "results.csv", [_rounded(record) for record in scored], list(columns))
    if scored:
        plot_curves(
            summarize(scored, names[0]),
            folder / experiment.name,
            measure=experiment.measures[0],
            baseline=experiment.baseline,
            published=published,
            title=experiment.title,
        )
    with written_whole(folder / "table.md") as stream:
        stream.write(_page(experiment, scored, [record for record in current if record["error"]], published))


def _current(experiment: Experiment, records: Iterable[Record]) -> list[Record]:
    """Return the last record of each cell of the present definition, in the definition's order."""
    collections, methods = list(experiment.collections), list(experiment.methods)
    settings = {settings_of(experiment, collection, method) for collection in collections for method in methods}
    budgets = [str(budget) for budget in experiment.budgets]
    latest = {key_of(record): record for record in records if record["settings"] in settings}
    return sorted(
        (record for record in latest.values() if record["budget"] in budgets),
        key=lambda record: (
            collections.index(record["collection"]),
            budgets.index(record["budget"]),
            methods.index(record["method"]),
            record["fold"],
            record["start"],
        ),
    )


def _page(experiment: Experiment, scored: list[Record], failed: list[Record], published: Values | None) -> str:
    sections = [
        f"# {experiment.title}",
        experiment.notes.strip(),
        _extent(experiment, scored),
        _table(experiment, scored, published or {}) if scored else "No cell has been run yet.",
        _legend(experiment, published),
        f"![learning curves]({experiment.name}.svg)" if scored else "",
        _failures(failed),
        _made_with(experiment, scored),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _extent(experiment: Experiment, scored: list[Record]) -> str:
    """Say how much of the published protocol was run."""
    protocol = experiment.protocol
    folds, starts = _distinct(scored, "fold"), _distinct(scored, "start")
    runs = {point.runs for point in summarize(scored, experiment.measures[0].name)}
    text = (
        f"Run: {folds} of the protocol's {protocol.folds} folds × {starts} of its {protocol.starts} starts"
        f" ({len(scored)} fits)."
    )
    if runs and runs != {folds * starts}:
        text += f" Not every line has all of them: the last column counts from {min(runs)} to {max(runs)}."
    return text


def _table(experiment: Experiment, scored: list[Record], published: Values) -> str:
    ratio = {record["collection"]: record["n_test"] / record["n_train"] for record in scored}
    comparisons = {
        measure: compare(scored, measure.name, baseline=experiment.baseline, test_to_train=ratio.get)
        for measure in experiment.measures
    }
    return comparison_table(comparisons, baseline=experiment.baseline, published=published)


def _legend(experiment: Experiment, published: Values | None) -> str:
    first = experiment.measures[0]
    text = (
        f"±: one standard deviation over the runs. Over {experiment.baseline}: gain in {first.heading} on the same "
        "splits and labels. p paired: t-test over all runs, as the seeds do; p corrected: Nadeau and Bengio (2003) "
        "over the folds' means. Bold: significant at 5 %."
    )
    if not experiment.published:
        return text
    if published is None:
        return text + " The published numbers were not at hand when this page was written; the table goes without them."
    return text + " Difference: ours − published."


def _failures(failed: list[Record]) -> str:
    if not failed:
        return ""
    by_error: dict[tuple[str, str, str], int] = {}
    for record in failed:
        key = (record["collection"], record["method"], record["error"])
        by_error[key] = by_error.get(key, 0) + 1
    lines = [f"- {collection}, {method}: {count} × {error}" for (collection, method, error), count in by_error.items()]
    return "\n".join([f"{len(failed)} fits failed and are not in the table:", "", *lines])


def _made_with(experiment: Experiment, scored: list[Record]) -> str:
    folds, starts = _distinct(scored, "fold"), _distinct(scored, "start")
    commits = sorted({str(record["commit"]) for record in scored})
    versions = sorted({f"{name} {number}" for record in scored for name, number in record["versions"].items()})
    hours = sum(record["fit_seconds"] for record in scored) / 3600
    return (
        f"Made by `python -m smatter.experiments run {experiment.name} --folds {folds} --starts {starts}`"
        f" at commit {', '.join(commits)}; {', '.join(versions)}; {hours:.2f} hours of fitting on one core."
        if scored
        else f"To be made by `python -m smatter.experiments run {experiment.name}`."
    )


def _transductive(scored: list[Record]) -> list[str]:
    names = [f"transductive_{name}" for name in _SCORES]
    return [name for name in names if any(name in record for record in scored)]


def _rounded(record: Record) -> dict[str, Any]:
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in record.items()}


def _distinct(records: list[Record], name: str) -> int:
    return len({record[name] for record in records})

"""``smatter evaluate``: models beside the supervised baseline on documents whose labels are known."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smatter.cli._input import Encoding, Input, Label, Reading, SkipUnreadable, Text, Unlabeled, read_input
from smatter.cli._messages import note, tell, warn
from smatter.cli._model import BASELINE, DEFAULT_MODEL, Seed, make_model
from smatter.cli._progress import showing_progress
from smatter.documents.wording import counted
from smatter.errors import EmptyRowsWarning, InputError, LabelError

if TYPE_CHECKING:
    from smatter.documents.labeled import LabeledDocuments
    from smatter.evaluate.comparison import Comparison

SUPERVISED = "supervised baseline"
MEASURES = {"micro_f": "micro F", "macro_f": "macro F", "log_loss": "log loss", "calibration_error": "calibr."}

EXAMPLES = """
Examples:

    smatter evaluate mail.csv --labeled-share 0.05 --labeled-share 0.2

    smatter evaluate mail.csv --model NaiveBayesEM --model ManyComponentNaiveBayes --folds 10 --out runs.csv
"""


def evaluate(
    source: Input,
    model: Annotated[list[str], typer.Option(help="One of `smatter models`; repeatable.")] = [DEFAULT_MODEL],  # noqa: B006
    labeled_share: Annotated[
        list[float], typer.Option(help="Share of the training documents that keep their label; repeatable.")
    ] = [0.05],  # noqa: B006
    folds: Annotated[int, typer.Option(min=2, help="Parts that are held out in turn.")] = 5,
    starts: Annotated[int, typer.Option(min=1, help="Draws of the labels that are kept, in each fold.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Write one row a run to this .csv.")] = None,
    text: Text = None,
    label: Label = None,
    unlabeled: Unlabeled = None,
    stop_words: Annotated[str, typer.Option(help="Words to pass over: english, none, or a file.")] = "english",
    seed: Seed = 0,
    encoding: Encoding = None,
    skip_unreadable: SkipUnreadable = False,
) -> None:
    """Measure models on documents whose labels are known.

    Labels are hidden from the models: of each fold all, of the rest all but the labeled share. Documents without a
    label to begin with always train. The supervised baseline learns from the labeled documents alone. Gain is micro F
    above it; p is that of the corrected resampled t-test (Nadeau and Bengio 2003) that the gain is chance.
    """
    _check_options(labeled_share, out, source)
    with showing_progress() as say:
        say(f"Reading {source}")
        documents = read_input(source, Reading(text, label, unlabeled, encoding, skip_unreadable, need_unlabeled=False))
        _check_labels(documents.counts, documents.origin, folds, labeled_share)
        say("Evaluating")
        X = _count_words(documents, stop_words)
        records = _measure(model, X, documents.labels, labeled_share, (folds, starts, seed))
        if out is not None:
            _write(out, records)
    n_labeled = sum(documents.counts.values())
    tell(
        f"{documents.origin}: {counted(len(documents.labels), 'document')}, {counted(n_labeled, 'label')}, "
        f"{len(documents.counts)} categories; {folds} folds, {counted(starts, 'start')}."
    )
    _show(records, 1 / (folds - 1))
    if out is not None:
        tell(f"Written: {out}")


def _count_words(documents: "LabeledDocuments", stop_words: str) -> Any:
    from smatter.cli._work import count_words
    from smatter.validation import empty_rows

    X = count_words(documents.texts, None if stop_words == "none" else stop_words)
    wordless = int(empty_rows(X).sum())
    if wordless:
        note(f"{counted(wordless, 'document')} without a known word; the most frequent category is all one can say.")
    return X


def _measure(
    names: list[str], X: Any, labels: list[str | None], shares: list[float], layout: tuple[int, int, int]
) -> list[dict[str, Any]]:
    """Run every model and the baseline over the folds, starts and shares."""
    import numpy as np

    from smatter.evaluate.curves import learning_curve
    from smatter.evaluate.protocols import Protocol, Share

    folds, starts, seed = layout
    methods = {SUPERVISED: make_model(BASELINE)}
    methods |= {type(made).__name__: made for made in (make_model(name, seed=seed) for name in names)}
    budgets = [Share(share) for share in sorted(set(shares))]
    protocol = Protocol(folds=folds, starts=starts, seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyRowsWarning)  # of every single run; it has been said
        return learning_curve(methods, X, np.array(labels, dtype=object), budgets, protocol=protocol)


def _write(out: Path, records: list[dict[str, Any]]) -> None:
    from smatter.evaluate.reports import write_csv

    write_csv(out, [{name: value for name, value in record.items() if name != "collection"} for record in records])


def _check_options(shares: list[float], out: Path | None, source: Path) -> None:
    from smatter.documents.tables import check_output

    for share in shares:
        if not 0 < share <= 1:
            raise InputError(f"--labeled-share {share:g} must be above 0 and at most 1 (5 % is 0.05): correct it.")
    if out is None:
        return
    if out.suffix.lower() != ".csv":
        raise InputError(f"--out {out} must end in .csv: it is a table with one row a run.")
    check_output(out, source)


def _check_labels(counts: dict[str, int], origin: str, folds: int, shares: list[float]) -> None:
    n_labeled = sum(counts.values())
    if len(counts) < 2:
        raise LabelError(
            f"{origin} has labels of {len(counts)} categories; an evaluation needs two at least: label some more rows."
        )
    if n_labeled < folds:
        raise LabelError(f"{n_labeled} labels cannot make --folds {folds}: label more documents, or lower --folds.")
    kept = int(min(shares) * n_labeled * (folds - 1) / folds)
    if kept < 2:
        raise LabelError(
            f"--labeled-share {min(shares):g} of {n_labeled} labels keeps {kept} in a fold; at least 2 categories need "
            "one each: raise the share, or label more documents."
        )
    if kept < len(counts):
        warn(f"--labeled-share {min(shares):g} keeps {kept} labels for {len(counts)} categories: some have none.")
    few = [name for name, count in counts.items() if count < folds]
    if few:
        names = ", ".join(map(repr, few[:5])) + (", …" if len(few) > 5 else "")
        warn(f"{len(few)} of {len(counts)} categories have fewer labels than folds ({names}): not all folds test them.")


def _show(records: list[dict[str, Any]], test_to_train: float) -> None:
    from rich.console import Console
    from rich.text import Text as Words

    from smatter.cli._tables import plain_table
    from smatter.evaluate.comparison import compare

    found = {
        name: compare(records, name, baseline=SUPERVISED, test_to_train=lambda _: test_to_train) for name in MEASURES
    }
    table = plain_table("labeled", *MEASURES.values(), "gain", "p", gap=1)
    before = ""
    for position, item in enumerate(found["micro_f"]):
        if item.point.budget != before:
            before = item.point.budget
            n_labeled = next(record["n_labeled"] for record in records if record["budget"] == before)
            table.add_row(Words(f"{before}, {counted(n_labeled, 'label')}", style="bold"))
        others = [_number(found[name][position].point.mean) for name in list(MEASURES)[1:]]
        spread = "" if item.point.runs < 2 else f" ±{item.point.deviation:.3f}"
        table.add_row(Words(f"  {item.point.method}"), f"{_number(item.point.mean)}{spread}", *others, *_gain(item))
    Console(highlight=False).print(table)
    tell("± is the standard deviation over the runs; * marks a gain or loss that is hardly chance (p < 0.05).")


def _number(value: float) -> str:
    return "–" if value != value else f"{value:.3f}"


def _gain(item: "Comparison") -> tuple[str, str]:
    if item.gain is None:
        return "", ""
    if item.corrected is None:
        return f"{item.gain:+.3f}", "–"
    star = " *" if item.corrected.significant else ""
    return f"{item.gain:+.3f}{star}", f"{item.corrected.p_value:.3f}"

"""``smatter simulate``: which questions would have been worth asking, on documents whose labels are known."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smatter.cli._input import Encoding, Input, Label, Reading, SkipUnreadable, Text, Unlabeled, read_input
from smatter.cli._messages import tell
from smatter.cli._model import DEFAULT_MODEL, Seed, make_model
from smatter.cli._progress import showing_progress
from smatter.documents.wording import counted
from smatter.errors import EmptyRowsWarning, InputError, LabelError

if TYPE_CHECKING:
    from smatter.active.gains import Worth
    from smatter.active.simulation import Plan

BASELINE = "RandomChoice"

EXAMPLES = """
Examples:

    smatter simulate mail.csv --strategies ClassEntropy --strategies VoteEntropy --questions 50

    smatter simulate mail.csv --model SoftMislabelPLSA --strategies "CommitteeDisagreement*Density" --error 0.1
"""


def simulate(
    source: Input,
    strategies: Annotated[
        list[str],
        typer.Option(
            metavar="NAME",
            help="A query strategy; A*B multiplies two, A>B lets B choose among the best of A. Repeatable, or with "
            "commas. Asking at random is always among them.",
        ),
    ] = ["ClassEntropy"],  # noqa: B006
    model: Annotated[str, typer.Option(help="One of `smatter models`.")] = DEFAULT_MODEL,
    questions: Annotated[int, typer.Option(min=1, help="Questions in all.")] = 100,
    batch: Annotated[int, typer.Option(min=1, help="Questions between two fits of the model.")] = 1,
    error: Annotated[float, typer.Option(min=0, max=1, help="How often the person who answers errs.")] = 0.0,
    folds: Annotated[int, typer.Option(min=2, help="Parts that are held out in turn.")] = 5,
    starts: Annotated[int, typer.Option(min=1, help="Draws of the first labels, in each fold.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Write one row a measurement to this .csv.")] = None,
    text: Text = None,
    label: Label = None,
    unlabeled: Unlabeled = None,
    seed: Seed = 0,
    encoding: Encoding = None,
    skip_unreadable: SkipUnreadable = False,
) -> None:
    """Play active learning on documents whose labels are known.

    It begins with one label a category; then a strategy chooses what to ask, and the label in INPUT is the answer. F is
    that of the fold held out. Mean F is taken over all numbers of labels on the way; p is that of the corrected
    resampled t-test (Nadeau and Bengio 2003) that its gain over asking at random is chance. Labels saved are those that
    asking at random needed more to be as good as it became.
    """
    from smatter.active.simulation import Plan

    _check_out(out, source)
    names = [name.strip() for text_ in strategies for name in text_.split(",") if name.strip()]
    plan = Plan(questions=questions, batch=batch, every=max(batch, questions // 20), error=error)
    with showing_progress() as say:
        say(f"Reading {source}")
        documents = read_input(source, Reading(text, label, unlabeled, encoding, skip_unreadable, need_unlabeled=False))
        _check_labels(documents.counts, documents.origin, folds)
        say("Asking and answering")
        records = _play(names, make_model(model, seed=seed), documents, plan, (folds, starts, seed))
        if out is not None:
            from smatter.evaluate.reports import write_csv

            write_csv(out, [{name: value for name, value in row.items() if name != "collection"} for row in records])
    n_labeled = sum(documents.counts.values())
    tell(
        f"{documents.origin}: {counted(n_labeled, 'label')}, {len(documents.counts)} categories; {folds} folds, "
        f"{counted(starts, 'start')}; up to {counted(questions, 'question')}."
    )
    _show(records, 1 / (folds - 1))
    if out is not None:
        tell(f"Written: {out}")


def _play(
    names: list[str], model: Any, documents: Any, plan: "Plan", layout: tuple[int, int, int]
) -> list[dict[str, Any]]:
    import numpy as np

    from smatter.active.catalog import read_strategy
    from smatter.active.simulation import simulate as play
    from smatter.cli._work import count_words
    from smatter.evaluate.protocols import Protocol

    asked = {str(strategy): strategy for strategy in map(read_strategy, [BASELINE, *names])}
    methods = {name: (model, strategy) for name, strategy in asked.items()}
    folds, starts, seed = layout
    protocol = Protocol(folds=folds, starts=starts, seed=seed)
    X, y = count_words(documents.texts), np.array(documents.labels, dtype=object)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyRowsWarning)
        return play(methods, X, y, plan=plan, protocol=protocol)


def _check_out(out: Path | None, source: Path) -> None:
    from smatter.documents.tables import check_output

    if out is None:
        return
    if out.suffix.lower() != ".csv":
        raise InputError(f"--out {out} must end in .csv: it is a table with one row a measurement.")
    check_output(out, source)


def _check_labels(counts: dict[str, int], origin: str, folds: int) -> None:
    few = [name for name, count in counts.items() if count < folds]
    if len(counts) < 2 or few:
        wrong = f"{len(few)} of them with fewer labels than the {folds} folds" if few else "which is one"
        raise LabelError(
            f"{origin} has labels of {counted(len(counts), 'category', 'categories')}, {wrong}; a simulation needs two "
            "at least, each with a label in every fold: label more documents, or lower --folds."
        )


def _show(records: list[dict[str, Any]], test_to_train: float) -> None:
    from rich.console import Console
    from rich.text import Text as Words

    from smatter.active.gains import judge_strategies
    from smatter.cli._tables import plain_table

    table = plain_table("strategy", "F at end", "mean F", "gain", "p", "labels saved", gap=1)
    for worth in judge_strategies(records, baseline=BASELINE, test_to_train=test_to_train):
        last, area = worth.last.point.mean, worth.area.point.mean
        table.add_row(Words(worth.method), f"{last:.3f}", f"{area:.3f}", *_gain(worth))
    Console(highlight=False).print(table)
    tell("* marks a gain or loss that is hardly chance (p < 0.05).")


def _gain(worth: "Worth") -> tuple[str, str, str]:
    if worth.area.gain is None:
        return "", "", ""
    test = worth.area.corrected
    star = " *" if test is not None and test.significant else ""
    saved = "never as good" if worth.labels_saved is None else f"{worth.labels_saved:.0%}"
    return f"{worth.area.gain:+.3f}{star}", "–" if test is None else f"{test.p_value:.3f}", saved

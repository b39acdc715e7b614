"""``smatter categorize``: every document of a table or folder gets a category and a probability."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smatter.cli._input import Encoding, Input, Label, Reading, SkipUnreadable, Text, Unlabeled, read_input
from smatter.cli._messages import note, tell, warn
from smatter.cli._model import BASELINE, DEFAULT_MODEL, Seed, make_model
from smatter.cli._progress import showing_progress
from smatter.errors import InputError, LabelError

if TYPE_CHECKING:
    from smatter.cli._work import Answers
    from smatter.documents.labeled import LabeledDocuments

ADDED = ("category", "probability", "source")
FEW = 5  # labels in a class, below which more of them help most

EXAMPLES = """
Examples:

    smatter categorize mail.csv --out categorized.csv

    smatter categorize mail.csv --out out.jsonl --text subject --text body --label topic

    smatter categorize letters/ --out letters.csv --unlabeled letters/new

    smatter categorize mail.csv --out out.csv --model NaiveBayesEM --param unlabeled_weight=0.5
"""


def categorize(
    source: Input,
    out: Annotated[Path, typer.Option(help="Where to write: .csv, .tsv or .jsonl.", show_default=False)],
    text: Text = None,
    label: Label = None,
    unlabeled: Unlabeled = None,
    model: Annotated[str, typer.Option(help="One of `smatter models`.")] = DEFAULT_MODEL,
    param: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="A parameter of the model; repeatable.")
    ] = None,
    stop_words: Annotated[str, typer.Option(help="Words to pass over: english, none, or a file.")] = "english",
    folds: Annotated[
        int | None,
        typer.Option(
            help="How often a part of the labels is held out to estimate the accuracy; 0: never. By default 5, or 10 "
            "below 20 labels a category."
        ),
    ] = None,
    seed: Seed = 0,
    encoding: Encoding = None,
    skip_unreadable: SkipUnreadable = False,
) -> None:
    """Give every document a category and a probability.

    Some documents must have a label; the others get theirs from what the labeled and the unlabeled ones have in
    common. OUT has every row of INPUT in its order with all its columns, and the columns category, probability and
    source: "given", "predicted", or "no words: prior" for a text without a known word.
    """
    from smatter.documents.tables import check_output, write_table

    check_output(out, source)
    if folds is not None and folds != 0 and folds < 2:
        raise InputError(f"--folds {folds} must be 0 (no check), or a whole number of at least 2: correct it.")
    with showing_progress() as say:
        say(f"Reading {source}")
        documents = read_input(source, Reading(text, label, unlabeled, encoding, skip_unreadable))
        _check_labels(documents)
        say("Getting ready")
        from smatter.cli._work import answer, count_words  # slow, so that what is wrong with INPUT is said before

        estimator, baseline = make_model(model, param, seed), make_model(BASELINE)
        say("Counting words")
        X = count_words(documents.texts, None if stop_words == "none" else stop_words)
        answers = answer(estimator, baseline, X, documents.labels, folds, say=say)
        say(f"Writing {out}")
        write_table(out, documents.table.with_columns(_new_columns(documents, answers)))
    _summarize(documents, answers, out)


def _check_labels(documents: "LabeledDocuments") -> None:
    counts = documents.counts
    n_labeled = sum(counts.values())
    if len(counts) < 2:
        what = f"one category only, {next(iter(counts))!r}" if counts else "no label"
        raise LabelError(
            f"{documents.origin} has {what} in {len(documents.labels)} rows; two categories at least need labels: "
            "label some more rows. (An empty cell means unlabeled.)"
        )
    if n_labeled == len(documents.labels):
        warn("every row has a label: nothing is left to categorize. (`smatter evaluate` measures a model on them.)")
    if n_labeled >= 10 and len(counts) > n_labeled / 2:
        warn(f"{n_labeled} labels name {len(counts)} categories: is this the column of the labels?")
    few = [name for name, count in counts.items() if count < FEW]
    if few:
        names = ", ".join(map(repr, few[:5])) + (", …" if len(few) > 5 else "")
        warn(
            f"{len(few)} of {len(counts)} categories have fewer than {FEW} labels ({names}): label more of them for "
            "answers to rely on."
        )


def _new_columns(documents: "LabeledDocuments", answers: "Answers") -> dict[str, list[Any]]:
    taken = documents.table.columns
    prefix, number = "", 1
    while any(f"{prefix}{name}" in taken for name in ADDED):
        prefix, number = f"smatter{number if number > 1 else ''}_", number + 1
    if prefix:
        note(f"the input has columns of these names already, so the new ones are {prefix}category and so on.")
    values: tuple[list[Any], ...] = (
        [documents.names[category] for category in answers.categories],
        [round(float(probability), 6) for probability in answers.probabilities],
        answers.sources,
    )
    return {f"{prefix}{name}": column for name, column in zip(ADDED, values, strict=True)}


def _summarize(documents: "LabeledDocuments", answers: "Answers", out: Path) -> None:
    from rich.console import Console

    from smatter.cli._tables import accuracy_table, category_table
    from smatter.cli._work import WORDLESS
    from smatter.documents.wording import counted

    n_labeled = sum(documents.counts.values())
    tell(f"{documents.origin}: {counted(len(documents.labels), 'document')}, {n_labeled:,} labeled.")
    console = Console(highlight=False)
    console.print(category_table(documents.counts, answers))
    if answers.estimate is not None:
        console.print(f"\nWhat came back of {answers.estimate.of} labels, held out in {answers.estimate.folds} folds:")
        console.print(accuracy_table(type(answers.model).__name__, answers.estimate))
        if answers.estimate.baseline_right > answers.estimate.right:
            note(
                f"on these labels the supervised baseline does better; try --model {BASELINE}, or label more documents."
            )
    else:
        warn("how often the answers are right is not known: too few labels to hold some out, or --folds 0.")
    wordless = answers.sources.count(WORDLESS)
    if wordless:
        warn(f"{counted(wordless, 'document')} without a known word; the most frequent category is all one can say.")
    tell(f"Written: {out}")

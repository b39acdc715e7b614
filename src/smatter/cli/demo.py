"""``smatter demo``: what unlabeled documents are good for, on a collection that is made on the spot."""

from itertools import pairwise
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer

from smatter.cli._model import BASELINE, DEFAULT_MODEL, Seed, make_model
from smatter.cli._progress import showing_progress

if TYPE_CHECKING:
    from rich.console import Console

    from smatter.cli._work import Answers
    from smatter.demo.company import CompanyMail

EXAMPLES = """
Examples:

    smatter demo

    smatter demo --labels 1 --seed 7

    smatter demo --save mail.csv
"""
_BUDGETS, _DRAWS = (1, 3, 10), 3
_EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def demo(
    documents: Annotated[int, typer.Option(min=100, max=20_000, help="How many documents to make up.")] = 1_200,
    labels: Annotated[int, typer.Option(min=1, help="How many of each category get a label.")] = 3,
    seed: Seed = 0,
    save: Annotated[Path | None, typer.Option(help="Write the collection to this .csv, .tsv or .jsonl.")] = None,
) -> None:
    """Show what unlabeled documents are good for.

    The mail of a company that does not exist is made up on the spot, so nothing is downloaded and the true categories
    are known. A few documents are labeled; the truth of the others is hidden from the models and used to judge them.
    """
    from rich.console import Console

    from smatter.cli._work import answer, count_words
    from smatter.demo.company import company_mail

    console = Console(highlight=False)
    with showing_progress() as say:
        say("Making up documents")
        mail = company_mail(documents, seed)
        shown = _label(mail, labels, seed)
        if save is not None:
            _save(save, mail, shown)
        say("Counting words")
        X = count_words(mail.texts)
        say("Learning")
        alone = answer(make_model(BASELINE), make_model(BASELINE), X, shown, folds=0)
        together = answer(make_model(DEFAULT_MODEL, seed=seed), make_model(BASELINE), X, shown)
        say("Trying other labels")
        draws = _other_draws(mail, X, seed)
    _introduce(console, mail, shown, seed)
    _show_gain(console, mail, shown, alone, together)
    _show_draws(console, draws)
    _show_examples(console, mail, together)
    _show_calibration(console, mail, together)
    _say_what_next(console, save)


def _label(mail: "CompanyMail", n_per_category: int, seed: int) -> list[str | None]:
    """Show the truth of a few documents of each category."""
    from smatter.evaluate.splits import choose_per_class
    from smatter.labels import encode_labels

    kept = set(choose_per_class(encode_labels(mail.truth).codes, n_per_category, seed=seed).tolist())
    return [truth if row in kept else None for row, truth in enumerate(mail.truth)]


def _save(path: Path, mail: "CompanyMail", shown: list[str | None]) -> None:
    from smatter.documents.tables import Table, check_output, write_table

    check_output(path, path.with_name(f"{path.name}.source"))
    rows = zip(range(1, len(mail) + 1), mail.texts, shown, mail.truth, strict=True)
    columns = ("id", "text", "label", "truth")
    write_table(path, Table(columns, [[str(number), text, label or "", truth] for number, text, label, truth in rows]))


def _hidden_accuracy(mail: "CompanyMail", answers: "Answers") -> tuple[int, int]:
    """How many of the documents without a label are right, and how many there are."""
    from smatter.cli._work import GIVEN

    rows = zip(mail.truth, answers.categories, answers.sources, strict=True)
    hits = [truth == category for truth, category, source in rows if source != GIVEN]
    return sum(hits), len(hits)


def _other_draws(mail: "CompanyMail", X: Any, seed: int) -> dict[int, list[tuple[float, float]]]:
    """Accuracy of both models on hidden documents, for other documents that are labeled."""
    from smatter.cli._work import answer

    smallest = min(map(mail.truth.count, mail.categories))
    found: dict[int, list[tuple[float, float]]] = {}
    for n_labels in (budget for budget in _BUDGETS if budget < smallest):
        for draw in range(1, _DRAWS + 1):
            shown = _label(mail, n_labels, seed + draw)
            right = []
            for name in (BASELINE, DEFAULT_MODEL):
                hits, of = _hidden_accuracy(mail, answer(make_model(name), None, X, shown, folds=0))
                right.append(hits / of)
            found.setdefault(n_labels, []).append((right[0], right[1]))
    return found


def _introduce(console: "Console", mail: "CompanyMail", shown: list[str | None], seed: int) -> None:
    from smatter.demo.company import COMPANY

    n_labeled = sum(label is not None for label in shown)
    _heading(console, f"{len(mail):,} mails, notes and reports of {COMPANY}")
    console.print(
        f"All made up on this machine (seed {seed}), so the true categories are known:\n{', '.join(mail.categories)}.\n"
        f"{n_labeled} documents are labeled, {n_labeled // len(mail.categories)} of each category. The truth of the "
        f"other {len(mail) - n_labeled:,} is\nhidden from the models, and used here to judge them."
    )


def _show_gain(
    console: "Console", mail: "CompanyMail", shown: list[str | None], alone: "Answers", together: "Answers"
) -> None:
    from smatter.cli._tables import bar, percent

    _heading(console, "What the unlabeled documents are good for")
    n_labeled = sum(label is not None for label in shown)
    lines = (
        (alone, f"{BASELINE} learns from {n_labeled} labeled documents", "yellow"),
        (together, f"{DEFAULT_MODEL} learns from these and from {len(mail) - n_labeled:,} unlabeled ones", "green"),
    )
    shares = []
    for answers, what, color in lines:
        hits, of = _hidden_accuracy(mail, answers)
        shares.append(hits / of)
        console.print(what)
        console.print(f"  [{color}]{bar(hits / of, 50)}[/] [bold]{percent(hits / of)}[/] right")
    more = round((shares[1] - shares[0]) * (len(mail) - n_labeled))
    console.print(
        f"[bold]Gain: {100 * (shares[1] - shares[0]):+.1f} points[/], {abs(more):,} {'more' if more >= 0 else 'fewer'} "
        "documents in the right place, for no more labels."
    )


def _show_draws(console: "Console", draws: dict[int, list[tuple[float, float]]]) -> None:
    from smatter.cli._tables import percent, plain_table

    _heading(console, f"Was it luck? The same with other labels, {_DRAWS} draws each")
    table = plain_table("labels a category", "labeled only", "with unlabeled", "gain", "worst … best", words=1)
    for n_labels, pairs in draws.items():
        gains = [100 * (together - alone) for alone, together in pairs]
        alone, together = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
        worst_to_best = f"{min(gains):+.1f} … {max(gains):+.1f}"
        table.add_row(
            str(n_labels), percent(alone), percent(together), f"{sum(gains) / len(gains):+.1f}", worst_to_best
        )
    console.print(table)


def _show_examples(console: "Console", mail: "CompanyMail", answers: "Answers") -> None:
    from rich.text import Text

    from smatter.cli._tables import plain_table

    _heading(console, "Some of its answers")
    table = plain_table("category", "probability", "the truth", "document", words=4)
    for row in _examples(mail, answers):
        right = answers.categories[row] == mail.truth[row]
        truth = Text("✓ the same", style="green") if right else Text(f"✗ {mail.truth[row]}", style="red")
        beginning = shorten(mail.texts[row].removeprefix("Subject: "), 38, placeholder=" …")
        table.add_row(answers.categories[row], f"{answers.probabilities[row]:.2f}", truth, Text(beginning))
    console.print(table)


def _examples(mail: "CompanyMail", answers: "Answers") -> list[int]:
    """Pick the first right answer of four categories, and the first two wrong ones: nothing is hand-picked."""
    from smatter.cli._work import PREDICTED

    rows = [row for row, source in enumerate(answers.sources) if source == PREDICTED]
    right = [row for row in rows if answers.categories[row] == mail.truth[row]]
    wrong = [row for row in rows if answers.categories[row] != mail.truth[row]]
    first: dict[str, int] = {}
    for row in right:
        first.setdefault(mail.truth[row], row)
    return sorted([*list(first.values())[:4], *wrong[:2]])


def _show_calibration(console: "Console", mail: "CompanyMail", answers: "Answers") -> None:
    import numpy as np

    from smatter.cli._tables import percent, plain_table
    from smatter.cli._work import GIVEN
    from smatter.evaluate.metrics import calibration_error

    hidden = np.array([source != GIVEN for source in answers.sources])
    truth = np.searchsorted(answers.model.classes_, mail.truth)[hidden]
    P = answers.posterior[hidden]
    claimed, right = P.max(axis=1), P.argmax(axis=1) == truth
    _heading(console, "Can its probabilities be trusted?")
    table = plain_table("it says", "documents", "mean claim", "really right", words=1)
    for low, high in pairwise(_EDGES):
        chosen = (claimed > low) & (claimed <= high)
        if chosen.any():
            share, claim = float(right[chosen].mean()), float(claimed[chosen].mean())
            table.add_row(f"{low:.0%} – {high:.0%}", f"{chosen.sum():,}", percent(claim), percent(share))
    console.print(table)
    error = calibration_error(truth, P)
    console.print(f"Calibration error {error:.3f}: the mean gap between claim and truth; 0 is best.")


def _say_what_next(console: "Console", save: Path | None) -> None:
    _heading(console, "What to type next")
    name = save or "mail.csv"
    lines = [
        ("" if save else f"smatter demo --save {name}", "this collection as a table"),
        (f"smatter categorize {name} --out out.csv", "a category for every document"),
        (f"smatter evaluate {name} --label truth", "models measured on known labels"),
        ("smatter models", "what there is to choose from"),
        ("smatter categorize --help", "with documents of your own"),
    ]
    for command, what in lines:
        if command:
            console.print(f"  [cyan]{command:<42}[/] {what}")


def _heading(console: "Console", text: str) -> None:
    console.print(f"\n[bold]{text}[/]")

"""Krithara's active learning, figures 6.8 and 6.9: aspect models that ask, against the number of labels.

``python -m smatter.experiments.krithara_active run`` plays what is missing, ``report`` writes the page again. A game is
one collection, method, fold and start; it is on the disk before the next begins. (Experiments over labeled shares are
run by ``smatter experiment``; here the labels follow from the questions.)

Figures 6.10 and 6.11 are of the collection XLS, which was never published.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

import typer

from smatter.evaluate.curves import Record
from smatter.evaluate.protocols import Protocol
from smatter.experiments._recipes import WordCounts

NAME = "krithara-active"
RANDOM = "random"
QUESTIONS = {"20newsgroups": 150, "webkb": 100, "reuters": 100}  # K 6.5.2
COLLECTIONS = {name: WordCounts(name) for name in QUESTIONS}
MODELS: dict[str, Callable[[], Any]] = {}
PAPER = {RANDOM: "RandomChoice", "class entropy": "ClassEntropy", "vote entropy": "VoteEntropy"}
OTHERS = {
    "small pool": "RandomPool",
    "committee × density": "CommitteeDisagreement*Density",
    "HKLD": "HistoryDivergence",
    "error reduction": "ExpectedErrorReduction",
    "harmonic risk": "HarmonicRisk",
    "DUAL": "Dual",
    "entropy × density": "ClassEntropy*Density",
}
OTHERS_ON = ("mem-soft", "naive Bayes EM")  # the models on which the other strategies are played
PROTOCOL = Protocol(
    "shuffled", folds=10, starts=10, train_share=0.72, test_share=0.2, stratified_folds=False
)  # fmt: skip

_NOTES = """
Protocol: a fifth of the collection to test on, nine tenths of the remainder to ask about, one labeled document a class
at the beginning (the thesis does not say how it began), one question between two models; 150 questions on 20
Newsgroups, 100 on WebKB and Reuters. Micro F on the test part. Mean F is the area under the curve; gain, p and labels
saved are beside random questions of the same model on the same splits and first labels. p is that of the corrected
resampled t-test over the means of the folds; bold below 0.05.

The thesis has figures only and no numbers for these curves; it finds both of its methods (class entropy, which it calls
margin, and vote entropy) clearly above random questions and not different from each other, and mem-soft above the other
two models. PLSA on the labeled documents alone and naive Bayes EM are not in it: they tell what a strategy does from
what it does to an aspect model. Collections differ from the thesis as in the other experiments after it. The harmonic
risk chooses by a graph, whatever the model; all strategies are judged by the model they stand with.
"""

app = typer.Typer(help=__doc__.partition("\n")[0], no_args_is_help=True, add_completion=False)
Out = Annotated[Path, typer.Option(help="Folder of the results.")]
_RESULTS = Path("docs/results")


def _model(name: str) -> Any:
    import smatter

    return getattr(smatter, name)()


MODELS |= {
    "fake": partial(_model, "FakeLabelPLSA"),
    "mem-hard": partial(_model, "HardMislabelPLSA"),
    "mem-soft": partial(_model, "SoftMislabelPLSA"),
    "PLSA": partial(_model, "PLSA"),
    "naive Bayes EM": partial(_model, "NaiveBayesEM"),
}


def methods() -> dict[str, tuple[str, str]]:
    """Return each method with its model and its strategy as text.

    >>> methods()["mem-soft, random"]
    ('mem-soft', 'RandomChoice')
    """
    found = {f"{model}, {name}": (model, text) for model in MODELS for name, text in PAPER.items()}
    return found | {f"{model}, {name}": (model, text) for model in OTHERS_ON for name, text in OTHERS.items()}


def games(folds: int, starts: int, collections: Sequence[str], wanted: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield what there is to play, in an order in which an early part is a smaller experiment."""
    for start in range(starts):
        for fold in range(folds):
            for collection in collections:
                for method in wanted:
                    yield collection, method, fold, start


def play(collection: str, method: str, fold: int, start: int) -> list[Record]:
    """Play one game; return a record a measurement."""
    from smatter.active.catalog import read_strategy
    from smatter.active.simulation import Game, Plan

    X, labels = _data(collection)
    model, text = methods()[method]
    plan = Plan(questions=QUESTIONS[collection], every=5)
    game = Game.laid_out(X, labels, PROTOCOL, plan, run=(fold, start))
    where = {"collection": collection, "method": method, "fold": fold, "start": start}
    return [{**where, **record} for record in game.play((MODELS[model](), read_strategy(text)), plan)]


@cache
def _data(collection: str) -> tuple[Any, Any]:
    from smatter.labels import encode_labels

    X, y, _ = COLLECTIONS[collection]()
    return X, encode_labels(y)


@app.command()
def run(
    out: Out = _RESULTS,
    folds: Annotated[int, typer.Option(min=1, max=PROTOCOL.folds, help="Only the first so many folds.")] = 10,
    starts: Annotated[int, typer.Option(min=1, max=PROTOCOL.starts, help="Only the first so many starts.")] = 10,
    collection: Annotated[list[str] | None, typer.Option(help="Only these; repeatable.")] = None,
    method: Annotated[list[str] | None, typer.Option(help="Only these; repeatable.")] = None,
) -> None:
    """Play what is missing; the same command goes on where it was stopped."""
    from smatter.experiments.engine import provenance
    from smatter.experiments.engine.store import Store

    store = Store(out / NAME / "cells.jsonl")
    planned = list(games(folds, starts, collection or list(COLLECTIONS), method or list(methods())))
    with store.appending() as appender:
        finished = {_key(record) for record in store.records()}
        made_with = {"commit": provenance.commit()}
        for game in planned:
            if game not in finished:
                appender.add({**_packed(play(*game)), **made_with})
    typer.echo(f"{len(planned)} games. Results: {write_results(store.records(), out / NAME)}")


@app.command()
def report(out: Out = _RESULTS) -> None:
    """Write the results page again."""
    from smatter.experiments.engine.store import Store

    folder = out / NAME
    typer.echo(f"Results: {write_results(Store(folder / 'cells.jsonl').records(), folder)}")


def _key(record: Record) -> tuple[Any, ...]:
    return record["collection"], record["method"], record["fold"], record["start"]


def _packed(curve: list[Record]) -> Record:
    """One line a game: its curve as lists, so that half a game is never stored."""
    first = {name: curve[0][name] for name in ("collection", "method", "fold", "start")}
    return first | {name: [record[name] for record in curve] for name in ("x", "micro_f", "macro_f")}


def _unpacked(stored: Record) -> Iterator[Record]:
    where = {name: stored[name] for name in ("collection", "method", "fold", "start")}
    for x, micro_f, macro_f in zip(stored["x"], stored["micro_f"], stored["macro_f"], strict=True):
        yield {**where, "budget": f"{x} labels", "x": x, "micro_f": micro_f, "macro_f": macro_f}


def write_results(stored: Sequence[Record], folder: Path) -> Path:
    """Write ``results.csv``, ``table.md`` and the plots of what has been played; return the folder."""
    from smatter.evaluate.curves import summarize
    from smatter.evaluate.plots import plot_curves
    from smatter.evaluate.reports import Measure, write_csv
    from smatter.files import written_whole

    latest = {_key(record): record for record in stored if record["method"] in methods()}
    records = [point for record in latest.values() for point in _unpacked(record)]
    write_csv(folder / "results.csv", records)
    measure, pictures = Measure("micro_f", "micro F, %", 100, 2), []
    for model in MODELS:
        own = [record for record in records if methods()[record["method"]][0] == model]
        if own:
            pictures.append(f"{NAME}-{model.replace(' ', '-')}")
            baseline = f"{model}, {RANDOM}"
            plot_curves(
                summarize(own, "micro_f"), folder / pictures[-1], measure=measure, baseline=baseline, title=model
            )
    with written_whole(folder / "table.md") as stream:
        stream.write(_page(records, len(latest), pictures, sorted({record["commit"] for record in latest.values()})))
    return folder


def _page(records: list[Record], n_games: int, pictures: list[str], commits: list[str]) -> str:
    sections = [
        "# Aspect models that ask (Krithara, figures 6.8 and 6.9)",
        _NOTES.strip(),
        f"Run: {n_games} games.",
        _table(records),
        *(f"![learning curves]({picture}.svg)" for picture in pictures),
        f"Made by `python -m smatter.experiments.krithara_active run` at commit {', '.join(map(str, commits))}.",
    ]
    return "\n\n".join(sections) + "\n"


def _table(records: list[Record]) -> str:
    from smatter.active.gains import judge_strategies
    from smatter.evaluate.reports import markdown_table

    test_to_train = (PROTOCOL.test_share or 0.0) / (PROTOCOL.train_share or 1.0)
    rows = []
    for model in MODELS:
        own = [record for record in records if methods()[record["method"]][0] == model]
        baseline = f"{model}, {RANDOM}"
        for name in dict.fromkeys(record["collection"] for record in own):
            here = [record for record in own if record["collection"] == name]
            if any(record["method"] == baseline for record in here):
                judged = judge_strategies(here, baseline=baseline, test_to_train=test_to_train)
                rows += [_row(worth) for worth in sorted(judged, key=lambda worth: worth.method != baseline)]
    head = ["collection", "model, strategy", "F at the end", "mean F", "gain", "p", "labels saved", "games"]
    return markdown_table(head, rows, numbers_from=2)


def _row(worth: Any) -> list[str]:
    area, saved, p = worth.area, worth.labels_saved, "–"
    if area.corrected is not None:
        p = f"{area.corrected.p_value:.4f}"
        p = f"**{p}**" if area.corrected.significant else p
    beside = ["", "", ""]
    if area.gain is not None:
        beside = [f"{100 * area.gain:+.2f}", p, "never as good" if saved is None else f"{100 * saved:.0f} %"]
    scores = [f"{100 * worth.last.point.mean:.2f}", f"{100 * area.point.mean:.2f}"]
    return [worth.collection, worth.method, *scores, *beside, str(area.point.runs)]


if __name__ == "__main__":
    app()

"""``smatter experiment``: the seed documents' tables, made again."""

from pathlib import Path
from typing import Annotated

import typer

from smatter.cli._messages import STOPPED, tell
from smatter.cli._progress import showing_progress
from smatter.errors import InputError, SmatterError

EXAMPLES = """
Examples:

    smatter experiment list

    smatter experiment run krithara-naive-bayes --folds 2 --starts 1 --only collection=webkb
"""

app = typer.Typer(help="Run the tables of the literature again.", no_args_is_help=True, epilog=EXAMPLES)
Out = Annotated[Path, typer.Option(help="Folder of the results.")]
_RESULTS = Path("docs/results")


@app.command("list")
def list_experiments() -> None:
    """List the experiments."""
    from rich.console import Console
    from rich.text import Text

    from smatter.cli._tables import plain_table
    from smatter.experiments import all_experiments

    table = plain_table("experiment", "what it is", words=2)
    for name, experiment in all_experiments().items():
        table.add_row(Text(name, style="cyan"), Text(experiment.title))
    Console(highlight=False).print(table)


@app.command()
def run(
    name: Annotated[str, typer.Argument(help="One of `smatter experiment list`.", show_default=False)],
    out: Out = _RESULTS,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes; all cores by default.")] = None,
    folds: Annotated[int | None, typer.Option(min=1, help="Only the first so many folds.")] = None,
    starts: Annotated[int | None, typer.Option(min=1, help="Only the first so many starts.")] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="WHAT=NAME", help="collection=…, method=… or budget=…; repeatable.")
    ] = None,
) -> None:
    """Run what is missing of an experiment; Ctrl-C stops it, the same command goes on."""
    from smatter.experiments import run as run_experiment

    wanted = _pairs(only or [])
    try:
        with showing_progress() as say:
            say(f"Experiment {name}")
            outcome = run_experiment(name, out, jobs, folds, starts, wanted)
    except KeyboardInterrupt as interrupt:
        typer.echo("Stopped: the finished fits are kept; the same command goes on from here.", err=True)
        raise typer.Exit(STOPPED) from interrupt
    for record in outcome.failed[:5]:
        typer.secho(f"failed: {record['collection']}, {record['method']}: {record['error']}", err=True, fg="red")
    tell(f"{outcome.cells} fits, {len(outcome.failed)} failed. Results: {outcome.folder}")
    if outcome.failed:
        raise SmatterError(
            f"{len(outcome.failed)} of {outcome.cells} fits failed; the results are without them: the same command "
            "tries them again."
        )


@app.command()
def report(
    name: Annotated[str, typer.Argument(help="One of `smatter experiment list`.", show_default=False)],
    out: Out = _RESULTS,
) -> None:
    """Write the results page again from the fits that are there."""
    from smatter.experiments.engine.running import rewrite

    tell(f"Results: {rewrite(name, out)}")


def _pairs(only: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in only:
        what, sign, value = text.partition("=")
        if not sign:
            raise InputError(f"--only {text!r} must read collection=…, method=… or budget=…: correct it.")
        found.setdefault(what, []).append(value)
    return found

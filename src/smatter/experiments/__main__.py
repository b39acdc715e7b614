"""``python -m smatter.experiments list|run|report``: run an experiment from the command line."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from smatter.errors import SmatterError
from smatter.experiments import all_experiments
from smatter.experiments import run as run_experiment
from smatter.experiments.engine.running import RESULTS, rewrite
from smatter.progress import Progress, listening

app = typer.Typer(help="The seed documents' tables, made again.", no_args_is_help=True, add_completion=False)
console = Console(stderr=True)
Out = Annotated[Path, typer.Option(help="Folder of the results.")]


@app.command("list")
def list_experiments() -> None:
    """List the experiments."""
    for name, experiment in all_experiments().items():
        typer.echo(f"{name}\t{experiment.title}")


@app.command()
def run(
    name: str,
    out: Out = RESULTS,
    jobs: Annotated[int | None, typer.Option(help="Processes; all cores by default.")] = None,
    folds: Annotated[int | None, typer.Option(help="Only the first so many folds.")] = None,
    starts: Annotated[int | None, typer.Option(help="Only the first so many starts.")] = None,
    only: Annotated[list[str] | None, typer.Option(help="collection=…, method=… or budget=…; repeatable.")] = None,
) -> None:
    """Run what is missing of an experiment; Ctrl-C stops it, the same command goes on."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    try:
        with Bar(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console) as bar:
            task = bar.add_task(name, total=None)

            def draw(progress: Progress) -> None:
                if progress.what.startswith("experiment "):
                    bar.update(task, completed=progress.done, total=progress.total)

            with listening(draw):
                outcome = run_experiment(name, out, jobs, folds, starts, _pairs(only or []))
    except SmatterError as error:
        console.print(f"[red]error:[/red] {error}", highlight=False)
        raise typer.Exit(1) from error
    except KeyboardInterrupt as interrupt:
        console.print("Stopped. The finished fits are kept; the same command goes on from here.")
        raise typer.Exit(130) from interrupt
    for record in outcome.failed[:5]:
        console.print(f"[red]failed:[/red] {record['collection']}, {record['method']}: {record['error']}")
    console.print(f"{outcome.cells} fits, {len(outcome.failed)} failed. Results: {outcome.folder}")
    if outcome.failed:
        raise typer.Exit(1)


@app.command()
def report(name: str, out: Out = RESULTS) -> None:
    """Write the results page again from the fits that are there."""
    console.print(f"Results: {rewrite(name, out)}")


def _pairs(only: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in only:
        what, sign, value = text.partition("=")
        if not sign:
            raise typer.BadParameter(f"--only {text!r} must read collection=…, method=… or budget=…")
        found.setdefault(what, []).append(value)
    return found


if __name__ == "__main__":
    app()

"""The command line: one file a command, put together here. Nothing heavy is imported before a command needs it."""

import sys
from io import TextIOWrapper
from typing import Annotated

import typer

from smatter.cli import categorize, demo, evaluate, experiment, models, simulate
from smatter.cli._messages import CleanGroup, report_bug

app = typer.Typer(
    cls=CleanGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog=categorize.EXAMPLES)(categorize.categorize)
app.command(epilog=evaluate.EXAMPLES)(evaluate.evaluate)
app.command(epilog=simulate.EXAMPLES)(simulate.simulate)
app.command(epilog=models.EXAMPLES)(models.models)
app.command(epilog=demo.EXAMPLES)(demo.demo)
app.add_typer(experiment.app, name="experiment")


def _print_version(wanted: bool) -> None:
    if wanted:
        from smatter import __version__

        typer.echo(f"smatter {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where an error comes from; may stand anywhere in the line.")
    ] = False,
) -> None:
    """Categorize a document collection from a smattering of labels.

    Try `smatter demo` first: it makes its own small collection and shows what unlabeled documents are good for.

    Then `smatter categorize INPUT --out OUT` with a table or a folder of your own.
    """


def main() -> None:
    """Run the command line; the entry point of the program ``smatter``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without Unicode shows question marks instead of failing
    try:
        app(prog_name="smatter")
    except Exception as error:
        if "--debug" in sys.argv:
            raise
        report_bug(error)
        sys.exit(1)

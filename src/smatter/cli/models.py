"""``smatter models``: what there is to choose from, and what each has to set."""

import inspect
from typing import Annotated, Any

import typer

EXAMPLES = """
Examples:

    smatter models

    smatter models NaiveBayesEM
"""


def models(
    name: Annotated[str | None, typer.Argument(help="A model: show its parameters and what it does.")] = None,
) -> None:
    """List the models, or explain one."""
    if name is None:
        _list()
    else:
        _explain(name)


def _list() -> None:
    from rich.console import Console
    from rich.text import Text

    from smatter.cli._tables import plain_table
    from smatter.registry import family
    from smatter.registry import models as all_models

    table = plain_table("model", "family", "what it is", words=3)
    for own, model in all_models().items():
        table.add_row(Text(own, style="cyan"), family(model.__module__), Text(_first_line(model)))
    Console(highlight=False).print(table)
    typer.echo("\n`smatter models NAME` explains one. All are classes of the Python package: from smatter import NAME")


def _first_line(model: Any) -> str:
    return inspect.cleandoc(model.__doc__ or "").partition("\n")[0]


def _explain(name: str) -> None:
    from rich.console import Console
    from rich.text import Text

    from smatter.cli._model import find_model
    from smatter.cli._tables import plain_table
    from smatter.registry import family

    model = find_model(name)
    console = Console(highlight=False)
    console.print(Text.assemble((model.__name__, "bold cyan"), f"  ({family(model.__module__)})\n"))
    table = plain_table("parameter", "default", words=2)
    for parameter in inspect.signature(model).parameters.values():
        table.add_row(Text(parameter.name, style="cyan"), Text(repr(parameter.default)))
    console.print(table)
    typer.echo("")
    typer.echo(inspect.cleandoc(model.__doc__ or ""))

"""``smatter models``: what there is to choose from, and what each has to set."""

import inspect
import re
from typing import Annotated, Any

import typer

EXAMPLES = """
Examples:

    smatter models

    smatter models NaiveBayesEM
"""
_ROLE = re.compile(r":\w+:`([^`]*)`")


def models(
    name: Annotated[str | None, typer.Argument(help="A model: show its parameters and what it does.")] = None,
) -> None:
    """List the models, or explain one."""
    if name is None:
        _list()
    else:
        _explain(name)


def _list() -> None:
    from itertools import groupby

    from rich.console import Console
    from rich.text import Text

    from smatter.cli._tables import plain_table
    from smatter.registry import family
    from smatter.registry import models as all_models

    table = plain_table("model", "what it is", words=2)
    for name, members in groupby(all_models().items(), key=lambda item: family(item[1].__module__)):
        table.add_row(Text(name or "all together", style="bold"), "")
        for own, model in members:
            table.add_row(Text(f"  {own}", style="cyan"), Text(_first_line(model)))
    Console(highlight=False).print(table)
    typer.echo("\n`smatter models NAME` explains one. In Python: from smatter import NAME")


def _first_line(model: Any) -> str:
    return _plain(model.__doc__).partition("\n")[0]


def _plain(docstring: str | None) -> str:
    """Return a docstring without the marks that are for the documentation's pages."""
    return _ROLE.sub(r"\1", inspect.cleandoc(docstring or "")).replace("``", "")


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
    typer.echo(_plain(model.__doc__))

"""What the user is told besides the result: errors, warnings and notes, each a clean sentence on stderr."""

import signal
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from smatter.errors import SmatterError

BAD_INPUT, STOPPED = 2, 130


class CleanGroup(TyperGroup):
    """The program: whatever a command raises on purpose becomes a sentence and an exit code."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take ``--debug`` out of wherever it stands."""
        ctx.meta["debug"] = "--debug" in args
        return super().parse_args(ctx, [argument for argument in args if argument != "--debug"])

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        if ctx.meta["debug"]:
            return super().invoke(ctx)
        with _clean_warnings(), _clean_errors(), _ended_by_sigterm():
            return super().invoke(ctx)


def note(text: str) -> None:
    """Say what was decided for the user, who may want to know."""
    typer.secho(f"note: {printable(text)}", err=True, dim=True)


def warn(text: str) -> None:
    """Say what the user should look at."""
    typer.secho(f"warning: {printable(text)}", err=True, fg="yellow")


def tell(text: str) -> None:
    """Say what the result is, on stdout."""
    typer.echo(printable(text))


def printable(text: str) -> str:
    r"""Return a text that cannot move the cursor or recolor the terminal, whoever named the file or category.

    >>> printable("red\x1b[31m alert")
    'red�[31m alert'
    """
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)


def report_bug(error: Exception) -> None:
    """Own up to an error that was not foreseen."""
    typer.secho(
        f"error: smatter failed in a way that it should not: {type(error).__name__}: {error}\n"
        "Run the same command with --debug to see where, and report it.",
        err=True,
        fg="red",
    )


@contextmanager
def _clean_errors() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as interrupt:
        typer.echo("Stopped: nothing was written.", err=True)
        raise typer.Exit(STOPPED) from interrupt
    except SmatterError as error:
        _fail(str(error), error)
    except BrokenPipeError:
        raise  # whoever reads the output has seen enough; typer ends quietly
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"{where}{error.strerror or error}", error)
    except MemoryError as error:
        _fail("There is not enough memory for this; give it fewer documents, or more memory.", error)


def _fail(message: str, error: BaseException) -> None:
    typer.secho(f"error: {printable(message)}", err=True, fg="red")
    raise typer.Exit(BAD_INPUT) from error


@contextmanager
def _clean_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning  # type: ignore[assignment]
        yield


def _show_warning(message: Warning | str, category: type[Warning], *_: Any) -> None:
    if issubclass(category, UserWarning):  # the others are for programmers
        warn(str(message))


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Leave like any other way out, so that no temporary file is left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

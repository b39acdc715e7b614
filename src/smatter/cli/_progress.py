"""Bars for work that takes longer than a moment, drawn from what the work reports."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

from smatter.progress import Progress, listening

PATIENCE = 2.0  # seconds without a sign of life


@contextmanager
def showing_progress() -> Iterator[Callable[[str], None]]:
    """Draw the progress of the block on stderr if that is a terminal, once the block has taken two seconds.

    What the block gets is a function: call it with the name of each stage.
    """
    from rich.console import Console
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(30),
        TextColumn("{task.fields[count]}"),
    )
    bars = Bars(*columns, TimeElapsedColumn(), console=console, transient=True, disable=not console.is_terminal)
    stages = _Stages(bars)
    timer = Timer(PATIENCE, bars.start)
    timer.daemon = True
    timer.start()
    try:
        with listening(stages.draw):
            yield stages.begin
    finally:
        timer.cancel()
        timer.join()  # a bar that is just being started is stopped below, not left standing
        bars.stop()


class _Stages:
    """The current stage, and below it a bar for each kind of work that has reported since it began."""

    def __init__(self, bars: Any) -> None:
        self._bars = bars
        self._tasks: dict[str, Any] = {}

    def begin(self, stage: str) -> None:
        for task in self._tasks.values():
            self._bars.remove_task(task)
        self._tasks = {"": self._bars.add_task(stage, total=None, count="")}

    def draw(self, progress: Progress) -> None:
        if progress.what not in self._tasks:
            self._tasks[progress.what] = self._bars.add_task(f"  {progress.what}", count="")
        count = f"{progress.done:,}" + (f"/{progress.total:,}" if progress.total else "")
        self._bars.update(self._tasks[progress.what], completed=progress.done, total=progress.total, count=count)

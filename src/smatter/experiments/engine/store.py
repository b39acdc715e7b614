"""The finished cells of an experiment: a file of JSON lines to which each is added durably when it is done."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from smatter.errors import InputError, UnreadableError
from smatter.evaluate.curves import Record

try:
    import fcntl
except ImportError:  # Windows has no such locks; there two runs at once are the user's to avoid
    fcntl = None  # type: ignore[assignment]


class Store:
    """One JSON line a cell. A line whose writing was cut short is dropped when the file is next opened to append."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def records(self) -> list[Record]:
        """Return the stored records in the order of their writing; an incomplete last line is not one."""
        if not self.path.exists():
            return []
        lines = self.path.read_bytes().split(b"\n")[:-1]  # what follows the last line break was cut short
        return [self._parse(line, number) for number, line in enumerate(lines, start=1)]

    @contextmanager
    def appending(self) -> Iterator["Appender"]:
        """Hold the file for writing; a second run that asks for it meanwhile gets an error."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a+b") as stream:
            self._lock(stream)
            _drop_incomplete_line(stream)
            yield Appender(stream)

    def _parse(self, line: bytes, number: int) -> Record:
        try:
            record = json.loads(line)
        except ValueError as error:
            raise UnreadableError(
                f"Line {number} of {self.path} is not JSON ({error}); each line must be one finished cell: delete that "
                "line and run again, its cell is then re-run."
            ) from error
        return {name: float("nan") if value == "NaN" else value for name, value in record.items()}

    def _lock(self, stream: IO[bytes]) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InputError(
                f"{self.path} is being written by another run; one run at a time may add to it: wait for it or end it."
            ) from error


class Appender:
    """Adds records to an open store."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def add(self, record: Record) -> None:
        """Write a record; when this returns, it is on the disk."""
        line = json.dumps({name: _plain(value) for name, value in record.items()}, allow_nan=False)
        self._stream.write(line.encode() + b"\n")
        self._stream.flush()
        os.fsync(self._stream.fileno())


def _plain(value: Any) -> Any:
    return "NaN" if isinstance(value, float) and value != value else value  # NaN is no JSON


def _drop_incomplete_line(stream: IO[bytes]) -> None:
    stream.seek(0)
    content = stream.read()
    stream.truncate(content.rfind(b"\n") + 1)
    stream.seek(0, os.SEEK_END)

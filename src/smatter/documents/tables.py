"""Tables of documents, one a row: CSV, TSV and JSON lines, read as they come and written as they came."""

import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any, Final, Literal

from smatter.documents.encodings import FALLBACK, Encoding, find_encoding, opened_text
from smatter.documents.wording import counted
from smatter.errors import InputError
from smatter.files import written_whole

ABSENT: Final = object()  # the value of a key that a JSON line does not have
_DELIMITERS = ",;\t|"
_END = "\0end of the table"
Row = list[Any]
Notes = tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Columns by name, rows of equal length, and how the file was laid out.

    The values are strings; those of JSON lines are any JSON, and ``ABSENT`` where a line lacks the key. ``notes`` says
    what the reader had to decide, for the user.
    """

    columns: tuple[str, ...]
    rows: list[Row]
    delimiter: str = ","
    marked: bool = False
    notes: tuple[str, ...] = field(default=())

    def column(self, name: str) -> list[Any]:
        """Return the values of a column."""
        if name not in self.columns:
            raise InputError(f"There is no column {name!r}; the columns are {', '.join(self.columns)}: choose one.")
        position = self.columns.index(name)
        return [row[position] for row in self.rows]

    def with_columns(self, added: Mapping[str, Sequence[Any]]) -> "Table":
        """Return a table with further columns behind the others."""
        rows = [[*row, *values] for row, *values in zip(self.rows, *added.values(), strict=True)]
        return replace(self, columns=(*self.columns, *added), rows=rows)


def read_table(path: str | Path, encoding: str | None = None) -> Table:
    """Read a table whose first line names the columns (CSV, TSV), or with one JSON object a line.

    Parameters
    ----------
    path : path
        Ends in .csv, .tsv, .tab, .jsonl or .ndjson, perhaps with .gz behind it.
    encoding : str, optional
        Found out unless given.
    """
    path = Path(path)
    read = _choose(_READERS, path, "INPUT", also=" (or these with .gz), or a folder")
    found = find_encoding(path, encoding)
    table = read(path, found)
    if not table.rows:
        what = "is empty" if not table.columns else "names columns and has no rows"
        raise InputError(f"{path} {what}; a table must have at least one row: check the file.")
    return replace(table, notes=(*_encoding_notes(path, found), *table.notes), marked=found.marked)


def write_table(path: str | Path, table: Table) -> None:
    """Write a table in the format that the suffix says, whole or not at all.

    Values are written as they are. Those that begin with = + - @ are left alone: they are the input's own, and a
    category's name must come back as it was given.
    """
    path = Path(path)
    write = _choose(_WRITERS, path, "OUT")
    # Excel knows UTF-8 only by its mark; who gave a marked file gets one back.
    encoding = "utf-8-sig" if table.marked and path.suffix.lower() == ".csv" else "utf-8"
    # A lone surrogate, which JSON can hold and UTF-8 cannot, becomes its JSON escape.
    with written_whole(path, encoding=encoding, errors="backslashreplace") as stream:
        write(stream, table)


def check_output(path: str | Path, source: Path) -> None:
    """Raise unless a result of reading ``source`` can be written to ``path``; to be asked before the long work."""
    path = Path(path)
    _choose(_WRITERS, path, "OUT")
    if path.is_dir():
        raise InputError(f"OUT {path} is a folder; it must be a file: name one, as {path / 'categorized.csv'}.")
    if not path.parent.is_dir():
        raise InputError(f"OUT {path} is in a folder that does not exist, {path.parent}: make it or correct the path.")
    if path.exists() and source.exists() and path.samefile(source):
        raise InputError(f"OUT {path} is INPUT itself, which is never overwritten: choose another name.")
    if source.is_dir() and source.resolve() in path.resolve().parents:
        raise InputError(f"OUT {path} is in INPUT, whose files are documents: choose a place outside of {source}.")
    try:
        with written_whole(path.with_name(f"{path.name}.probe")):
            raise _WritableError
    except _WritableError:
        return
    except OSError as error:
        raise InputError(
            f"OUT {path} cannot be written ({error.strerror or error}): choose a folder that you may write to."
        ) from error


class _WritableError(Exception):
    """Leaves the probe of a folder without leaving a file."""


def _encoding_notes(path: Path, encoding: Encoding) -> Notes:
    if not encoding.guessed:
        return ()
    return (f"{path} is not UTF-8; it is read as {FALLBACK} (Latin-1). Name another with --encoding if that is wrong.",)


def _read_comma_separated(path: Path, encoding: Encoding) -> Table:
    with opened_text(path, encoding) as stream:
        delimiter = _delimiter_of(stream.readline())
    records, notes = _records(path, encoding, delimiter, quoted=True)
    if delimiter != ",":
        name = "a tab" if delimiter == "\t" else repr(delimiter)
        notes = (*notes, f"{path}: the columns are taken to be separated by {name}.")
    return _tabulated(path, records, delimiter, notes)


def _read_tab_separated(path: Path, encoding: Encoding) -> Table:
    """Read TSV, which knows quotes or does not: as the reading under which more rows have the header's length."""
    readings = []
    for quoted in (True, False):
        try:
            records, notes = _records(path, encoding, "\t", quoted=quoted)
        except InputError:
            continue
        width = len(records[0]) if records else 0
        readings.append((sum(len(record) != width for record in records), not quoted, records, notes))
    _, unquoted, records, notes = min(readings, key=lambda reading: reading[:2])
    if unquoted:
        notes = (*notes, f"{path}: quotes do not pair up, so they are taken as part of the text.")
    return _tabulated(path, records, "\t", notes)


def _records(path: Path, encoding: Encoding, delimiter: str, *, quoted: bool) -> tuple[list[list[str]], Notes]:
    """Return the records, the header first, blank lines left out."""
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    with_nul: list[int] = []
    records: list[list[str]] = []
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    with opened_text(path, encoding) as stream:
        reader = csv.reader(_ended(stream, with_nul), delimiter=delimiter, quoting=quoting)
        start = 1
        for record in reader:
            if record == [_END]:
                break
            if record and record[-1].endswith(_END):
                raise InputError(
                    f"{path}, line {start}: a quoted field is never closed; each opening quote needs a closing one: "
                    "correct that line."
                )
            start = reader.line_num + 1
            if record:
                records.append(record)
    if not with_nul:
        return records, ()
    return records, (f"{path}: NUL is left out of {counted(len(with_nul), 'line')}, the first of them {with_nul[0]}.",)


def _ended(lines: Iterable[str], with_nul: list[int]) -> Iterator[str]:
    """Yield the lines without NUL, then a mark: what a quote that is never closed has swallowed ends in it."""
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            with_nul.append(number)
            line = line.replace("\0", "")
        yield line
    yield _END


def _delimiter_of(header: str) -> str:
    """Return the delimiter that occurs most often in the header outside of quotes; a comma where none does."""
    outside = "".join(header.split('"')[::2])
    return max(_DELIMITERS, key=lambda delimiter: (outside.count(delimiter), delimiter == ","))


def _tabulated(path: Path, records: list[list[str]], delimiter: str, notes: Notes) -> Table:
    """Give every row the same length and every column a name of its own; say so where that changed something."""
    if not records:
        return Table((), [], delimiter)
    header, rows = records[0], records[1:]
    width = max(map(len, records))
    short = sum(len(row) < len(header) for row in rows)
    if short:
        notes = (
            *notes,
            f"{path}: {counted(short, 'row')} with fewer fields than the header; what is missing is taken as empty.",
        )
    if width > len(header):
        long = sum(len(row) > len(header) for row in rows)
        notes = (
            *notes,
            f"{path}: {counted(long, 'row')} with more fields than the header names; they are kept as further columns. "
            "(Is a delimiter in a text that is not quoted?)",
        )
    columns, renamed = _named([*header, *[""] * (width - len(header))])
    for row in rows:
        row.extend([""] * (width - len(row)))
    return Table(columns, rows, delimiter, notes=(*notes, *(f"{path}: {text}" for text in renamed)))


def _named(header: Sequence[str]) -> tuple[tuple[str, ...], Notes]:
    names: list[str] = []
    notes: Notes = ()
    for position, name in enumerate(header, 1):
        own = name or f"column {position}"
        copy = 2
        while own in names:
            own = f"{name} ({copy})"
            copy += 1
        if name and own != name:
            notes = (*notes, f"column {position} is also named {name!r}; here it is called {own!r}.")
        names.append(own)
    return tuple(names), notes


def _read_json_lines(path: Path, encoding: Encoding) -> Table:
    entries: list[dict[str, Any]] = []
    with opened_text(path, encoding) as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                entries.append(_json_object(path, number, line))
    columns = tuple(dict.fromkeys(key for entry in entries for key in entry))
    return Table(columns, [[entry.get(column, ABSENT) for column in columns] for entry in entries])


def _json_object(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path}, line {number} is not JSON ({error}); each line must be one JSON object: correct that line."
        ) from error
    if not isinstance(value, dict):
        raise InputError(
            f"{path}, line {number} is a JSON {type(value).__name__}; each line must be one JSON object, as "
            '{"text": "…", "label": "…"}: correct that line.'
        )
    return value


def _write_separated(stream: IO[str], table: Table, delimiter: str) -> None:
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_cell(value) for value in row] for row in table.rows)


def _cell(value: Any) -> Any:
    if value is None or value is ABSENT:
        return ""
    return value if isinstance(value, (str, float)) else json.dumps(value, ensure_ascii=False)


def _write_comma_separated(stream: IO[str], table: Table) -> None:
    _write_separated(stream, table, "," if table.delimiter == "\t" else table.delimiter)


def _write_tab_separated(stream: IO[str], table: Table) -> None:
    _write_separated(stream, table, "\t")


def _write_json_lines(stream: IO[str], table: Table) -> None:
    for row in table.rows:
        entry = {name: value for name, value in zip(table.columns, row, strict=True) if value is not ABSENT}
        stream.write(json.dumps(entry, ensure_ascii=False) + "\n")


_READERS: dict[str, Callable[[Path, Encoding], Table]] = {
    ".csv": _read_comma_separated,
    ".tsv": _read_tab_separated,
    ".tab": _read_tab_separated,
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
}
_WRITERS: dict[str, Callable[[IO[str], Table], None]] = {
    ".csv": _write_comma_separated,
    ".tsv": _write_tab_separated,
    ".jsonl": _write_json_lines,
}


def _choose(known: dict[str, Any], path: Path, what: str, also: str = "") -> Any:
    name = path.name.lower()
    suffix = Path(name.removesuffix(".gz") if also else name).suffix
    if suffix not in known:
        raise InputError(
            f"{what} {path} ends in {suffix or 'no suffix'!r}; it must end in {', '.join(known)}{also}: rename it, or "
            "save it in one of these formats."
        )
    return known[suffix]

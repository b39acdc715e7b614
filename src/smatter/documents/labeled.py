"""Documents with the labels that some of them have, out of a table or a folder, and the way back."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from smatter.documents.tables import ABSENT, Notes, Table, read_table
from smatter.errors import InputError

TEXT_COLUMNS = (
    "text",
    "texts",
    "document",
    "body",
    "content",
    "message",
    "abstract",
    "description",
    "review",
    "comment",
)
LABEL_COLUMNS = ("label", "labels", "category", "class", "topic", "target", "tag")
_MINUS_ONE = "-1"
_WHOLE_NUMBER = re.compile(r"[+-]?\d+")
_WORDS_FOR_NOTHING = ("nan", "none", "null", "na", "n/a", "unlabeled", "unlabelled", "unknown", "?", "-")


@dataclass(frozen=True)
class LabeledDocuments:
    """Texts, the labels that some have (None for the others), and the table that is to be written back.

    ``names`` gives the value that stood in the table for each label: in JSON a category may be a number.
    """

    texts: list[str]
    labels: list[str | None]
    table: Table
    names: dict[str, Any]
    origin: str
    notes: Notes = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many documents have each label, the labels sorted."""
        return dict(sorted(Counter(label for label in self.labels if label is not None).items()))


def read_labeled_table(
    path: str | Path, text: Sequence[str] = (), label: str | None = None, encoding: str | None = None
) -> LabeledDocuments:
    """Read a table with a column of texts (or several, which are joined) and a partly empty column of labels.

    Parameters
    ----------
    path : path
        As in :func:`smatter.documents.tables.read_table`.
    text, label : columns
        Guessed by their names unless given.
    encoding : str, optional
        Found out unless given.
    """
    table = read_table(path, encoding)
    label_column = label if label is not None else _guess(table, LABEL_COLUMNS, text, "label")
    text_columns = list(text) or [_guess(table, TEXT_COLUMNS, [label_column], "text")]
    if label_column in text_columns:
        raise InputError(f"Column {label_column!r} cannot be both text and label: name two different columns.")
    names = _labels_of(table.column(label_column), label_column)
    return LabeledDocuments(
        texts=_texts_of(table, text_columns),
        labels=[None if name is None else _as_text(name) for name in names],
        table=table,
        names={_as_text(name): name for name in names if name is not None},
        origin=f"{path} (text: {', '.join(text_columns)}; label: {label_column})",
        notes=(*table.notes, *_label_notes(names)),
    )


def _guess(table: Table, known: Sequence[str], taken: Sequence[str], role: str) -> str:
    """Return the one column with a name that is common for the role, or else the only one that is left."""
    found = [column for column in table.columns if column.strip().lower() in known and column not in taken]
    left = [column for column in table.columns if column not in taken]
    if not found and taken and len(left) == 1:
        return left[0]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(map(repr, table.columns[:30])) + (", …" if len(table.columns) > 30 else "")
    if found:
        raise InputError(
            f"Columns {' and '.join(map(repr, found))} could both hold the {role}; it must be one: choose with "
            f"--{role} COLUMN."
        )
    raise InputError(
        f"None of the columns {listed} is known to hold the {role}: name it with --{role} COLUMN. (The first line "
        "must name the columns.)"
    )


def _texts_of(table: Table, columns: Sequence[str]) -> list[str]:
    parts = [[_text_value(value, row, name) for row, value in enumerate(table.column(name), 1)] for name in columns]
    return ["\n".join(part for part in row if part) for row in zip(*parts, strict=True)]


def _text_value(value: Any, row: int, column: str) -> str:
    if value is None or value is ABSENT:
        return ""
    if isinstance(value, (dict, list)):
        raise InputError(
            f"Row {row}: {column!r} is a JSON {type(value).__name__}; a text must be a string: write it as one."
        )
    return _as_text(value)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _labels_of(values: Sequence[Any], column: str) -> list[Any]:
    """Return None for unlabeled: missing, blank, and −1 where all labels are whole numbers."""
    labels = [None if _is_blank(value) else value for value in values]
    wrong = next((value for value in labels if isinstance(value, (dict, list))), None)
    if wrong is not None:
        raise InputError(
            f"{column!r} holds the JSON {type(wrong).__name__} {wrong!r}; a label must be one name or number: "
            "write it as one."
        )
    if all(_WHOLE_NUMBER.fullmatch(_as_text(label)) for label in labels if label is not None):
        return [None if label is not None and _as_text(label) == _MINUS_ONE else label for label in labels]
    return labels


def _is_blank(value: Any) -> bool:
    return value is None or value is ABSENT or value != value or (isinstance(value, str) and not value.strip())


def _label_notes(labels: Sequence[Any]) -> Notes:
    """Point out names that look like a slip: a word for "nothing", and twins but for case and spaces."""
    names = sorted({_as_text(label) for label in labels if label is not None})
    notes: Notes = ()
    for name in names:
        if name.strip().lower() in _WORDS_FOR_NOTHING:
            notes = (*notes, f"{name!r} is taken as a category; leave the cell empty if it means unlabeled.")
    twins: dict[str, list[str]] = {}
    for name in names:
        twins.setdefault(" ".join(name.lower().split()), []).append(name)
    for same in twins.values():
        if len(same) > 1:
            alike = " and ".join(map(repr, same))
            notes = (*notes, f"{alike} differ only in case or spaces; they are taken as different categories.")
    return notes

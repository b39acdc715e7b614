"""INPUT as every command takes it: a table or a folder."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from smatter.cli._messages import note
from smatter.errors import InputError

if TYPE_CHECKING:
    from smatter.documents.labeled import LabeledDocuments

Input = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT",
        help="A table (.csv, .tsv or .jsonl, perhaps .gz) with a column of texts and a partly empty column of labels; "
        "or a folder with one subfolder a category and one of unlabeled text files.",
        show_default=False,
    ),
]
Text = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Column of the texts; several are joined. Guessed by its name otherwise."),
]
Label = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="Column of the labels. Guessed by its name otherwise.")
]
Unlabeled = Annotated[
    str | None,
    typer.Option(metavar="FOLDER", help="Folder of the unlabeled files; “unlabeled” and the like are found."),
]
Encoding = Annotated[str | None, typer.Option(metavar="NAME", help="Encoding of the input. Found out otherwise.")]
SkipUnreadable = Annotated[
    bool, typer.Option("--skip-unreadable", help="Pass over files of a folder that are not text, and say which.")
]


@dataclass(frozen=True)
class Reading:
    """How INPUT is to be read."""

    text: list[str] | None = None
    label: str | None = None
    unlabeled: str | None = None
    encoding: str | None = None
    skip_unreadable: bool = False
    need_unlabeled: bool = True


def read_input(path: Path, how: Reading) -> "LabeledDocuments":
    """Read INPUT and tell the user what had to be decided on the way."""
    from smatter.documents.folders import read_labeled_folder
    from smatter.documents.labeled import read_labeled_table

    if path.is_dir():
        _refuse(path, "a folder", "a table", {"--text": how.text, "--label": how.label})
        documents = read_labeled_folder(
            path,
            how.unlabeled,
            how.encoding,
            skip_unreadable=how.skip_unreadable,
            need_unlabeled=how.need_unlabeled,
        )
    else:
        _refuse(path, "no folder", "a folder", {"--unlabeled": how.unlabeled, "--skip-unreadable": how.skip_unreadable})
        documents = read_labeled_table(path, how.text or [], how.label, how.encoding)
    for text in documents.notes:
        note(text)
    return documents


def _refuse(path: Path, kind: str, other: str, options: dict[str, object]) -> None:
    for name, value in options.items():
        if value and path.exists():
            raise InputError(f"INPUT {path} is {kind}; {name} is for {other}: leave it out.")

"""A folder with one subfolder a category and a folder of unlabeled texts."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from smatter.documents.cleaning import html_text, mail_text
from smatter.documents.encodings import FALLBACK, read_text
from smatter.documents.labeled import LabeledDocuments
from smatter.documents.tables import Notes, Table
from smatter.documents.wording import counted
from smatter.errors import InputError, UnreadableError
from smatter.progress import Progress, report

UNLABELED_FOLDERS = ("unlabeled", "unlabelled", "unsorted", "uncategorized", "inbox")
_TEXT_OF: dict[str, Callable[[str], str]] = {".eml": mail_text, ".html": html_text, ".htm": html_text}
_LITTER = ("thumbs.db", "desktop.ini")


@dataclass(frozen=True)
class _Found:
    """A file and the category that its folder gives it."""

    path: Path
    name: str
    label: str | None


def read_labeled_folder(
    folder: str | Path,
    unlabeled: str | None = None,
    encoding: str | None = None,
    *,
    skip_unreadable: bool = False,
    need_unlabeled: bool = True,
) -> LabeledDocuments:
    """Read every file below a folder; the subfolder that it lies in is its label.

    Parameters
    ----------
    folder : path
        With one subfolder a category. What lies deeper belongs to the same category. Hidden files are passed over.
    unlabeled : str, optional
        The folder of the unlabeled files, in ``folder`` or elsewhere. Unless given it is the subfolder with a usual
        name ("unlabeled", "inbox", …), or the files that lie in ``folder`` itself.
    encoding : str, optional
        Of every file; found out file by file unless given.
    skip_unreadable : bool
        Leave out files that are not text or cannot be read, and say which, instead of raising.
    need_unlabeled : bool
        Raise where there is no unlabeled text.
    """
    folder = Path(folder)
    found = [*_labeled_files(folder, unlabeled), *_unlabeled_files(folder, unlabeled, need_unlabeled)]
    texts: list[str] = []
    kept: list[_Found] = []
    refused: list[str] = []
    guessed: list[Path] = []
    for done, file in enumerate(found, 1):
        try:
            text, how = read_text(file.path, encoding)
        except UnreadableError as error:
            if not skip_unreadable:
                raise UnreadableError(f"{error} Or pass over such files with --skip-unreadable.") from error
            refused.append(str(error))
            continue
        guessed += [file.path] if how.guessed else []
        texts.append(_TEXT_OF.get(file.path.suffix.lower(), str)(text))
        kept.append(file)
        report(Progress("reading", done, len(found)))
    _refuse_lost_categories(found, kept)
    return LabeledDocuments(
        texts=texts,
        labels=[file.label for file in kept],
        table=Table(("file", "label"), [[file.name, file.label or ""] for file in kept]),
        names={file.label: file.label for file in kept if file.label is not None},
        origin=f"{folder} ({counted(len(kept), 'file')})",
        notes=_notes(guessed, refused),
    )


def _labeled_files(folder: Path, unlabeled: str | None) -> Iterator[_Found]:
    apart = _unlabeled_folder(folder, unlabeled)
    categories = [entry for entry in _subfolders(folder) if apart is None or not entry.samefile(apart)]
    if not categories:
        raise InputError(f"{folder} has no subfolder for a category; each category must be one: make them.")
    for category in categories:
        files = [path for path in _files(category) if apart is None or not path.is_relative_to(apart)]
        if not files:
            raise InputError(
                f"Category folder {category} holds no file; a category needs one labeled text at least: put one in or "
                "remove the folder."
            )
        yield from (_Found(path, str(path.relative_to(folder)), category.name) for path in files)


def _refuse_lost_categories(found: list[_Found], kept: list[_Found]) -> None:
    lost = {file.label for file in found} - {file.label for file in kept}
    if lost:
        names = ", ".join(sorted(label or "unlabeled" for label in lost))
        raise InputError(f"No file of {names} is text; each category needs one at least: convert some to plain text.")


def _unlabeled_files(folder: Path, unlabeled: str | None, needed: bool) -> Iterator[_Found]:
    apart = _unlabeled_folder(folder, unlabeled)
    loose = [] if unlabeled is not None else [path for path in _entries(folder) if path.is_file()]
    if apart is not None and loose:
        raise InputError(
            f"{folder} has both the folder {apart.name!r} and files of its own, as {loose[0].name!r}; the unlabeled "
            "texts must be in one place: move them, or name the folder with --unlabeled FOLDER."
        )
    files = loose if apart is None else list(_files(apart))
    if not files and needed:
        where = f"{apart} holds no file" if apart is not None else f"{folder} has no folder of unlabeled texts"
        raise InputError(
            f"{where}; there must be texts to categorize: put them into {folder / UNLABELED_FOLDERS[0]}, or name "
            "their folder with --unlabeled FOLDER."
        )
    for path in files:
        inside = path.is_relative_to(folder)
        yield _Found(path, str(path.relative_to(folder) if inside else path), None)


def _unlabeled_folder(folder: Path, unlabeled: str | None) -> Path | None:
    """Return the folder of the unlabeled files, None if they lie in ``folder`` itself."""
    if unlabeled is not None:
        for named in (folder / unlabeled, Path(unlabeled)):
            if named.is_dir() and not folder.resolve().is_relative_to(named.resolve()):
                return named
        raise InputError(
            f"--unlabeled {unlabeled} must be a folder in {folder}, or one elsewhere that does not hold it: correct it."
        )
    usual = [entry for entry in _subfolders(folder) if entry.name.lower() in UNLABELED_FOLDERS]
    if len(usual) > 1:
        raise InputError(
            f"{' and '.join(repr(entry.name) for entry in usual)} could both hold the unlabeled texts; it must be one: "
            "choose with --unlabeled FOLDER."
        )
    return usual[0] if usual else None


def _subfolders(folder: Path) -> list[Path]:
    return [entry for entry in _entries(folder) if entry.is_dir()]


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(entry for entry in folder.iterdir() if not _is_litter(entry.name))
    except PermissionError as error:
        raise UnreadableError(f"{folder} may not be read (permission denied): change its permissions.") from error


def _files(folder: Path) -> Iterator[Path]:
    """Yield the regular files below a folder in a fixed order; links to folders are not followed, they may loop."""
    for place, folders, files in os.walk(folder, onerror=_raise):
        folders[:] = sorted(name for name in folders if not _is_litter(name))
        yield from (path for name in sorted(files) if not _is_litter(name) and (path := Path(place, name)).is_file())


def _raise(error: OSError) -> None:
    raise UnreadableError(
        f"{error.filename} may not be read ({error.strerror or error}): change its permissions."
    ) from error


def _is_litter(name: str) -> bool:
    return name.startswith(".") or name.lower() in _LITTER


def _notes(guessed: list[Path], refused: list[str]) -> Notes:
    notes: Notes = ()
    if guessed:
        notes = (
            f"Not UTF-8, but read as {FALLBACK} (Latin-1): {counted(len(guessed), 'file')}, the first of them "
            f"{guessed[0]}. Name another encoding with --encoding if that is wrong.",
        )
    if refused:
        listed = "".join(f"\n  {reason}" for reason in refused[:5]) + ("\n  …" if len(refused) > 5 else "")
        notes = (*notes, f"{counted(len(refused), 'file')} left out:{listed}")
    return notes

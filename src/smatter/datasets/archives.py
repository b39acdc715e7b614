"""The files of an archive or folder, one after the other, as bytes: nothing is ever unpacked to disk."""

import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO

from smatter.errors import InputError, UnreadableError

Wanted = Callable[[str], bool]
LARGEST_MEMBER = 64 * 2**20
LARGEST_TOTAL = 2 * 2**30
_BROKEN = (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError)


def read_members(source: str | Path, wanted: Wanted = lambda name: True) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each wanted file of a tar or zip archive, or of an unpacked folder.

    Names use forward slashes and start at the archive's root, or at the folder's own name, so that an archive and the
    folder that it unpacks to look the same. Names that point outside, links and devices never are documents; more than
    2 GiB in all or 64 MiB in one file is refused.
    """
    path = Path(source).expanduser()
    if not path.exists():
        raise InputError(f"source={str(source)!r} does not exist; it must be an archive or a folder: correct the path.")
    total = 0
    for name, content in _reader(path)(path, wanted):
        total += len(content)
        if total > LARGEST_TOTAL:
            raise UnreadableError(
                f"{path} holds more than {LARGEST_TOTAL} bytes of text; a collection that is known here is smaller: "
                "check where the archive is from."
            )
        yield name, content


def _reader(path: Path) -> Callable[[Path, Wanted], Iterator[tuple[str, bytes]]]:
    if path.is_dir():
        return _folder_members
    return _zip_members if zipfile.is_zipfile(path) else _tar_members


def _folder_members(folder: Path, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        name = PurePosixPath(folder.resolve().name, path.relative_to(folder).as_posix()).as_posix()
        if path.is_file() and not path.is_symlink() and wanted(name):
            _check_size(folder, name, path.stat().st_size)
            yield name, path.read_bytes()


def _tar_members(archive: Path, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    try:
        with tarfile.open(archive, mode="r|*") as stream:
            for member in stream:
                if member.isreg() and wanted(_checked(archive, member.name)):
                    content = stream.extractfile(member)
                    yield member.name, _read(archive, member.name, member.size, content)
    except _BROKEN as error:
        raise _unreadable(archive, error) from error


def _zip_members(archive: Path, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    try:
        with zipfile.ZipFile(archive) as stream:
            for member in stream.infolist():
                if not member.is_dir() and wanted(_checked(archive, member.filename)):
                    with stream.open(member) as content:
                        yield member.filename, _read(archive, member.filename, member.file_size, content)
    except _BROKEN as error:
        raise _unreadable(archive, error) from error


def _read(archive: Path, name: str, size: int, content: IO[bytes] | None) -> bytes:
    _check_size(archive, name, size)
    data = b"" if content is None else content.read(LARGEST_MEMBER + 1)
    _check_size(archive, name, len(data))
    if len(data) != size:
        raise EOFError(f"{name} ends after {len(data)} of {size} bytes")
    return data


def _check_size(archive: Path, name: str, size: int) -> None:
    if size > LARGEST_MEMBER:
        raise UnreadableError(
            f"{name} in {archive} claims {size} bytes; a document has at most {LARGEST_MEMBER}: "
            "check where the archive is from."
        )


def _checked(archive: Path, name: str) -> str:
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or ".." in parts or parts[0].startswith("/"):
        raise UnreadableError(
            f"{archive} holds a file named {name!r}, which points outside of the archive; an honest archive does not: "
            "check where it is from."
        )
    return name


def _unreadable(archive: Path, error: BaseException) -> Exception:
    if isinstance(error, UnreadableError):
        return error
    return UnreadableError(
        f"{archive} cannot be read as a tar or zip archive ({type(error).__name__}: {error}); it must be whole: "
        "fetch it again, or pass source= another copy."
    )

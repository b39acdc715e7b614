"""The files of an archive or folder, one after the other, as bytes: nothing is ever unpacked to disk."""

import bz2
import gzip
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

from smatter.errors import InputError, UnreadableError

Wanted = Callable[[str], object]
LARGEST_MEMBER = 64 * 2**20
LARGEST_ARCHIVE = 512 * 2**20  # unpacked; the largest collection known here has 59 MiB
_OPENERS: dict[bytes, Callable[[Path, str], Any]] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ": lzma.open}
_BROKEN = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    ValueError,
    RuntimeError,  # an encrypted member
    NotImplementedError,  # an unknown compression
)


def read_members(source: str | Path, wanted: Wanted = lambda name: True) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each wanted file of a tar or zip archive, or of an unpacked folder.

    Names use forward slashes and start at the archive's root, or at the folder's own name, so that an archive and the
    folder that it unpacks to look the same. Links and devices are never documents; a name that points outside, a file
    of more than 64 MiB or an archive of more than 512 MiB is refused.
    """
    path = Path(source).expanduser()
    if not path.exists():
        raise InputError(f"source={str(source)!r} does not exist; it must be an archive or a folder: correct the path.")
    if path.is_dir():
        yield from _folder_members(path, wanted)
        return
    try:
        yield from (_zip_members if zipfile.is_zipfile(path) else _tar_members)(path, wanted)
    except UnreadableError:
        raise
    except _BROKEN as error:
        raise UnreadableError(
            f"{path} cannot be read as a tar or zip archive ({type(error).__name__}: {error}); it must be whole: "
            "fetch it again, or pass source= another copy."
        ) from error


def _folder_members(folder: Path, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        name = PurePosixPath(folder.resolve().name, path.relative_to(folder).as_posix()).as_posix()
        if path.is_file() and not path.is_symlink() and wanted(name):
            _check_size(folder, name, path.stat().st_size)
            yield name, path.read_bytes()


def _tar_members(archive: Path, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    with archive.open("rb") as head:
        magic = head.read(6)
    opener: Callable[[Path, str], Any] = next(
        (opener for start, opener in _OPENERS.items() if magic.startswith(start)), Path.open
    )
    with (
        opener(archive, "rb") as unpacked,
        tarfile.open(fileobj=cast(IO[bytes], _Limited(archive, unpacked)), mode="r|") as stream,
    ):
        for member in stream:
            name = _checked(archive, member.name)
            if member.isreg() and wanted(name):
                _check_size(archive, name, member.size)
                content = stream.extractfile(member)
                yield name, b"" if content is None else content.read()


def _zip_members(archive: Path, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(archive) as stream:
        members = stream.infolist()
        _check_total(archive, sum(member.file_size for member in members))
        for member in members:
            name = _checked(archive, member.filename)
            if not member.is_dir() and wanted(name):
                _check_size(archive, name, member.file_size)
                with stream.open(member) as content:
                    yield name, content.read(member.file_size + 1)


class _Limited:
    """A stream that refuses to go on for ever, whatever the compressed archive promises."""

    def __init__(self, archive: Path, stream: IO[bytes]) -> None:
        self.archive = archive
        self.stream = stream
        self.total = 0

    def read(self, size: int) -> bytes:
        block = self.stream.read(size)
        self.total += len(block)
        _check_total(self.archive, self.total)
        return block


def _check_total(archive: Path, size: int) -> None:
    if size > LARGEST_ARCHIVE:
        raise UnreadableError(
            f"{archive} unpacks to more than {LARGEST_ARCHIVE} bytes; the collections known here are smaller: "
            "check where it is from."
        )


def _check_size(archive: Path, name: str, size: int) -> None:
    if size > LARGEST_MEMBER:
        raise UnreadableError(
            f"{name} in {archive} has {size} bytes; a document has at most {LARGEST_MEMBER}: check where it is from."
        )


def _checked(archive: Path, name: str) -> str:
    path = PurePosixPath(name.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts:
        raise UnreadableError(
            f"{archive} holds a file named {name!r}, which points outside of the archive; an honest archive does not: "
            "check where it is from."
        )
    return name

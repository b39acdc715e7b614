"""Which encoding a file has, and whether it is text at all."""

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from smatter.errors import InputError, UnreadableError

FALLBACK = "Windows-1252"
_CHUNK = 2**20
_HEAD = 2**16
_MARKS = (  # UTF-32's begins like UTF-16's, so it is looked for first
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SIGNATURES = {
    b"%PDF": "a PDF",
    b"PK\x03\x04": "a zip archive or an Office document",
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"\x1f\x8b": "gzip",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"SQLite format 3": "a database",
    b"\x7fELF": "a program",
}
_CONTROLS = bytes([*range(9), *range(14, 27), *range(28, 32)])  # no text has them, but for tabs, line ends and ESC
_MOST_CONTROLS = 0.05
_NOT_IN_WINDOWS_1252 = b"\x81\x8d\x8f\x90\x9d"


@dataclass(frozen=True)
class Encoding:
    """A codec's name, and whether the file says so itself by a byte order mark."""

    codec: str
    marked: bool = False

    @property
    def guessed(self) -> bool:
        """True where the bytes are no valid Unicode, so that the encoding is a guess to tell the user of."""
        return self.codec in ("cp1252", "latin-1")


def find_encoding(path: Path, name: str | None = None) -> Encoding:
    """Return the encoding of a text file: the one that is named, by its mark, UTF-8, UTF-16, or else Windows-1252.

    Raises an error for what is not text. The file is read once, in pieces.
    """
    if name is not None:
        _check_name(name)
        return _verified(path, Encoding(name))
    with opened(path) as stream:
        head = stream.read(_HEAD)
    for mark, codec in _MARKS:
        if head.startswith(mark):
            return _verified(path, Encoding(codec, marked=True))
    _refuse_binary(path, head)
    wide = _unmarked_utf16(head)
    if wide is not None:
        return _verified(path, Encoding(wide))
    if sum(head.count(control) for control in _CONTROLS) > _MOST_CONTROLS * len(head):
        raise UnreadableError(f"{path} is not text; it must be plain text: convert it, or leave it out.")
    if _first_invalid(path, "utf-8") is None:
        return Encoding("utf-8")
    return Encoding("latin-1" if _has_any(path, _NOT_IN_WINDOWS_1252) else "cp1252")


def read_text(path: Path, name: str | None = None) -> tuple[str, Encoding]:
    """Return the text of a file, its line ends as newlines and without NUL characters, and the encoding it was in."""
    encoding = find_encoding(path, name)
    with opened(path) as stream:
        text = stream.read().decode(encoding.codec)
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""), encoding


@contextmanager
def opened_text(path: Path, encoding: Encoding) -> Iterator[IO[str]]:
    """Open a text file in a known encoding, its line ends untouched."""
    with opened(path) as stream, io.TextIOWrapper(stream, encoding=encoding.codec, newline="") as text:
        yield text


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, unpacked if its name ends in ``.gz``; what goes wrong is an ``UnreadableError`` with a remedy."""
    try:
        with gzip.open(path, "rb") if path.suffix.lower() == ".gz" else path.open("rb") as stream:
            yield stream  # type: ignore[misc]
    except FileNotFoundError as error:
        raise UnreadableError(f"{path} does not exist; it must be a file or folder: correct the path.") from error
    except PermissionError as error:
        raise UnreadableError(f"{path} may not be read (permission denied): change its permissions.") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UnreadableError(f"{path} is damaged: it cannot be unpacked ({error}): get it again.") from error


def _check_name(name: str) -> None:
    try:
        "".encode(name)
    except (LookupError, ValueError) as error:
        raise InputError(
            f"encoding {name!r} is not known; it must be one that Python knows, as utf-8, cp1252, latin-1 or utf-16: "
            "correct it."
        ) from error


def _verified(path: Path, encoding: Encoding) -> Encoding:
    wrong = _first_invalid(path, encoding.codec)
    if wrong is not None:
        raise UnreadableError(
            f"{path} is not valid {encoding.codec} near byte {wrong}; every byte must be: save it as UTF-8, or name "
            "its encoding (--encoding)."
        )
    return encoding


def _first_invalid(path: Path, codec: str) -> int | None:
    """Return about where the file stops being valid in the codec, None where it never does."""
    decoder = codecs.getincrementaldecoder(codec)()
    before = 0
    try:
        for chunk in _chunks(path):
            decoder.decode(chunk)
            before += len(chunk)
        decoder.decode(b"", final=True)
    except UnicodeError as error:
        return before + getattr(error, "start", 0)
    return None


def _has_any(path: Path, wanted: bytes) -> bool:
    return any(byte in chunk for chunk in _chunks(path) for byte in wanted)


def _chunks(path: Path) -> Iterator[bytes]:
    with opened(path) as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


def _refuse_binary(path: Path, head: bytes) -> None:
    for signature, kind in _SIGNATURES.items():
        if head.startswith(signature):
            raise UnreadableError(f"{path} is not text but {kind}; it must be plain text: convert it, or leave it out.")


def _unmarked_utf16(head: bytes) -> str | None:
    """In UTF-16 of most languages nearly every other byte is 0: which one tells the byte order."""
    pairs = len(head) // 2
    if pairs == 0:
        return None
    even, odd = head[0::2].count(0) / pairs, head[1::2].count(0) / pairs
    if odd > 0.5 and even < 0.1:
        return "utf-16-le"
    return "utf-16-be" if even > 0.5 and odd < 0.1 else None

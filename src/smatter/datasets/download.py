"""Find an official archive, or fetch it: what is fetched is checked before it is kept."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from smatter.datasets.archives import LARGEST_ARCHIVE, read_members
from smatter.datasets.folders import SETTING, cache_folder, data_folder
from smatter.errors import UnreadableError
from smatter.files import written_whole
from smatter.progress import Progress, report

_BLOCK = 2**18
_PATIENCE = 30  # seconds without a byte


@dataclass(frozen=True)
class Archive:
    """An official archive, and how to know it.

    ===========  ====================================================================================================
    ``names``    the names of its file, or of the folder that it unpacks to; the first is that of a download
    ``address``  where it is published
    ``key``      the identity of a document by its name in the archive, None for what is no document
    ``sha256``   of the published file; empty where nobody has published it
    ``content``  `content_digest` of the documents, which neither the order in the archive nor its compression changes
    ===========  ====================================================================================================
    """

    names: tuple[str, ...]
    address: str
    key: Callable[[str], str | None]
    sha256: str = ""
    content: str = ""


def obtain(archive: Archive, source: str | Path | None, download: bool) -> Path:
    """Return where the archive is: ``source``, the data folder, or the cache, into which it may be fetched."""
    if source is not None:
        return Path(source).expanduser()
    kept = cache_folder() / "archives"
    for path in (folder / name for folder in (data_folder(), kept) for name in archive.names):
        if path.exists():
            return path
    if not download:
        raise UnreadableError(
            f"{archive.names[0]} is neither in {data_folder()} nor in {kept}; a collection is read from its official "
            f"archive: set {SETTING} to the folder that holds it, pass source=, or pass download=True, which fetches "
            f"{archive.address}."
        )
    return fetch(archive, kept / archive.names[0])


def fetch(archive: Archive, target: Path) -> Path:
    """Download an archive to ``target``; nothing is left there unless it is the published one."""
    candidate = target.with_name(f"{target.name}.{os.getpid()}.unchecked")
    try:
        digest = _download(archive, candidate)
        if digest != archive.sha256 and (not archive.content or content_digest(archive, candidate) != archive.content):
            raise UnreadableError(
                f"{archive.address} gave a file with the SHA-256 {digest}, which is not the published "
                f"{target.name}; it may be damaged or changed and was not kept: try again, or fetch it from a place "
                "that you trust and pass source=."
            )
        candidate.replace(target)
    finally:
        candidate.unlink(missing_ok=True)
    return target


def content_digest(archive: Archive, path: Path) -> str:
    """Return one SHA-256 for the identities and contents of all documents, in whatever order they lie."""
    lines = sorted(
        f"{archive.key(name)}\t{hashlib.sha256(content).hexdigest()}"
        for name, content in read_members(path, archive.key)
    )
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _download(archive: Archive, target: Path) -> str:
    request = Request(archive.address, headers={"User-Agent": "smatter"})
    digest = hashlib.sha256()
    try:
        with urlopen(request, timeout=_PATIENCE) as answer, written_whole(target, "wb") as stream:
            expected, done = _length(answer), 0
            while block := answer.read(_BLOCK):
                digest.update(block)
                stream.write(block)
                done = stream.tell()
                report(Progress(f"download {archive.names[0]}", done, expected))
                if done > LARGEST_ARCHIVE:
                    raise UnreadableError(
                        f"{archive.address} gives more than {LARGEST_ARCHIVE} bytes: it is not {target}."
                    )
            if expected is not None and done < expected:
                raise HTTPException(f"the connection ended after {done} of {expected} bytes")
    except (URLError, HTTPException, TimeoutError, ConnectionError) as error:
        raise UnreadableError(
            f"{archive.address} cannot be fetched ({error}); a download needs the network: go online and try again, or "
            f"fetch it elsewhere and pass source=, or put it in the folder that {SETTING} names."
        ) from error
    return digest.hexdigest()


def _length(answer: Any) -> int | None:
    length = answer.headers.get("Content-Length", "")
    return int(length) if length.isdigit() else None

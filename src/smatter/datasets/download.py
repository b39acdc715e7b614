"""Find an official archive, or fetch it."""

from dataclasses import dataclass
from pathlib import Path

from smatter.datasets.folders import SETTING, cache_folder, data_folder
from smatter.errors import UnreadableError


@dataclass(frozen=True)
class Archive:
    """An official archive: the name of its file, and where it is published."""

    file: str
    address: str


def obtain(archive: Archive, source: str | Path | None, download: bool) -> Path:
    """Return where the archive is: ``source``, the data folder, or the cache."""
    if source is not None:
        return Path(source)
    folders = (data_folder(), cache_folder() / "archives")
    for folder in folders:
        if (folder / archive.file).exists():
            return folder / archive.file
    raise UnreadableError(
        f"{archive.file} is neither in {folders[0]} nor in {folders[1]}; a collection is read from its official "
        f"archive: set {SETTING} to the folder that holds it, pass source=, or pass download=True ({archive.address})."
    )

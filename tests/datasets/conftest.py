"""Small archives, made up by the tests, and folders of their own."""

import gzip
import io
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

MakeTar = Callable[..., Path]


def write_tar(path: Path, files: Mapping[str, bytes], mode: str = "w:gz") -> Path:
    """Write a tar archive of these files."""
    with tarfile.open(path, mode) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return path


def write_folder(path: Path, files: Mapping[str, bytes]) -> Path:
    """Write the files into a folder."""
    for name, content in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(content)
    return path


@pytest.fixture
def make_tar(tmp_path: Path) -> MakeTar:
    """Make a tar archive of files in a folder of the test's own."""
    return lambda files, name="made.tar.gz", mode="w:gz": write_tar(tmp_path / name, files, mode)


@pytest.fixture
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Point the data folder and the cache to empty folders."""
    data = tmp_path / "data"
    data.mkdir()
    monkeypatch.setenv("SMATTER_DATA", str(data))
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


@pytest.fixture
def compressed_zeros(tmp_path: Path) -> Path:
    """A small file that unpacks to a large one."""
    path = tmp_path / "zeros.tar.gz"
    member = tarfile.TarInfo("20_newsgroups/sci.med/1")
    member.size = 2**20
    with gzip.open(path, "wb") as stream:
        stream.write(member.tobuf())
        stream.write(bytes(2**20))
    return path

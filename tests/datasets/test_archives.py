"""Archives are read from the stream, whole or not at all, and never trusted."""

import bz2
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smatter.datasets import archives
from smatter.datasets.archives import read_members
from smatter.errors import InputError, UnreadableError

FILES = {"set/a/1": b"one", "set/b/2": b"two \xff", "set/b/notes.txt": b"no"}


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_tar_of_any_compression(make_tar, mode):
    assert dict(read_members(make_tar(FILES, mode=mode))) == FILES


def test_zip_and_folder_look_like_the_tar(tmp_path):
    with zipfile.ZipFile(tmp_path / "made.zip", "w") as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    assert dict(read_members(tmp_path / "made.zip")) == FILES
    assert dict(read_members(tmp_path / "set")) == FILES


def test_only_wanted_files_are_read(make_tar):
    wanted = read_members(make_tar(FILES), lambda name: name.endswith("/2"))
    assert dict(wanted) == {"set/b/2": b"two \xff"}


def test_missing_source():
    with pytest.raises(InputError, match=r"'nowhere\.tar' does not exist; .* correct the path"):
        list(read_members("nowhere.tar"))


@pytest.mark.parametrize("name", ["../../outside", "/etc/passwd", "set/../../outside", "..\\outside"])
def test_names_that_point_outside_are_refused(make_tar, tmp_path, name):
    with pytest.raises(UnreadableError, match=r"points outside of the archive"):
        list(read_members(make_tar({"set/a/1": b"one", name: b"bad"})))
    assert not (tmp_path.parent / "outside").exists()


def test_zip_names_that_point_outside_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "slip.zip", "w") as archive:
        archive.writestr("../outside", b"bad")
    with pytest.raises(UnreadableError, match=r"points outside of the archive"):
        list(read_members(tmp_path / "slip.zip"))


def test_links_and_devices_are_no_documents(tmp_path):
    path = tmp_path / "links.tar"
    with tarfile.open(path, "w") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            member = tarfile.TarInfo(f"set/a/{kind.decode()}")
            member.type, member.linkname = kind, "/etc/passwd"
            archive.addfile(member)
        archive.addfile(tarfile.TarInfo("set/a/real"), io.BytesIO())
    assert dict(read_members(path)) == {"set/a/real": b""}


def test_links_in_a_folder_are_not_followed(tmp_path):
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "1").symlink_to(tmp_path / "secret")
    assert dict(read_members(tmp_path / "set")) == {}


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_truncated_archive(make_tar, mode, share):
    path = make_tar({f"set/a/{number}": bytes(range(256)) * 50 for number in range(50)}, mode=mode)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(UnreadableError, match=r"cannot be read as a tar or zip archive .* fetch it again"):
        list(read_members(path))


def test_tar_cut_within_a_file(make_tar):
    path = make_tar({"set/a/1": bytes(10_000)}, mode="w")
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(UnreadableError, match="cannot be read"):
        list(read_members(path))


@pytest.mark.parametrize("content", [b"", b"no archive", b"\x1f\x8bno gzip", b"PK\x03\x04no zip"])
def test_no_archive(tmp_path, content):
    path = tmp_path / "wrong.tar.gz"
    path.write_bytes(content)
    with pytest.raises(UnreadableError, match="cannot be read"):
        list(read_members(path))


def test_large_file_is_refused(monkeypatch, make_tar):
    monkeypatch.setattr(archives, "LARGEST_MEMBER", 1000)
    with pytest.raises(UnreadableError, match=r"set/a/1 in .* has 1001 bytes; a document has at most 1000"):
        list(read_members(make_tar({"set/a/1": bytes(1001)})))


def test_archive_that_unpacks_without_end_is_refused(monkeypatch, compressed_zeros):
    monkeypatch.setattr(archives, "LARGEST_ARCHIVE", 2**18)
    with pytest.raises(UnreadableError, match="unpacks to more than 262144 bytes"):
        list(read_members(compressed_zeros, lambda name: False))


def test_zip_that_unpacks_without_end_is_refused(monkeypatch, tmp_path):
    with zipfile.ZipFile(tmp_path / "zeros.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("set/a/1", bytes(2**20))
    monkeypatch.setattr(archives, "LARGEST_ARCHIVE", 2**18)
    with pytest.raises(UnreadableError, match="unpacks to more than"):
        list(read_members(tmp_path / "zeros.zip"))


def _tar_bytes() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in FILES.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


WHOLE = _tar_bytes()
PACKERS = [bytes, bz2.compress, lzma.compress]


@settings(max_examples=150, deadline=None)
@given(
    changes=st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), min_size=1, max_size=8),
    pack=st.sampled_from(PACKERS),
)
def test_damaged_archive_is_read_or_refused(tmp_path_factory, changes, pack):
    damaged = bytearray(WHOLE)
    for position, value in changes:
        damaged[position] = value
    path = Path(tmp_path_factory.mktemp("damaged")) / "damaged.tar"
    path.write_bytes(pack(bytes(damaged)))
    try:
        list(read_members(path))
    except UnreadableError as error:
        assert "damaged.tar" in str(error)

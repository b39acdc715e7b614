"""Downloads, from a server of the test's own."""

import hashlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from smatter.datasets.download import Archive, content_digest, obtain
from smatter.errors import UnreadableError
from smatter.progress import listening

FILES = {"set/a/1": b"one", "set/a/2": b"two"}


class _Server(ThreadingHTTPServer):
    content = b""
    status = 200
    claimed_length: int | None = None
    requests = 0


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        self.server.requests += 1
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(self.server.claimed_length or len(self.server.content)))
        self.end_headers()
        self.wfile.write(self.server.content)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server(own_folders):
    with _Server(("127.0.0.1", 0), _Handler) as running:
        Thread(target=running.serve_forever, daemon=True).start()
        yield running
        running.shutdown()


def _key(name: str) -> str | None:
    return name if name.count("/") == 2 else None


def _archive(server: _Server, sha256: str = "", content: str = "") -> Archive:
    return Archive(("set.tar.gz", "set"), f"http://127.0.0.1:{server.server_port}/set.tar.gz", _key, sha256, content)


def _kept(own_folders: Path) -> list[Path]:
    return [path for path in (own_folders / "cache").rglob("*") if path.is_file()]


def test_download_with_the_right_checksum_is_kept_and_used_again(server, make_tar, own_folders):
    server.content = make_tar(FILES).read_bytes()
    archive = _archive(server, hashlib.sha256(server.content).hexdigest())
    path = obtain(archive, None, True)
    assert path.read_bytes() == server.content
    assert _kept(own_folders) == [path]
    assert obtain(archive, None, True) == obtain(archive, None, False) == path
    assert server.requests == 1


def test_download_reports_progress_up_to_its_length(server, make_tar):
    server.content = make_tar({"set/a/1": bytes(range(256)) * 4000}, mode="w").read_bytes()
    seen = []
    with listening(seen.append):
        obtain(_archive(server, hashlib.sha256(server.content).hexdigest()), None, True)
    assert len(seen) > 2
    assert [step.done for step in seen] == sorted(step.done for step in seen)
    assert seen[-1].done == seen[-1].total == len(server.content)
    assert seen[0].what == "download set.tar.gz"


def test_other_compression_of_the_same_documents_is_kept(server, make_tar):
    digest = content_digest(_archive(server), make_tar(FILES))
    server.content = make_tar(dict(reversed(FILES.items())), "other.tar", "w").read_bytes()
    assert obtain(_archive(server, "0" * 64, digest), None, True).read_bytes() == server.content


@pytest.mark.parametrize("content", ["", "f" * 64])
def test_wrong_checksum_is_refused_and_nothing_is_kept(server, make_tar, own_folders, content):
    server.content = make_tar(FILES).read_bytes()
    with pytest.raises(UnreadableError, match=r"SHA-256 [0-9a-f]{64}, which is not the published set\.tar\.gz"):
        obtain(_archive(server, "0" * 64, content), None, True)
    assert _kept(own_folders) == []


def test_archive_that_nobody_has_published_a_checksum_of_is_never_kept(server, make_tar, own_folders):
    server.content = make_tar(FILES).read_bytes()
    with pytest.raises(UnreadableError, match="was not kept"):
        obtain(_archive(server), None, True)
    assert _kept(own_folders) == []


def test_one_changed_byte_changes_the_content(make_tar, server):
    digests = {
        content_digest(_archive(server), make_tar(files))
        for files in (FILES, FILES | {"set/a/2": b"twO"}, {"set/a/1": b"two", "set/a/2": b"one"}, {"set/a/1": b"one"})
    }
    assert len(digests) == 4


def test_connection_that_ends_early(server, make_tar, own_folders):
    server.content = make_tar(FILES).read_bytes()
    server.claimed_length = len(server.content) + 100
    with pytest.raises(UnreadableError, match=r"cannot be fetched .* pass source="):
        obtain(_archive(server, "0" * 64), None, True)
    assert _kept(own_folders) == []


def test_page_that_is_gone(server, own_folders):
    server.status = 404
    with pytest.raises(UnreadableError, match=r"cannot be fetched \(HTTP Error 404"):
        obtain(_archive(server, "0" * 64), None, True)
    assert _kept(own_folders) == []


def test_offline(server):
    port = server.server_port
    server.shutdown()
    server.server_close()
    archive = Archive(("set.tar.gz",), f"http://127.0.0.1:{port}/set.tar.gz", _key, "0" * 64)
    with pytest.raises(UnreadableError, match=r"cannot be fetched .* go online and try again"):
        obtain(archive, None, True)


def test_nothing_is_fetched_unless_asked_for(server):
    with pytest.raises(UnreadableError, match=r"set SMATTER_DATA .* pass source=, or pass download=True"):
        obtain(_archive(server), None, False)
    assert server.requests == 0


def test_source_comes_first_then_the_data_folder(server, own_folders, make_tar):
    archive = _archive(server)
    (own_folders / "data" / "set").mkdir()
    assert obtain(archive, None, True) == own_folders / "data" / "set"
    packed = make_tar(FILES, "data/set.tar.gz")
    assert obtain(archive, None, True) == packed
    assert obtain(archive, own_folders / "elsewhere.tar", True) == own_folders / "elsewhere.tar"
    assert server.requests == 0

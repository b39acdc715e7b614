import gzip
import os
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smatter.documents.encodings import find_encoding, read_text
from smatter.errors import InputError, UnreadableError

TEXT = "Grüße aus Łódź: naïve œuvre, 42 €\n"


@contextmanager
def unprivileged():
    """Root may read everything, so that permissions are tested as nobody."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize(
    ("codec", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-32", "utf-32"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
    ],
)
def test_unicode_is_recognized_with_and_without_a_mark(tmp_path, codec, found):
    path = tmp_path / "letter.txt"
    path.write_bytes(TEXT.encode(codec))
    text, encoding = read_text(path)
    assert (text, encoding.codec, encoding.guessed) == (TEXT, found, False)
    assert encoding.marked == (codec in ("utf-8-sig", "utf-16", "utf-32"))


def test_what_is_no_unicode_is_read_as_windows_1252_and_that_is_a_guess(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_bytes("Grüße, 42 €".encode("cp1252"))
    text, encoding = read_text(path)
    assert text == "Grüße, 42 €"
    assert encoding.guessed
    path.write_bytes(b"caf\xe9 \x81")  # 0x81 is nothing in Windows-1252
    assert find_encoding(path).codec == "latin-1"


def test_invalid_bytes_far_into_the_file_are_seen(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_bytes(b"a" * (3 * 2**20) + b"\xe9")
    assert find_encoding(path).codec == "cp1252"


def test_a_named_encoding_is_used_and_checked(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_bytes("Ж".encode("koi8-r"))
    assert read_text(path, "koi8-r")[0] == "Ж"
    with pytest.raises(UnreadableError, match=r"not valid ascii near byte 0; .*--encoding"):
        read_text(path, "ascii")
    for name in ("klingon", "base64"):
        with pytest.raises(InputError, match=f"encoding '{name}' is not known"):
            read_text(path, name)


def test_a_marked_file_that_is_damaged_is_refused(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_bytes(TEXT.encode("utf-16")[:-1])
    with pytest.raises(UnreadableError, match="not valid utf-16"):
        read_text(path)


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%PDF-1.7\nplain enough", "a PDF"),
        (b"PK\x03\x04rest", "a zip archive or an Office document"),
        (b"\x89PNG\r\n", "a picture"),
        (b"SQLite format 3\x00", "a database"),
    ],
)
def test_known_binary_formats_are_refused_by_name(tmp_path, content, kind):
    path = tmp_path / "letter.txt"
    path.write_bytes(content)
    with pytest.raises(UnreadableError, match=f"not text but {kind}; it must be plain text: convert it"):
        read_text(path)


def test_other_binary_files_are_refused(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_bytes(bytes(range(256)) * 20)
    with pytest.raises(UnreadableError, match="is not text"):
        read_text(path)


def test_a_few_nul_characters_do_not_make_a_file_binary(tmp_path):
    path = tmp_path / "letter.txt"
    path.write_bytes(b"some words" * 10 + b"\0" + b"and more" * 10)
    assert "\0" not in read_text(path)[0]


def test_gzip_is_unpacked_and_damage_is_said(tmp_path):
    path = tmp_path / "letter.txt.gz"
    packed = gzip.compress(TEXT.encode())
    path.write_bytes(packed)
    assert read_text(path)[0] == TEXT
    for damaged in (b"no gzip at all", packed[:-9], packed[:12] + b"\xff" * 20):
        path.write_bytes(damaged)
        with pytest.raises(UnreadableError, match="damaged"):
            read_text(path)


def test_missing_and_forbidden_files(tmp_path):
    with pytest.raises(UnreadableError, match=r"nothing\.txt does not exist"):
        read_text(tmp_path / "nothing.txt")
    path = tmp_path / "secret.txt"
    path.write_text("secret")
    path.chmod(0)
    tmp_path.chmod(0o755)
    with pytest.raises(UnreadableError, match="may not be read"), unprivileged():
        read_text(path)


def test_an_empty_file_is_an_empty_text(tmp_path):
    path = tmp_path / "empty.txt"
    path.touch()
    assert read_text(path)[0] == ""


@given(st.text(alphabet=st.characters(exclude_characters="\0\r", exclude_categories=["Cs", "Cc"])))
def test_any_utf8_comes_back(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_bytes(b"words, " * 4 + text.encode())
    read, encoding = read_text(path)
    if encoding.codec == "utf-8":
        assert read == "words, " * 4 + text

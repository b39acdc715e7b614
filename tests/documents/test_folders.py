import os

import pytest

from smatter.documents.folders import read_labeled_folder
from smatter.errors import InputError, UnreadableError


@pytest.fixture
def folder(tmp_path):
    """Two categories, one of them nested, and two unlabeled texts."""
    for name, text in {
        "ham/1.txt": "about ham",
        "ham/deep/2.txt": "more ham",
        "spam/1.txt": "about spam",
        "unlabeled/a.txt": "what is it",
        "unlabeled/b.txt": "and this",
    }.items():
        path = tmp_path / "mail" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "mail"


def test_subfolders_are_categories(folder):
    (folder / ".DS_Store").write_bytes(b"\0\1")
    (folder / "ham" / ".hidden").write_bytes(b"\0\1")
    documents = read_labeled_folder(folder)
    assert documents.table.columns == ("file", "label")
    assert documents.table.rows == [
        ["ham/1.txt", "ham"],
        ["ham/deep/2.txt", "ham"],
        ["spam/1.txt", "spam"],
        ["unlabeled/a.txt", ""],
        ["unlabeled/b.txt", ""],
    ]
    assert documents.labels == ["ham", "ham", "spam", None, None]
    assert documents.texts[1] == "more ham"


def test_the_unlabeled_folder_can_be_named_inside_or_elsewhere(folder, tmp_path):
    (folder / "unlabeled").rename(folder / "new")
    assert read_labeled_folder(folder, "new").labels.count(None) == 2
    (folder / "new").rename(tmp_path / "elsewhere")
    documents = read_labeled_folder(folder, str(tmp_path / "elsewhere"))
    assert documents.table.rows[-1] == [str(tmp_path / "elsewhere" / "b.txt"), ""]


def test_files_of_the_folder_itself_are_unlabeled(folder):
    (folder / "unlabeled" / "a.txt").rename(folder / "a.txt")
    with pytest.raises(InputError, match="has both the folder 'unlabeled' and files of its own"):
        read_labeled_folder(folder)
    (folder / "unlabeled" / "b.txt").unlink()
    (folder / "unlabeled").rmdir()
    assert read_labeled_folder(folder).table.rows[-1] == ["a.txt", ""]


def test_nothing_to_categorize(folder):
    (folder / "unlabeled").rename(folder / "toast")
    with pytest.raises(InputError, match=r"no folder of unlabeled texts; .*--unlabeled FOLDER"):
        read_labeled_folder(folder)
    assert set(read_labeled_folder(folder, need_unlabeled=False).labels) == {"ham", "spam", "toast"}
    (folder / "unlabeled").mkdir()
    with pytest.raises(InputError, match="unlabeled holds no file"):
        read_labeled_folder(folder)


def test_an_empty_category(folder):
    (folder / "toast").mkdir()
    with pytest.raises(InputError, match=r"Category folder .*toast holds no file; a category needs one labeled text"):
        read_labeled_folder(folder)


def test_no_category_at_all(tmp_path):
    with pytest.raises(InputError, match="has no subfolder for a category"):
        read_labeled_folder(tmp_path)


def test_two_candidates_and_no_such_folder(folder):
    (folder / "Inbox").mkdir()
    with pytest.raises(InputError, match="'Inbox' and 'unlabeled' could both hold the unlabeled texts"):
        read_labeled_folder(folder)
    with pytest.raises(InputError, match="--unlabeled nowhere must be a folder in"):
        read_labeled_folder(folder, "nowhere")
    with pytest.raises(InputError, match="does not hold it"):
        read_labeled_folder(folder, str(folder.parent))


def test_files_that_are_not_text_are_refused_or_left_out_aloud(folder):
    (folder / "unlabeled" / "scan.pdf").write_bytes(b"%PDF-1.7")
    with pytest.raises(UnreadableError, match=r"scan\.pdf is not text but a PDF; .*--skip-unreadable"):
        read_labeled_folder(folder)
    documents = read_labeled_folder(folder, skip_unreadable=True)
    assert len(documents.texts) == 5
    assert "1 file left out:" in documents.notes[0] and "scan.pdf" in documents.notes[0]
    (folder / "toast").mkdir()
    (folder / "toast" / "photo.jpg").write_bytes(b"\xff\xd8\xff")
    with pytest.raises(InputError, match="No file of toast is text"):
        read_labeled_folder(folder, skip_unreadable=True)


def test_what_surrounds_the_text_of_mail_and_pages_is_dropped(folder):
    (folder / "unlabeled" / "c.eml").write_text("Received: from nowhere\nSubject: axles\n\nGrease them.")
    (folder / "unlabeled" / "d.html").write_text("<html><script>var x;</script><p>Two</p><p>words</p>")
    assert read_labeled_folder(folder).texts[-2:] == ["axles\nGrease them.", "Two words"]


def test_encodings_that_are_guessed_are_said(folder):
    (folder / "ham" / "3.txt").write_bytes("Schinken für alle".encode("latin-1"))
    documents = read_labeled_folder(folder)
    assert "Schinken für alle" in documents.texts
    assert "1 file, the first of them" in documents.notes[0]


def test_links_to_folders_and_pipes_are_passed_over(folder):
    (folder / "ham" / "loop").symlink_to(folder)
    os.mkfifo(folder / "ham" / "pipe")
    assert len(read_labeled_folder(folder).texts) == 5

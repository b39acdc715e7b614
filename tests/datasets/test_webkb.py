"""WebKB, from archives like the official ones."""

import pytest

from smatter.datasets import load_webkb, load_webkb_cotraining
from smatter.errors import InputError, UnreadableError

HEAD = b"MIME-Version: 1.0\nServer: CERN/3.0\nContent-type: text/html\n\n"
PAGES = {
    "webkb/course/cornell/http:^^x.edu^cs1": HEAD + b"<title>CS 1</title><h1>Exams</h1>in <b>M</b>ay &eacute;\xe9",
    "webkb/student/misc/http:^^x.edu^ann": b"<p>Ann<p>Bob",
    "webkb/staff/misc/http:^^x.edu^joe": b"Joe",
    "webkb/README": b"no page",
}
VIEWS = {
    "course-cotrain-data/fulltext/course/a": b"<p>Exams",
    "course-cotrain-data/inlinks/course/a": b"CS 1",
    "course-cotrain-data/fulltext/non-course/b": b"Ann",
    "course-cotrain-data/inlinks/non-course/b": b"my <i>home</i>",
    "course-cotrain-data/fulltext/non-course/without-links": b"Joe",
}


def test_four_classes(make_tar):
    loaded = load_webkb(source=make_tar(PAGES))
    assert loaded.documents == ["CS 1 Exams in May éé", "Ann Bob"]
    assert loaded.labels.tolist() == ["course", "student"]
    assert loaded.ids[0] == "course/cornell/http:^^x.edu^cs1"
    assert loaded.name == "webkb"


def test_other_classes(make_tar):
    assert load_webkb(classes="staff", source=make_tar(PAGES)).documents == ["Joe"]
    with pytest.raises(InputError, match=r"classes=\('dean',\) must be some of"):
        load_webkb(classes=("dean",))
    with pytest.raises(InputError, match=r"classes=\(\) must be some of"):
        load_webkb(classes=())


def test_archive_without_pages(make_tar):
    archive = make_tar({"a": b""})
    with pytest.raises(UnreadableError, match="holds no pages"):
        load_webkb(source=archive)
    with pytest.raises(UnreadableError, match="holds no pages in fulltext"):
        load_webkb_cotraining(source=archive)


def test_two_views_of_each_page(make_tar):
    loaded = load_webkb_cotraining(source=make_tar(VIEWS))
    assert loaded.views == {"page": ["Exams", "Ann"], "links": ["CS 1", "my home"]}
    assert loaded.documents == ["Exams\nCS 1", "Ann\nmy home"]
    assert loaded.labels.tolist() == ["course", "non-course"]

"""20 Newsgroups, from archives like the official ones."""

import pytest

from smatter.datasets import load_20newsgroups
from smatter.errors import InputError, UnreadableError

FIRST = (
    b"Path: a!b!c\nFrom: ann@example.org (Ann)\nNewsgroups: sci.med,sci.space\nSubject: Re: fever\n"
    b"Followup-To: sci.med\nXref: host sci.med:1\nLines: 2\n\n> Is it high?\nIt is caf\xe9.\n-- \nAnn"
)
SECOND = b"Newsgroups: rec.autos\nSubject: oil\n\nThin.\n"
ORIGINAL = {"20_newsgroups/sci.med/59": FIRST, "20_newsgroups/rec.autos/7": SECOND, "20_newsgroups/notes.txt": b"no"}
BY_DATE = {"20news-bydate-train/sci.med/59": FIRST, "20news-bydate-test/rec.autos/7": SECOND}


def test_original_version(make_tar):
    loaded = load_20newsgroups(source=make_tar(ORIGINAL))
    assert loaded.labels.tolist() == ["rec.autos", "sci.med"]
    assert loaded.documents == ["oil\nThin.\n", "Re: fever\n> Is it high?\nIt is café.\n-- \nAnn"]
    assert loaded.ids == ("20_newsgroups/rec.autos/7", "20_newsgroups/sci.med/59")


def test_order_in_the_archive_does_not_matter(make_tar):
    again = load_20newsgroups(source=make_tar(dict(reversed(ORIGINAL.items()))))
    assert again.ids == ("20_newsgroups/rec.autos/7", "20_newsgroups/sci.med/59")


@pytest.mark.parametrize(
    ("headers", "start"),
    [("none", "> Is"), ("subject", "Re: fever\n> Is"), ("safe", "ann@example.org (Ann)\nRe: fever\n>")],
)
def test_headers(make_tar, headers, start):
    text = load_20newsgroups(headers=headers, source=make_tar(ORIGINAL)).documents[1]
    assert text.startswith(start)
    assert "sci.med" not in text
    assert "sci.space" not in text


def test_own_words(make_tar):
    loaded = load_20newsgroups(headers="none", body="own", source=make_tar(ORIGINAL))
    assert loaded.documents == ["Thin.", "It is café."]


@pytest.mark.parametrize(
    ("subset", "labels"), [("all", ["rec.autos", "sci.med"]), ("train", ["sci.med"]), ("test", ["rec.autos"])]
)
def test_by_date(make_tar, subset, labels):
    loaded = load_20newsgroups("bydate", subset, source=make_tar(BY_DATE))
    assert sorted(loaded.labels) == labels
    assert loaded.name == {"all": "20newsgroups-bydate"}.get(subset, f"20newsgroups-bydate-{subset}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"version": "18828"}, r"version='18828' must be one of \['19997', 'bydate'\]"),
        ({"headers": "all"}, r"headers='all' must be one of"),
        ({"body": "half"}, r"body='half' must be one of"),
        ({"version": "bydate", "subset": "dev"}, r"subset='dev' must be one of"),
        ({"subset": "train"}, r"subset='train' needs version='bydate'"),
    ],
)
def test_unknown_options(options, message):
    with pytest.raises(InputError, match=message):
        load_20newsgroups(**options)


def test_archive_without_messages(make_tar):
    with pytest.raises(UnreadableError, match="holds no messages of version '19997'"):
        load_20newsgroups(source=make_tar({"readme": b""}))


def test_missing_archive(own_folders):
    with pytest.raises(UnreadableError, match=r"20news-19997\.tar\.gz is neither in"):
        load_20newsgroups()

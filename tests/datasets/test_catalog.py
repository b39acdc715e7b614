"""Collections by name, and the real ones."""

import time
from collections import Counter

import pytest

from smatter.datasets import load, names, stop_words
from smatter.datasets.catalog import AGAINST_COMP, COMP, PAIRS
from smatter.datasets.download import content_digest, obtain
from smatter.datasets.newsgroups import ARCHIVES
from smatter.datasets.reuters import ARCHIVE
from smatter.datasets.webkb import PAGES, TWO_VIEWS
from smatter.errors import InputError, UnreadableError


def test_unknown_name():
    with pytest.raises(InputError, match=r"collection 'iris' must be one of \['20newsgroups'"):
        load("iris")


def test_options_go_to_the_loader(make_tar):
    archive = make_tar(
        {"20news-bydate-test/comp.graphics/1": b"Subject: a\n\n> b\nc", "20news-bydate-test/rec.autos/2": b"d"}
    )
    with pytest.raises(InputError, match="has no class"):  # a task of nine groups, of which the archive has two
        load("20newsgroups-comp-rec", source=archive)
    assert load("20newsgroups-bydate", archive, headers="none", body="own").documents == ["c", "d"]


def test_comp_against_rec_is_without_headers_and_quotes(make_tar):
    message = b"Subject: axle\n\n> quoted\nown\n-- \nsigned"
    groups = (*COMP, *AGAINST_COMP["rec"])
    archive = make_tar({f"20news-bydate-train/{group}/{number}": message for number, group in enumerate(groups)})
    task = load("20newsgroups-comp-rec", source=archive)
    assert set(task.documents) == {"own"}
    assert Counter(task.labels) == {"comp": 5, "rec": 4}
    assert task.name == "20newsgroups-comp-rec"
    assert load("20newsgroups-comp-rec", source=archive, headers="subject").documents[0] == "axle\nown"


def test_stop_lists_come_from_the_data_folder(own_folders):
    with pytest.raises(UnreadableError, match=r"stop list 'cacm' is not in .*stopwords-cacm\.txt.* set SMATTER_DATA"):
        stop_words("cacm")
    (own_folders / "data" / "stopwords-cacm.txt").write_text("the\nof the\n")
    assert stop_words("cacm") == ["of", "the"]
    (own_folders / "list").write_text("a b")
    assert stop_words("smart", own_folders / "list") == ["a", "b"]
    with pytest.raises(InputError, match=r"stop list 'nltk' must be one of \['cacm', 'smart'\]"):
        stop_words("nltk")


SIZES = {
    "20newsgroups": (19_997, 20),
    "20newsgroups-bydate": (18_846, 20),
    "20newsgroups-bydate-train": (11_314, 20),
    "20newsgroups-bydate-test": (7_532, 20),
    "20newsgroups-comp-rec": (8_870, 2),
    "20newsgroups-comp-sci": (8_843, 2),
    "20newsgroups-comp-talk": (8_144, 2),
    "20newsgroups-ibm-mac": (1_945, 2),
    "20newsgroups-space-christian": (1_984, 2),
    "20newsgroups-baseball-hockey": (1_993, 2),
    "webkb": (4_199, 4),
    "webkb-7": (8_281, 7),
    "webkb-cotraining": (1_051, 2),
    "reuters": (8_246, 10),
    "abalone": (3_842, 2),
    "digits": (1_797, 2),
    "digits-ten": (1_797, 10),
}
CLASS_SIZES = {
    "20newsgroups": {"soc.religion.christian": 997, "sci.med": 1000, "alt.atheism": 1000},
    "20newsgroups-comp-rec": {"comp": 4891, "rec": 3979},
    "20newsgroups-comp-sci": {"comp": 4891, "sci": 3952},
    "20newsgroups-comp-talk": {"comp": 4891, "talk": 3253},
    "webkb": {"course": 930, "faculty": 1124, "project": 504, "student": 1641},
    "webkb-cotraining": {"course": 230, "non-course": 821},
    "reuters": {"earn": 3945, "acq": 2362, "coffee": 116},
    "abalone": {"10-15": 1820, "5-9": 2022},
}


def test_every_collection_has_its_size_here():
    assert set(SIZES) == set(names())
    assert {f"20newsgroups-{pair}" for pair in PAIRS} <= set(SIZES)


@pytest.mark.data
@pytest.mark.parametrize("name", SIZES)
def test_real_sizes_within_ten_seconds(name):
    start = time.process_time()
    loaded = load(name)
    assert time.process_time() - start < 10
    assert (len(loaded), len(loaded.classes)) == SIZES[name]
    sizes = Counter(loaded.labels)
    assert CLASS_SIZES.get(name, {}).items() <= sizes.items()
    assert len(set(loaded.ids)) == len(loaded)


@pytest.mark.data
@pytest.mark.parametrize(
    "archive", [*ARCHIVES.values(), PAGES, TWO_VIEWS, ARCHIVE], ids=lambda archive: archive.names[0]
)
def test_content_of_the_real_archives_is_the_published_one(archive):
    assert content_digest(archive, obtain(archive, None, False)) == archive.content


@pytest.mark.data
def test_real_messages_do_not_name_their_group():
    loaded = load("20newsgroups", headers="safe")
    leaking = sum(label in text[:300] for text, label in zip(loaded.documents, loaded.labels, strict=True))
    assert leaking < 0.02 * len(loaded)  # some subjects and first lines name the group themselves


@pytest.mark.data
def test_real_stop_lists():
    assert (len(stop_words("cacm")), len(stop_words("smart"))) == (428, 570)  # the file of 571 has one word twice


@pytest.mark.data
def test_abalone_is_the_published_file():
    from hashlib import sha256

    from smatter.datasets.tables import ABALONE

    assert sha256(obtain(ABALONE, None, False).read_bytes()).hexdigest() == ABALONE.sha256

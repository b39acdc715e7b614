"""Counts from the cache are the counts that would be made."""

import io
import multiprocessing
import tarfile
from pathlib import Path

import numpy as np
import pytest

from smatter.datasets import load
from smatter.errors import InputError
from smatter.experiments import inputs
from smatter.experiments.characteristics import PRINTED, Characteristics, characteristics, table
from smatter.experiments.inputs import counts
from smatter.features.counts import WordCounts


@pytest.fixture
def own_archive(tmp_path, monkeypatch) -> Path:
    """Put a small archive of 20 Newsgroups and a stop list into a data folder of the test's own."""
    monkeypatch.setenv("SMATTER_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "stopwords-cacm.txt").write_text("the\n")
    with tarfile.open(tmp_path / "data" / "20news-19997.tar.gz", "w:gz") as archive:
        for number in range(12):
            content = f"Subject: topic {number % 3}\n\nthe common word {number % 2} naïve".encode("latin-1")
            member = tarfile.TarInfo(f"20_newsgroups/{('sci.med', 'rec.autos')[number % 2]}/{number}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return tmp_path


def _files(folder: Path) -> list[Path]:
    return sorted((folder / "cache" / "smatter" / "counts").iterdir())


def _equal(one: inputs.CountedCollection, other: inputs.CountedCollection) -> bool:
    same = (one.X != other.X).nnz == 0 and one.X.dtype == other.X.dtype
    return same and np.array_equal(one.labels, other.labels) and np.array_equal(one.words, other.words)


def test_made_once_then_read(own_archive, monkeypatch):
    first = counts("20newsgroups", min_df=2)
    collection = load("20newsgroups")
    expected = WordCounts(min_df=2, stop_words=["the"]).fit_transform(collection.documents)
    assert (expected != first.X).nnz == 0
    assert first.labels.tolist() == collection.labels.tolist()
    assert "the" not in first.words
    monkeypatch.setattr(inputs, "load", lambda *arguments, **options: pytest.fail("made again"))
    second = counts("20newsgroups", min_df=2)
    assert _equal(first, second)
    assert second.X.has_canonical_format
    assert [second.labels.dtype, second.words.dtype] == [object, object]
    assert type(second.labels[0]) is type(second.words[0]) is str
    assert len(_files(own_archive)) == 1


def test_other_recipes_are_kept_apart(own_archive):
    plain = counts("20newsgroups", min_df=2, stop_words=None)
    assert "the" in plain.words
    assert "topic" not in counts("20newsgroups", min_df=2, load_options={"headers": "none"}).words
    assert counts("20newsgroups", min_df=2, binary=True).X.max() == 1
    assert len(_files(own_archive)) == 3
    counts("20newsgroups", min_df=2, binary=True, n_jobs=1)  # the number of processes changes nothing
    assert len(_files(own_archive)) == 3


def test_changed_code_makes_it_anew_and_forgets_the_old(own_archive, monkeypatch):
    counts("20newsgroups")
    (before,) = _files(own_archive)
    monkeypatch.setattr(inputs, "_code_digest", lambda: "other")
    counts("20newsgroups")
    (after,) = _files(own_archive)
    assert before != after


@pytest.mark.parametrize("share", [0.5, 0.01, 0])
def test_damaged_file_is_made_again(own_archive, share):
    first = counts("20newsgroups")
    (path,) = _files(own_archive)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    assert _equal(counts("20newsgroups"), first)
    assert len(path.read_bytes()) == len(whole)


def _sum(number: int) -> float:
    return float(counts("20newsgroups", min_df=2).X.sum())


def test_processes_that_make_it_at_once(own_archive):
    with multiprocessing.get_context("fork").Pool(4) as pool:
        sums = pool.map(_sum, range(8))
    assert len(set(sums)) == 1
    assert len(_files(own_archive)) == 1


def test_collections_of_numbers_have_no_words():
    with pytest.raises(InputError, match="'digits' is a collection of numbers and has no words"):
        counts("digits", stop_words=None)


def test_table_of_characteristics(own_archive, monkeypatch):
    monkeypatch.setattr("smatter.experiments.characteristics.PRINTED", {"20newsgroups": PRINTED["20newsgroups"]})
    assert characteristics("20newsgroups") == Characteristics(12, 2, 6, 10, 2)
    assert table().splitlines()[2] == "| 20newsgroups | 12 (20,000) | 2 (20) | 6 (38,300) | 10 (16,000) | 2 (4,000) |"


@pytest.mark.data
def test_characteristics_of_the_real_collections_are_those_of_the_documentation():
    page = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")
    assert table() in page

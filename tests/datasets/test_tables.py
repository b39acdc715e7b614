"""Abalone and Digits."""

import zipfile
from collections import Counter

import numpy as np
import pytest

from smatter.datasets import load_abalone, load_digits
from smatter.errors import InputError, UnreadableError

ROWS = """M,0.4,0.3,0.1,0.5,0.2,0.1,0.2,15
F,0.5,0.4,0.1,0.7,0.3,0.1,0.2,9
I,0.1,0.1,0.0,0.1,0.1,0.0,0.0,4
I,1,1,1,1,1,1,1,16
"""


def test_seed_rule(tmp_path):
    (tmp_path / "abalone.data").write_text(ROWS)
    loaded = load_abalone(source=tmp_path / "abalone.data")
    assert loaded.labels.tolist() == ["10-15", "5-9"]
    assert loaded.features.tolist() == [[1, 0.4, 0.3, 0.1, 0.5, 0.2, 0.1, 0.2], [2, 0.5, 0.4, 0.1, 0.7, 0.3, 0.1, 0.2]]
    assert loaded.ids == ("1", "2")
    assert loaded.documents == []


def test_zip_and_folder(tmp_path):
    with zipfile.ZipFile(tmp_path / "abalone.zip", "w") as archive:
        archive.writestr("abalone.names", "about")
        archive.writestr("abalone.data", ROWS)
    (tmp_path / "abalone").mkdir()
    (tmp_path / "abalone" / "abalone.data").write_text(ROWS)
    assert len(load_abalone(source=tmp_path / "abalone.zip")) == len(load_abalone(source=tmp_path / "abalone")) == 2


@pytest.mark.parametrize(
    "text", ["M,0.4\n", "X,0.4,0.3,0.1,0.5,0.2,0.1,0.2,15\n", "", "M,a,0.3,0.1,0.5,0.2,0.1,0.2,15\n"]
)
def test_other_files_are_refused(tmp_path, text):
    (tmp_path / "abalone.data").write_text(text)
    with pytest.raises(UnreadableError, match=r"is not abalone\.data"):
        load_abalone(source=tmp_path / "abalone.data")


def test_archive_without_the_file(make_tar):
    with pytest.raises(UnreadableError, match=r"holds no abalone\.data"):
        load_abalone(source=make_tar({"other": b""}))


def test_digits():
    odd_even = load_digits()
    assert Counter(odd_even.labels) == {"even": 891, "odd": 906}
    assert odd_even.features.shape == (1797, 64)
    ten = load_digits("ten")
    assert ten.classes == [str(digit) for digit in range(10)]
    assert np.array_equal(ten.features, odd_even.features)
    assert all(
        (int(digit) % 2 == 1) == (label == "odd") for digit, label in zip(ten.labels, odd_even.labels, strict=True)
    )
    with pytest.raises(InputError, match="task='two' must be"):
        load_digits("two")

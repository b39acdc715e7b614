"""A collection keeps its documents, labels and ids together."""

import numpy as np
import pytest

from smatter.datasets.collection import Collection, as_labels
from smatter.errors import InputError


@pytest.fixture
def texts():
    views = {"page": ["p0", "p1", "p2"]}
    return Collection("made", ["d0", "d1", "d2"], None, as_labels(["b", "a", "b"]), ("0", "1", "2"), "made up", views)


def test_length_classes_and_labels(texts):
    assert len(texts) == 3
    assert texts.classes == ["a", "b"]
    assert texts.labels.dtype == object
    assert all(type(label) is str for label in texts.labels)
    assert repr(texts) == "Collection('made', 3 documents, 2 classes)"


def test_it_is_frozen(texts):
    with pytest.raises(AttributeError):
        texts.name = "other"


def test_take_keeps_rows_together(texts):
    taken = texts.take([2, 0])
    assert (taken.documents, taken.labels.tolist(), taken.ids) == (["d2", "d0"], ["b", "b"], ("2", "0"))
    assert taken.views == {"page": ["p2", "p0"]}


def test_take_of_numbers():
    numbers = Collection("made", [], np.arange(6.0).reshape(3, 2), as_labels("xyx"), ("0", "1", "2"), "")
    assert numbers.only(["x"]).features.tolist() == [[0, 1], [4, 5]]


def test_merged_groups(texts):
    merged = texts.merged({"all": ["a", "b"]}, "one")
    assert (merged.name, merged.labels.tolist()) == ("one", ["all"] * 3)


def test_unknown_class(texts):
    with pytest.raises(InputError, match=r"made has no class \['c'\]; its classes are \['a', 'b'\]"):
        texts.only(["a", "c"])


@pytest.mark.parametrize("change", [{"ids": ("0",)}, {"labels": as_labels("ab")}, {"views": {"page": ["p0"]}}])
def test_unequal_lengths(texts, change):
    parts = {name: getattr(texts, name) for name in Collection.__dataclass_fields__}
    with pytest.raises(InputError, match="each document needs one of each"):
        Collection(**(parts | change))

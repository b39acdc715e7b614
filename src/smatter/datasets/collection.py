"""What a loader returns."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from smatter.errors import InputError

Features = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Collection:
    """Labeled documents, or rows of numbers, of one origin.

    ================  ===================================================================================
    ``name``          the name that ``load`` knows it by
    ``documents``     the texts (empty where the collection has numbers)
    ``features``      n × d numbers (None where it has texts)
    ``labels``        one class a document, an object array of str
    ``ids``           one identifier a document: its file, or its number in the official distribution
    ``description``   what it is and how it was read, in a sentence
    ``views``         further texts of the same documents by name, such as the words of the links to a page
    ================  ===================================================================================

    >>> collection = Collection("two", ["a b", "c"], None, np.array(["x", "y"], dtype=object), ("1", "2"), "made up")
    >>> len(collection), collection.only(["y"]).documents
    (2, ['c'])
    """

    name: str
    documents: list[str]
    features: Features | None
    labels: NDArray[Any]
    ids: tuple[str, ...]
    description: str
    views: Mapping[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lengths = {
            "documents": len(self.documents) if self.features is None else len(self.features),
            "labels": len(self.labels),
            "ids": len(self.ids),
            **{f"views[{name!r}]": len(texts) for name, texts in self.views.items()},
        }
        if len(set(lengths.values())) > 1:
            raise InputError(f"{self.name} has {lengths}; each document needs one of each: pass equal lengths.")

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        return f"Collection({self.name!r}, {len(self)} documents, {len(self.classes)} classes)"

    @property
    def classes(self) -> list[str]:
        """The classes, sorted."""
        return sorted(set(self.labels))

    def take(self, rows: Sequence[int] | NDArray[np.intp]) -> Self:
        """Return the collection of these rows, in this order."""
        rows = np.asarray(rows, dtype=np.intp)
        return replace(
            self,
            documents=[self.documents[row] for row in rows] if self.features is None else [],
            features=None if self.features is None else self.features[rows],
            labels=self.labels[rows],
            ids=tuple(self.ids[row] for row in rows),
            views={name: [texts[row] for row in rows] for name, texts in self.views.items()},
        )

    def only(self, classes: Iterable[str]) -> Self:
        """Return the documents of these classes."""
        return self.take(np.flatnonzero(np.isin(self.labels.astype(str), self._known(classes))))

    def merged(self, groups: Mapping[str, Iterable[str]], name: str) -> Self:
        """Return the documents of the grouped classes, labeled with their group's name."""
        group_of = {label: group for group, classes in groups.items() for label in self._known(classes)}
        chosen = self.only(group_of)
        return replace(chosen, name=name, labels=as_labels(group_of[label] for label in chosen.labels))

    def _known(self, classes: Iterable[str]) -> list[str]:
        wanted = list(classes)
        strangers = sorted(set(wanted) - set(self.classes))
        if strangers:
            raise InputError(
                f"{self.name} has no class {strangers}; its classes are {self.classes}: choose among them."
            )
        return wanted


def as_labels(labels: Iterable[str]) -> NDArray[Any]:
    """Make an object array of str."""
    values = list(labels)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array

"""Which aspect belongs to which class, and how many there are (B7)."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smatter.errors import InputError, LabelError, LabelWarning
from smatter.labels import Labels
from smatter.models.aspects import _choice
from smatter.validation import Matrix

FREE = -1
_CHOOSE: dict[str, Callable[[Any, Matrix, Labels], list[int]]] = {
    "cv": _choice.by_cross_validation,
    "heterogeneity": _choice.by_heterogeneity,
    "aic": _choice.by_aic,
}
CHOICES = tuple(_CHOOSE)


def lay_out_aspects(model: Any, X: Matrix, labels: Labels) -> NDArray[np.int64]:
    """Return the class code of each aspect, class after class; ``FREE`` for the free ones at the end."""
    asked = model.aspects_per_class
    if isinstance(asked, str):
        numbers = _CHOOSE[asked](model, X, labels)
    elif isinstance(asked, (int, np.integer)):
        numbers = [int(asked)] * len(labels.classes)
    else:
        numbers = _checked(list(asked), labels, type(model).__name__)
    of_class = np.repeat(np.arange(len(numbers)), numbers)
    return np.concatenate([of_class, np.full(model.free_aspects, FREE, dtype=np.int64)])


def _checked(numbers: list[Any], labels: Labels, name: str) -> list[int]:
    if len(numbers) != len(labels.classes):
        raise InputError(
            f"aspects_per_class={numbers} of {name} has {len(numbers)} entries for {len(labels.classes)} classes; "
            f"it needs one number a class, in the order {labels.classes.tolist()[:10]}: change aspects_per_class."
        )
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
            raise InputError(
                f"aspects_per_class={numbers} of {name} holds {number!r}; every class needs a whole number of aspects "
                "of at least 1: change aspects_per_class."
            )
    return [int(number) for number in numbers]


def owned(aspect_class: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Say for each aspect whether it belongs to one class for good."""
    return np.asarray(aspect_class != FREE)


def class_given_aspect(aspect_class: NDArray[np.int64], n_classes: int) -> NDArray[np.float64]:
    """P(y|α) at the start: 1 for the class of an aspect, uniform for free ones."""
    table = np.full((len(aspect_class), n_classes), 1.0 / n_classes)
    table[owned(aspect_class)] = np.eye(n_classes)[aspect_class[owned(aspect_class)]]
    return table


def warn_of_scarce_labels(model: Any, labels: Labels) -> None:
    """More aspects than labeled documents cannot be told apart by the labels."""
    aspects = np.bincount(model.aspect_class_[owned(model.aspect_class_)], minlength=len(labels.classes))
    scarce = np.flatnonzero(labels.counts < aspects)
    if len(scarce):
        k = int(scarce[0])
        warnings.warn(
            f"{len(scarce)} classes have more aspects than labeled documents (the first is {labels.classes[k]!r}: "
            f"{aspects[k]} aspects, {labels.counts[k]} documents); their aspects start at random: label more "
            "documents or lower aspects_per_class.",
            LabelWarning,
            stacklevel=3,
        )


def check_batch(model: Any, X: Matrix, labels: Labels, first: bool) -> None:
    """A batch needs one label a row, and the first batch a label of every class."""
    if len(labels.codes) != X.shape[0]:
        raise InputError(
            f"Found input variables with inconsistent numbers of samples: X has {X.shape[0]} rows, y has "
            f"{len(labels.codes)} labels; each row needs one: mark unlabeled rows with -1, None, '' or NaN."
        )
    if first and (labels.counts == 0).any():
        absent = labels.classes[labels.counts == 0]
        raise LabelError(
            f"{len(absent)} classes have no labeled document (the first is {absent[0]!r}); an aspect of "
            f"{type(model).__name__} starts from documents of its class: label one, or leave the class out of classes."
        )

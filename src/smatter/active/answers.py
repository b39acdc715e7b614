"""What a person may answer, and what has been answered so far."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smatter.errors import InputError, LabelError
from smatter.labels import UNLABELED, Codes, Labels, encode_labels, is_unlabeled


class Answer(Enum):
    """Answers other than a label."""

    SKIP = "skip"  # not now: asked again when nothing else is left
    UNSURE = "unsure"  # looked at, cannot say: never asked again


@dataclass(frozen=True)
class Receipt:
    """What became of an answer.

    Attributes
    ----------
    row : int
        The row that was answered.
    answer : label, Answer or frozenset of labels
        The answer; a set where several labels are possible.
    before : label, Answer, frozenset of labels or None
        What was known of the row; None where nothing was.
    asked : bool
        Whether the row had been asked about; it need not have been.
    change : {"new", "repeated", "correction"}
        Whether the answer is the first for its row, the same as before, or another.
    new_class : bool
        Whether the label was never used before.

    """

    row: int
    answer: Any
    before: Any
    asked: bool
    change: str
    new_class: bool


class Ledger:
    """The answers so far: labels, possible labels, rows that were skipped or that nobody is sure of."""

    def __init__(self, y: ArrayLike) -> None:
        labels = encode_labels(y)
        self.codes: Codes = labels.codes.copy()
        self.classes: NDArray[Any] = labels.classes
        self.possible: dict[int, frozenset[Any]] = {}
        self.put_aside: dict[int, Answer] = {}
        self.asked: set[int] = set()
        self.receipts: list[Receipt] = []

    @property
    def labels(self) -> Labels:
        """Codes and classes as they are now."""
        return Labels(self.codes.copy(), self.classes)

    @property
    def y(self) -> NDArray[Any]:
        """Labels as a model takes them: −1 or None where there is none."""
        whole = self.classes.dtype.kind in "iu"
        y = np.full(len(self.codes), UNLABELED if whole else None, dtype=np.int64 if whole else object)
        known = np.flatnonzero(self.codes != UNLABELED)
        y[known] = self.classes[self.codes[known]]
        return y

    @property
    def open_rows(self) -> NDArray[np.intp]:
        """The rows to ask about: without an answer; where there are none left, those that were skipped."""
        closed = self.codes != UNLABELED
        closed[list(self.possible)] = True
        skipped = [row for row, answer in self.put_aside.items() if answer is Answer.SKIP]
        closed[list(self.put_aside)] = True
        rows = np.flatnonzero(~closed)
        return rows if len(rows) else np.array(sorted(skipped), dtype=np.intp)

    def record(self, row: Any, answer: Any) -> Receipt:
        """Take an answer in; a later one for the same row replaces it."""
        row = self._checked_row(row)
        answer = self._checked_answer(answer)
        before = self.answer_of(row)
        change = "new" if before is None else "repeated" if before == answer else "correction"
        new_class = False
        if change != "repeated":
            new_class = self._is_label(answer) and self._position(answer) is None
            if new_class:
                self._add_class(answer)
            self._forget(row)
            self._write(row, answer)
        receipt = Receipt(row, answer, before, row in self.asked, change, new_class)
        self.receipts.append(receipt)
        return receipt

    def answer_of(self, row: int) -> Any:
        """What is known of a row: a label, an Answer, a set of labels or None."""
        if self.codes[row] != UNLABELED:
            return _plain(self.classes[self.codes[row]])
        return self.put_aside.get(row) or self.possible.get(row)

    def _checked_row(self, row: Any) -> int:
        n = len(self.codes)
        if isinstance(row, (bool, np.bool_)) or not isinstance(row, (int, np.integer)) or not 0 <= row < n:
            raise InputError(f"row={row!r} must be a whole number from 0 to {n - 1}, a row of X: correct it.")
        return int(row)

    def _checked_answer(self, answer: Any) -> Any:
        if isinstance(answer, Answer):
            return answer
        if isinstance(answer, (set, frozenset, list, tuple)):
            labels = frozenset(self._checked_label(label) for label in answer)
            if not labels:
                raise LabelError("The set of possible labels is empty; it must hold one at least: say Answer.UNSURE.")
            return next(iter(labels)) if len(labels) == 1 else labels
        return self._checked_label(answer)

    def _checked_label(self, label: Any) -> Any:
        if is_unlabeled([label])[0]:
            raise LabelError(
                f"The answer {label!r} spells “unlabeled”; an answer is a label, a set of labels, Answer.SKIP or "
                "Answer.UNSURE (which also takes a label back): choose one."
            )
        encode_labels([*self.classes.tolist(), label])  # refuses what does not sort among the classes
        return _plain(label)

    @staticmethod
    def _is_label(answer: Any) -> bool:
        return not isinstance(answer, (Answer, frozenset))

    def _position(self, label: Any) -> int | None:
        found = np.flatnonzero(self.classes == label)
        return int(found[0]) if len(found) else None

    def _add_class(self, label: Any) -> None:
        """Put a class in its sorted place; the codes behind it move up."""
        wider = encode_labels([*self.classes.tolist(), label]).classes
        self.codes = np.append(position_in(wider, self.classes), UNLABELED)[self.codes]
        self.classes = wider

    def _forget(self, row: int) -> None:
        self.codes[row] = UNLABELED
        self.possible.pop(row, None)
        self.put_aside.pop(row, None)

    def _write(self, row: int, answer: Any) -> None:
        if isinstance(answer, Answer):
            self.put_aside[row] = answer
        elif isinstance(answer, frozenset):
            self.possible[row] = answer
        else:
            position = self._position(answer)
            assert position is not None
            self.codes[row] = position


def position_in(wider: NDArray[Any], classes: Iterable[Any]) -> NDArray[np.int64]:
    """Return where each class stands among those of ``wider``, which holds them all."""
    where = {label: code for code, label in enumerate(wider.tolist())}
    return np.array([where[_plain(label)] for label in classes], dtype=np.int64)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label

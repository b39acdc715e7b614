"""Several questions at once: no near-copies, and spread over the predicted classes (K 5.2)."""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from smatter.active.state import Floats, State
from smatter.active.strategy import NEVER, best
from smatter.errors import InputError

ALIKE = 0.9  # cosine similarity from which on two documents are near-copies
_LOOKED_AT = 20  # rows looked at for each one wanted, before what is left is taken as too alike


def choose_batch(values: Floats, state: State, size: int = 1, *, alike: float = ALIKE) -> NDArray[np.intp]:
    """Choose the rows to ask about, the best first.

    Down the ranking a row is taken if its predicted class does not yet have its part of the batch, ⌈size / classes
    predicted⌉, and no row of the batch is a near-copy of it. What is then missing is filled up with the best of the
    rest, whatever their class. Near-copies are never taken: such a batch is smaller.

    Parameters
    ----------
    values : array, one a candidate
        What a strategy says; rows with −∞ are left out.
    state : State
        Its X tells near-copies; without X there are none.
    size : int, default 1
        The most rows.
    alike : float, default 0.9
        The cosine similarity from which on two rows are near-copies.

    Examples
    --------
    >>> from smatter.labels import encode_labels
    >>> P = np.array([[0.5, 0.5], [0.6, 0.4], [0.3, 0.7]])
    >>> state = State(P, encode_labels([None] * 3, ["a", "b"]), X=np.array([[1.0, 1.0], [2.0, 2.1], [0.0, 1.0]]))
    >>> choose_batch(np.array([3.0, 2.0, 1.0]), state, 2).tolist()
    [0, 2]

    """
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < 1:
        raise InputError(f"size={size!r} must be a whole number of at least 1: change size.")
    if np.isnan(values).any():
        row = int(state.candidates[int(np.argmax(np.isnan(values)))])
        raise InputError(f"The utility of row {row} is NaN; a utility is a number: correct the strategy.")
    if size == 1:
        return state.candidates[best(values, 1, state)]
    order = best(values, max(size * _LOOKED_AT, size), state)
    ranked = state.candidates[order]
    decided = state.decided[ranked]
    quota = -(-size // max(1, len(np.unique(state.decided[state.candidates[values > NEVER]]))))
    batch = _Batch(state.X, alike, size)
    for row, code in zip(ranked, decided, strict=True):
        if batch.of_class.get(int(code), 0) < quota:
            batch.offer(int(row), int(code))
    for row, code in zip(ranked, decided, strict=True):
        batch.offer(int(row), int(code))
    return np.array(batch.rows, dtype=np.intp)


class _Batch:
    """Rows that are taken unless they are near-copies of one that is there."""

    def __init__(self, X: Any, alike: float, size: int) -> None:
        self.X, self.alike, self.size = X, alike, size
        self.rows: list[int] = []
        self.of_class: dict[int, int] = {}
        self._refused: set[int] = set()

    def offer(self, row: int, code: int) -> None:
        """Take the row if there is place for it."""
        if len(self.rows) == self.size or row in self.rows or row in self._refused:
            return
        if self._has_copy(row):
            self._refused.add(row)
            return
        self.rows.append(row)
        self.of_class[code] = self.of_class.get(code, 0) + 1

    def _has_copy(self, row: int) -> bool:
        if self.X is None or not self.rows:
            return False
        X, own = self.X[self.rows], self.X[[row]]
        products = X @ own.T
        similar = np.asarray(products.toarray() if sp.issparse(products) else products).ravel()
        scale = np.sqrt(_squares(X) * _squares(own))
        return bool((similar >= self.alike * np.where(scale > 0, scale, np.inf)).any())


def _squares(X: Any) -> Floats:
    return np.asarray((X * X).sum(axis=1), dtype=np.float64).ravel()

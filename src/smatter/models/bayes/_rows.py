"""Documents as the mixtures see them: a matrix whose rows may have been scaled, and the two products that EM needs.

The scale is kept beside the matrix: a document that is shortened costs one number, not a copy of its counts. Sums over
documents are ``sum``, not ``@``: BLAS would share them out to threads, and their last digits with them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from smatter.validation import Matrix

Floats = NDArray[np.float64]
_PART = 1 << 15  # entries that are worked on at a time where temporary copies of them are needed
_PRECISION = float(np.finfo(np.float64).eps) / 4


@dataclass(frozen=True)
class Rows:
    """diag(scale) X, sparse or dense."""

    X: Matrix
    scale: Floats

    @classmethod
    def plain(cls, X: Matrix) -> Self:
        """Rows as they are."""
        return cls(X, np.ones(X.shape[0]))

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __getitem__(self, rows: Any) -> "Rows":
        return Rows(self.X[rows], self.scale[rows])

    def parts(self, rows: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
        """Yield runs of positions in ``rows``, each with few enough entries to copy them."""
        n_words = self.X.shape[1]
        entries = np.diff(self.X.indptr)[rows] if sp.issparse(self.X) else np.full(len(rows), n_words)
        part = np.cumsum(entries) // _PART
        yield from np.split(np.arange(len(rows)), np.flatnonzero(np.diff(part)) + 1)

    def matrix(self) -> Matrix:
        """Multiply the scale in: a copy."""
        if not sp.issparse(self.X):
            return self.X * self.scale[:, None]
        data = np.repeat(self.scale, np.diff(self.X.indptr))
        data *= self.X.data
        return sp.csr_array((data, self.X.indices, self.X.indptr), shape=self.X.shape)

    def dot(self, table: Floats) -> Floats:
        """X T, for a table of words × components."""
        out = np.asarray(self.X @ table)
        out *= self.scale[:, None]
        return out

    def sums(self, weights: Floats, smoothing: float = 0.0) -> Floats:
        """Wᵀ X, components × words, for weights W of rows × components.

        Weights may be left out where all of them together would not change the last digit of a sum plus ``smoothing``.
        """
        if not sp.issparse(self.X):
            return np.asarray(self.X.T @ (weights * self.scale[:, None])).T
        from smatter.kernels.multinomial import column_sums

        out = np.zeros((self.X.shape[1], weights.shape[1]))
        active = np.empty(weights.shape[1], dtype=np.int64)
        rows = (self.X.indptr, self.X.indices, self.X.data)
        negligible = _PRECISION * smoothing / max(self._mass, 1.0)
        column_sums(rows, self.scale, np.ascontiguousarray(weights), negligible, active, out)
        return out.T

    @cached_property
    def _mass(self) -> float:
        return float((np.asarray(self.X.sum(axis=1)).ravel() * self.scale).sum())

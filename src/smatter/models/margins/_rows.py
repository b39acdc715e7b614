"""The rows that a margin model sees: sparse, with a constant feature, or centered without ever being densified."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from smatter.validation import Matrix

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """Sparse rows x with f(x) = w · (x − mean) + intercept · w_last + offset.

    With ``mean`` zero and ``intercept`` 1 this is liblinear's f(x) = w · x + b, b regularized. With the mean of the
    unlabeled rows, ``intercept`` 0 and an offset b₀ it is the balance constraint (1/u) Σ f(x_j) = b₀, solved for b.
    """

    matrix: Any
    mean: Vector
    intercept: float = 1.0
    offset: float = 0.0

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """What the kernels take; unsigned, so that the loops need not ask for negative indices (2 × faster)."""
        indptr, indices = self.matrix.indptr.astype(np.uint64), self.matrix.indices.astype(np.uint32)
        return indptr, indices, self.matrix.data, self.mean, self.intercept

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return int(self.matrix.shape[0])

    @property
    def n_weights(self) -> int:
        """One weight a column and one of the constant feature."""
        return int(self.matrix.shape[1]) + 1

    def scores(self, weights: Vector) -> Vector:
        """Return f(x_i) of every row."""
        from smatter.kernels.margin_rows import row_products

        out = np.empty(self.n_rows)
        row_products(self.arrays, weights, out)
        out += self.offset
        return out

    def combination(self, coefficient: Vector) -> Vector:
        """Return Σ_i coefficient_i x_i, the gradient of Σ_i coefficient_i f(x_i)."""
        from smatter.kernels.margin_rows import row_combination

        out = np.zeros(self.n_weights)
        row_combination(self.arrays, coefficient, out)
        return out

    def balanced(self, unlabeled: NDArray[np.bool_], offset: float) -> "Rows":
        """Return these rows under the constraint that the unlabeled scores have the mean ``offset``."""
        mean = np.asarray(self.matrix[unlabeled].mean(axis=0)).ravel()
        return Rows(self.matrix, mean, intercept=0.0, offset=offset)

    def unconstrained(self, weights: Vector) -> tuple[Vector, float]:
        """Return w and b of f(x) = w · x + b for any rows."""
        bias = self.offset + self.intercept * weights[-1] - float(self.mean @ weights[:-1])
        return weights[:-1].copy(), bias


def as_rows(X: Matrix) -> Rows:
    """Make rows of a checked matrix; zeros of a dense one are dropped."""
    matrix = sp.csr_array(X)
    return Rows(matrix, np.zeros(matrix.shape[1]))

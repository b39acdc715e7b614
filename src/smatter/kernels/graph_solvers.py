"""Conjugate gradients for (diag(d) − W) F = B, all columns of B at once.

Sums over rows are made block by block, and the number of blocks does not depend on the threads: the same answer on
one core and on many.
"""

import numba as nb
import numpy as np

_FLAGS = {"contract", "nsz", "reassoc"}  # the classes of one vertex are summed side by side
BLOCKS = 64


@nb.njit(cache=True, nogil=True, inline="always")
def _bounds(block, n):
    return block * n // 64, (block + 1) * n // 64


@nb.njit(cache=True, nogil=True, inline="always")
def _four(indptr, indices, data, i, F, c):
    """Σ_j W_ij F_j for four classes from c on, in registers; the last columns stand in where there are fewer."""
    last = F.shape[1] - 1
    c1, c2, c3 = min(c + 1, last), min(c + 2, last), min(c + 3, last)
    s0 = s1 = s2 = s3 = 0.0
    for edge in range(indptr[i], indptr[i + 1]):
        weight, j = data[edge], indices[edge]
        s0 += weight * F[j, c]
        s1 += weight * F[j, c1]
        s2 += weight * F[j, c2]
        s3 += weight * F[j, c3]
    return s0, s1, s2, s3


@nb.njit(cache=True, nogil=True, inline="always")
def _put(values, c, row):
    """Write up to four sums into a row from class c on."""
    left = row.shape[0] - c
    row[c] = values[0]
    if left > 1:
        row[c + 1] = values[1]
    if left > 2:
        row[c + 2] = values[2]
    if left > 3:
        row[c + 3] = values[3]


@nb.njit(cache=True, nogil=True, parallel=True, fastmath=_FLAGS)
def multiply(indptr, indices, data, F, out):
    """Out = W F for a CSR matrix W."""
    n, width = out.shape
    for block in nb.prange(64):
        low, high = _bounds(block, n)
        for i in range(low, high):
            row = out[i]
            for c in range(0, width, 4):
                _put(_four(indptr, indices, data, i, F, c), c, row)


@nb.njit(cache=True, nogil=True, parallel=True, fastmath=_FLAGS)
def apply_and_project(graph, diagonal, P, Q, sums):
    """Q = (diag(d) − W) P, and ``sums`` (blocks × classes) holds the parts of each column's P·Q."""
    indptr, indices, data = graph
    n, width = P.shape
    for block in nb.prange(64):
        low, high = _bounds(block, n)
        parts = sums[block]
        parts[:] = 0.0
        for i in range(low, high):
            row = Q[i]
            for c in range(0, width, 4):
                _put(_four(indptr, indices, data, i, P, c), c, row)
            for c in range(width):
                row[c] = diagonal[i] * P[i, c] - row[c]
                parts[c] += P[i, c] * row[c]


@nb.njit(cache=True, nogil=True, parallel=True, fastmath=_FLAGS)
def step(alpha, inverse, direction, state, sums, squares):
    """F += α P, R −= α Q; ``sums`` and ``squares`` hold the parts of R·M⁻¹R and of R·R."""
    P, Q = direction
    F, R = state
    n, width = F.shape
    for block in nb.prange(64):
        low, high = _bounds(block, n)
        sums[block] = 0.0
        squares[block] = 0.0
        for i in range(low, high):
            scale = inverse[i]
            for c in range(width):
                F[i, c] += alpha[c] * P[i, c]
                rest = R[i, c] - alpha[c] * Q[i, c]
                R[i, c] = rest
                sums[block, c] += rest * rest * scale
                squares[block, c] += rest * rest


@nb.njit(cache=True, nogil=True, parallel=True, fastmath=_FLAGS)
def turn(beta, inverse, R, P):
    """P = M⁻¹R + β P."""
    n, width = P.shape
    for block in nb.prange(64):
        low, high = _bounds(block, n)
        for i in range(low, high):
            for c in range(width):
                P[i, c] = inverse[i] * R[i, c] + beta[c] * P[i, c]


@nb.njit(cache=True, nogil=True, parallel=True, fastmath=_FLAGS)
def residual(graph, diagonal, B, F, R):
    """R = B − (diag(d) − W) F."""
    indptr, indices, data = graph
    n, width = F.shape
    for block in nb.prange(64):
        low, high = _bounds(block, n)
        for i in range(low, high):
            row = R[i]
            for c in range(0, width, 4):
                _put(_four(indptr, indices, data, i, F, c), c, row)
            for c in range(width):
                row[c] += B[i, c] - diagonal[i] * F[i, c]


def no_sums(width):
    """Make a buffer for the parts of the sums."""
    return np.zeros((BLOCKS, width))

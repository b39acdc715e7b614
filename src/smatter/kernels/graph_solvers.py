"""Conjugate gradients for (diag(d) − W) F = B, all columns of B at once.

The products W P are SciPy's, which are fast for a few columns; the passes over columns between them are made here.
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


@nb.njit(cache=True, nogil=True, parallel=True, fastmath=_FLAGS)
def project(diagonal, P, Q, sums):
    """Turn Q = W P into diag(d) P − W P; ``sums`` (blocks × classes) gets the parts of each column's P·Q."""
    n, width = P.shape
    for block in nb.prange(64):
        low, high = _bounds(block, n)
        sums[block] = 0.0
        for i in range(low, high):
            for c in range(width):
                Q[i, c] = diagonal[i] * P[i, c] - Q[i, c]
                sums[block, c] += P[i, c] * Q[i, c]


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


def no_sums(width):
    """Make a buffer for the parts of the sums."""
    return np.zeros((BLOCKS, width))

"""Linear systems on a graph, all classes at once, in memory linear in the edges."""

import warnings

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import reverse_cuthill_mckee
from sklearn.exceptions import ConvergenceWarning

from smatter.progress import Progress, report
from smatter.validation import Matrix

Array = NDArray[np.float64]
LARGE = 4096  # vertices whose rows no longer fit into the near caches


def solve_laplacian(
    W: Matrix,
    diagonal: Array,
    right: Array,
    *,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    start: Array | None = None,
) -> tuple[Array, list[float]]:
    """Solve (diag(d) − W) F = B by conjugate gradients with the diagonal as preconditioner.

    Parameters
    ----------
    W : sparse array of shape (n, n)
        Symmetric; diag(d) − W must be positive definite on what B asks for.
    diagonal : array of shape (n,)
        d, positive.
    right : array of shape (n, K)
        B, one column a class.
    tol : float, default 1e-6
        Stop when ‖B − (diag(d) − W) F‖ ≤ tol ‖B‖ in every column.
    max_iter : int, default 10,000
        The most iterations; a warning says when they were not enough.
    start : array of shape (n, K), optional
        Where to start; zeros by default.

    Returns
    -------
    F, residuals : array of shape (n, K), list
        The solution and the largest relative residual after each iteration.

    """
    if len(diagonal) >= LARGE:
        return _solve_reordered(W, diagonal, right, tol, max_iter, start)
    return _conjugate_gradients(W, diagonal, right, tol, max_iter, start)


def _solve_reordered(
    W: Matrix, diagonal: Array, right: Array, tol: float, max_iter: int, start: Array | None
) -> tuple[Array, list[float]]:
    """Give neighbors numbers that are near (Cuthill & McKee 1969), so that their rows meet in the cache."""
    order = reverse_cuthill_mckee(sp.csr_matrix(W), symmetric_mode=True)
    near = sp.csr_array(W[order][:, order])
    begin = None if start is None else start[order]
    solved, residuals = _conjugate_gradients(near, diagonal[order], right[order], tol, max_iter, begin)
    F = np.empty_like(solved)
    F[order] = solved
    return F, residuals


def _conjugate_gradients(
    W: Matrix, diagonal: Array, right: Array, tol: float, max_iter: int, start: Array | None
) -> tuple[Array, list[float]]:
    from smatter.kernels import graph_solvers as kernels

    B = np.ascontiguousarray(right, dtype=np.float64)
    F = np.zeros_like(B) if start is None else np.array(start, dtype=np.float64, order="C")
    R, inverse = B - diagonal[:, None] * F + W @ F, 1.0 / diagonal
    P = inverse[:, None] * R
    sums, squares = kernels.no_sums(B.shape[1]), kernels.no_sums(B.shape[1])
    weight = np.einsum("ij,ij->j", R, P)
    scale = _positive(np.sqrt(np.einsum("ij,ij->j", B, B)))
    residuals = [float((np.sqrt(np.einsum("ij,ij->j", R, R)) / scale).max(initial=0.0))]
    while residuals[-1] > tol and len(residuals) <= max_iter:
        Q = W @ P
        kernels.project(diagonal, P, Q, sums)
        alpha = weight / _positive(sums.sum(axis=0))
        kernels.step(alpha, inverse, (P, Q), (F, R), sums, squares)
        following = sums.sum(axis=0)
        kernels.turn(following / _positive(weight), inverse, R, P)
        weight = following
        residuals.append(float((np.sqrt(squares.sum(axis=0)) / scale).max()))
        report(Progress("conjugate gradients", len(residuals) - 1, None, residuals[-1]))
    if residuals[-1] > tol:
        warnings.warn(
            f"Conjugate gradients stopped after {max_iter} iterations at a relative residual of {residuals[-1]:.1e}, "
            f"above tol={tol:g}: raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return F, residuals[1:] or residuals


def _positive(values: Array) -> Array:
    """Columns that are solved exactly have sums of 0; 1 in their place keeps them where they are."""
    return np.where(values > 0, values, 1.0)

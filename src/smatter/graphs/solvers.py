"""Linear systems on a graph, all classes at once, in memory linear in the edges."""

import warnings

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from smatter.progress import Progress, report
from smatter.validation import Matrix


def solve_laplacian(
    W: Matrix,
    diagonal: NDArray[np.float64],
    right: NDArray[np.float64],
    *,
    tol: float = 1e-6,
    max_iter: int = 10_000,
    start: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], list[float]]:
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
    from smatter.kernels import graph_solvers as kernels

    B = np.ascontiguousarray(right, dtype=np.float64)
    graph = (W.indptr, W.indices, W.data)
    F = np.zeros_like(B) if start is None else np.array(start, dtype=np.float64, order="C")
    R, Q, inverse = np.empty_like(B), np.empty_like(B), 1.0 / diagonal
    kernels.residual(graph, diagonal, B, F, R)
    P = inverse[:, None] * R
    sums, squares = kernels.no_sums(B.shape[1]), kernels.no_sums(B.shape[1])
    weight = np.einsum("ij,ij->j", R, P)
    scale = _positive(np.sqrt(np.einsum("ij,ij->j", B, B)))
    residuals = [float((np.sqrt(np.einsum("ij,ij->j", R, R)) / scale).max(initial=0.0))]
    while residuals[-1] > tol and len(residuals) <= max_iter:
        kernels.apply_and_project(graph, diagonal, P, Q, sums)
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
            stacklevel=2,
        )
    return F, residuals[1:] or residuals


def _positive(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Columns that are solved exactly have sums of 0; 1 in their place keeps them where they are."""
    return np.where(values > 0, values, 1.0)


def multiply(W: Matrix, F: NDArray[np.float64], out: NDArray[np.float64]) -> NDArray[np.float64]:
    """Write W F into ``out``, on all cores."""
    from smatter.kernels import graph_solvers as kernels

    kernels.multiply(W.indptr, W.indices, W.data, F, out)
    return out

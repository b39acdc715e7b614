"""The transductive machine over label matrices: convex, as a semidefinite program.

With Γ = y yᵀ the dual of the machine over all labelings is min_Γ h(Γ)/2, h(Γ) = max_{α ≥ 0} 2 αᵀ1 − αᵀ (K∘Γ + D) α,
D_ii = 1/(2 C_i). h is convex in Γ; the relaxation keeps Γ ⪰ 0, diag Γ = 1 and the known part of Γ. All labeled rows
are one coordinate: Γ = R G Rᵀ with R = [y_l 0; 0 I], G_00 = 1, and G_0j what the relaxation thinks of row j.
"""

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.optimize import minimize as quasi_newton

from smatter.errors import MissingExtraError
from smatter.models.margins._rows import Vector

Square = NDArray[np.float64]


def collapse(signs: NDArray[np.int8]) -> Square:
    """Return R: the labeled rows share the first coordinate with their signs, each unlabeled row has its own."""
    unlabeled = np.flatnonzero(signs == 0)
    R = np.zeros((len(signs), 1 + len(unlabeled)))
    R[:, 0] = signs
    R[unlabeled, 1 + np.arange(len(unlabeled))] = 1.0
    return R


def dual_value(K: Square, D: Vector, Gamma: Square, start: Vector | None = None) -> tuple[float, Vector]:
    """Return h(Γ) and the α that attains it, searched from ``start``."""
    Q = K * Gamma + np.diag(D)

    def negative(alpha: Vector) -> tuple[float, Vector]:
        image = Q @ alpha
        return float(alpha @ image - 2.0 * alpha.sum()), 2.0 * image - 2.0

    bounds = [(0.0, None)] * len(D)
    start = 1.0 / np.diag(Q) if start is None else start
    found = quasi_newton(
        negative, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 2000, "ftol": 1e-10}
    )
    return -float(found.fun), np.asarray(found.x)


def solve_full(K: Square, D: Vector, R: Square, balance: float) -> tuple[Square, float]:
    """Solve the relaxation as one matrix inequality (Lanckriet et al. 2004): G and h/2."""
    cvxpy = _import("cvxpy")
    n, size = R.shape
    G = cvxpy.Variable((size, size), PSD=True)
    nu, t = cvxpy.Variable(n, nonneg=True), cvxpy.Variable((1, 1))
    edge = cvxpy.reshape(1.0 + nu, (n, 1), order="C")
    left = cvxpy.multiply(K, R @ G @ R.T) + np.diag(D)
    inequality = cvxpy.bmat([[left, edge], [edge.T, t]])
    constraints = [0.5 * (inequality + inequality.T) >> 0, cvxpy.diag(G) == 1.0, cvxpy.sum(G[0, 1:]) == balance]
    problem = cvxpy.Problem(cvxpy.Minimize(t[0, 0]), constraints)
    problem.solve(solver=cvxpy.CLARABEL)
    return np.asarray(G.value), 0.5 * float(problem.value)


def spectral_basis(similarity: Square, R: Square, n_vectors: int) -> Square:
    """Return the smoothest directions of a labeling: smallest generalized eigenvectors of Rᵀ(D − W)R z = λ Rᵀ D R z.

    W holds the positive part of the similarities. Each row is scaled to length 1, so that M = I already has the ones
    that Γ needs on its diagonal (Ng, Jordan & Weiss, NIPS 2001, for the scaling).
    """
    W = np.maximum(similarity, 0.0)
    degrees = W.sum(axis=1)
    degrees = np.maximum(degrees, 1e-6 * max(float(degrees.max()), 1e-6))  # a row like no other has no mass of its own
    smooth, mass = R.T @ (np.diag(degrees) - W) @ R, R.T @ np.diag(degrees) @ R
    _, vectors = eigh(smooth, mass, subset_by_index=[0, min(n_vectors, R.shape[1]) - 1])
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300))


def solve_restricted(
    terms: tuple[Square, Vector, Square, Square], balance: float, tol: float, max_iter: int
) -> tuple[Square, list[float], bool]:
    """Solve the relaxation for G = V M Vᵀ by cutting planes: G, the upper bounds, and whether the gap closed.

    As M ⪰ M' gives h(M) ≤ h(M'), diag G ≤ 1 is enough. Each α of ``dual_value`` bounds h from below by a plane in M;
    the small semidefinite program over the planes proposes the next M. One cut costs n², whatever the size of M.
    """
    K, D, R, V = terms
    planes: list[tuple[Square, float]] = []
    path: list[float] = []
    M = best = np.eye(V.shape[1])
    alpha: Vector | None = None
    best_value, RV = np.inf, R @ V
    for turn in range(max_iter):
        value, alpha = dual_value(K, D, RV @ M @ RV.T, alpha)
        if turn > 0 and value < best_value:  # the first M is not balanced
            best, best_value = M, value
            path.append(0.5 * best_value)
        weighted = alpha[:, np.newaxis] * RV
        planes.append((weighted.T @ K @ weighted, float(2.0 * alpha.sum() - alpha @ (D * alpha))))
        M, bound = _master(planes, V, balance)
        if np.isfinite(best_value) and best_value - bound <= tol * abs(best_value):
            return V @ best @ V.T, path, True
    return V @ best @ V.T, path, False


def _master(planes: list[tuple[Square, float]], V: Square, balance: float) -> tuple[Square, float]:
    """Minimize s over s ≥ c − ⟨A, M⟩ for every plane, M ⪰ 0, diag V M Vᵀ ≤ 1, G_00 = 1 and the balance of G_0·."""
    clarabel = _import("clarabel")
    packing = _Packing(V.shape[1])
    equal = packing.pack_all([np.outer(V[0], V[0]), np.outer(V[0], V[1:].sum(axis=0))])
    diagonal = packing.pack_all([np.outer(v, v) for v in V[1:]])
    cuts = packing.pack_all([-A for A, _ in planes])
    semidefinite = -np.eye(len(packing.rows))
    slack = np.concatenate([np.zeros(2 + len(diagonal)), -np.ones(len(cuts)), np.zeros(len(semidefinite))])
    A = np.column_stack([np.vstack([equal, diagonal, cuts, semidefinite]), slack])
    right = [
        np.array([1.0, balance]),
        np.ones(len(diagonal)),
        np.array([-c for _, c in planes]),
        np.zeros(len(semidefinite)),
    ]
    cones: list[Any] = [
        clarabel.ZeroConeT(2),
        clarabel.NonnegativeConeT(len(diagonal) + len(cuts)),
        clarabel.PSDTriangleConeT(V.shape[1]),
    ]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cost, nothing = np.append(np.zeros(len(packing.rows)), 1.0), sp.csc_matrix((A.shape[1], A.shape[1]))
    found = clarabel.DefaultSolver(nothing, cost, sp.csc_matrix(A), np.concatenate(right), cones, settings).solve()
    return packing.unpack(np.asarray(found.x[:-1])), float(found.x[-1])


class _Packing:
    """Symmetric matrices as vectors with the same inner product: the upper triangle, column by column."""

    def __init__(self, size: int) -> None:
        rows, columns = np.triu_indices(size)
        order = np.lexsort((rows, columns))
        self.rows, self.columns, self.size = rows[order], columns[order], size
        self.scale = np.where(self.rows == self.columns, 1.0, np.sqrt(2.0))

    def pack_all(self, matrices: list[Square]) -> Square:
        """Return one row a matrix."""
        return np.array([0.5 * (A + A.T)[self.rows, self.columns] * self.scale for A in matrices])

    def unpack(self, packed: Vector) -> Square:
        """Return the matrix of a vector."""
        A = np.zeros((self.size, self.size))
        A[self.rows, self.columns] = A[self.columns, self.rows] = packed / self.scale
        return A


def _import(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError as error:
        raise MissingExtraError(
            f"SemidefiniteTSVM needs {name}, which is not installed: pip install 'smatter[sdp]'."
        ) from error

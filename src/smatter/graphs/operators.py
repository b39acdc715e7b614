"""What a weight matrix becomes: Laplacians, transition matrices, walks. All of it sparse.

D is the diagonal matrix of the degrees d_i = Σ_j W_ij. A vertex without an edge has degree 0; what that means is said
at each operator.
"""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from smatter.graphs.solvers import solve_laplacian
from smatter.validation import Matrix


def degrees(W: Matrix) -> NDArray[np.float64]:
    """d_i = Σ_j W_ij."""
    return np.asarray(W.sum(axis=1), dtype=np.float64).ravel()


def _inverse(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0)


def laplacian(W: Matrix) -> Matrix:
    """L = D − W."""
    return sp.csr_array(sp.diags_array(degrees(W)) - W)


def spreading_matrix(W: Matrix) -> Matrix:
    """S = D^(−1/2) W D^(−1/2) (Zhou et al. 2004); zeros in the row of a vertex without an edge."""
    scale = sp.diags_array(np.sqrt(_inverse(degrees(W))))
    return sp.csr_array(scale @ W @ scale)


def normalized_laplacian(W: Matrix) -> Matrix:
    """I − S; a vertex without an edge has 1 on its diagonal."""
    return sp.csr_array(sp.eye_array(W.shape[0]) - spreading_matrix(W))


def transition_matrix(W: Matrix) -> Matrix:
    """P = D⁻¹ W, whose rows sum to 1: a walker on a vertex without an edge stays there."""
    degree = degrees(W)
    return sp.csr_array(sp.diags_array(_inverse(degree)) @ W + sp.diags_array((degree == 0).astype(np.float64)))


def walk(P: Matrix, start: NDArray[np.float64], steps: int) -> NDArray[np.float64]:
    """Where the walkers of each column of ``start`` are after some steps: (Pᵀ)^t · start."""
    for _ in range(steps):
        start = P.T @ start
    return start


def personalized_walk(W: Matrix, starts: NDArray[np.float64], restart: float = 0.15) -> NDArray[np.float64]:
    """Shares of time of a walker on an undirected graph who returns to the start of its column now and then.

    p = r (I − (1 − r) Pᵀ)⁻¹ s, one column a class or person (personalized PageRank).

    Parameters
    ----------
    W : sparse array of shape (n, n)
        A symmetric graph.
    starts : array of shape (n, K)
        The columns' distributions over the vertices where they start and return to.
    restart : float, default 0.15
        r, the chance of a return at each step.

    Examples
    --------
    >>> chain = sp.csr_array(np.diag([1.0, 1.0], 1) + np.diag([1.0, 1.0], -1))
    >>> personalized_walk(chain, np.eye(3)[:, :1], 0.5).ravel().round(3).tolist()
    [0.583, 0.333, 0.083]

    """
    degree = degrees(W)
    alone = degree == 0
    diagonal = np.where(alone, restart, degree)  # with p = D g: (D − (1 − r) W) g = r s; alone, p = s
    solution, _ = solve_laplacian((1 - restart) * W, diagonal, restart * np.asarray(starts, float), tol=1e-10)
    return solution * np.where(alone, 1.0, degree)[:, None]


def stationary_distribution(P: Matrix, teleport: float = 0.01, tol: float = 1e-12) -> NDArray[np.float64]:
    """π = πP of the walk that jumps to a random vertex with a small probability (Zhou et al. 2005)."""
    n = P.shape[0]
    share = np.full(n, 1.0 / n)
    backward = sp.csr_array(P.T)
    for _ in range(int(np.ceil(np.log(tol) / np.log1p(-teleport)))):
        following = (1 - teleport) * (backward @ share) + teleport / n
        change = np.abs(following - share).sum()
        share = following / following.sum()
        if change < tol:
            break
    return share


def directed_spreading_matrix(W: Matrix, teleport: float = 0.01) -> Matrix:
    """Θ = (Π^(1/2) P Π^(−1/2) + Π^(−1/2) Pᵀ Π^(1/2)) / 2 of a directed graph (Zhou et al. 2005).

    The jumps of the teleporting walk give π; Θ itself keeps to the edges, so that it stays sparse.
    """
    P = transition_matrix(W)
    root = np.sqrt(stationary_distribution(P, teleport))
    half = sp.diags_array(root) @ P @ sp.diags_array(1.0 / root)
    return sp.csr_array(0.5 * (half + half.T))

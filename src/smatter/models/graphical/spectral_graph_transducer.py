"""The spectral graph transducer (Joachims 2003)."""

from typing import ClassVar

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq
from scipy.sparse.linalg import eigsh

from smatter.graphs._base import GraphBuilder
from smatter.graphs.components import reached_from_labels
from smatter.graphs.operators import degrees, spreading_matrix, transition_matrix
from smatter.models.graphical._base import GRAPH_RULES, Array, GraphClassifier, GraphProblem, rows_to_one
from smatter.progress import Progress, report
from smatter.validation import Matrix, Number, Rules


class SpectralGraphTransducer(GraphClassifier):
    """The cut of the least average weight, relaxed to real numbers: a transductive k-nearest-neighbor classifier.

    With A = P + Pᵀ, P = D⁻¹ W (seed eq. 2.8), and B the diagonal of its degrees,

        min_z  zᵀ L z + c (z − γ)ᵀ C (z − γ)   with zᵀ B 1 = 0 and zᵀ B z = n,

    where L is the normalized Laplacian, γ_i = +√(l₋/l₊) on the l₊ labeled vertices of a class, −√(l₊/l₋) on the
    other labeled ones, and C_ii = l / (2 l₊) or l / (2 l₋) there. z runs over the d smoothest eigenvectors, whose
    eigenvalues are replaced by their ranks squared. Each class goes against the rest; (z − γ₋) / (γ₊ − γ₋), cut to
    [0, 1], counts as its probability, so that Joachims' threshold (γ₊ + γ₋) / 2 is one half.

    Parameters
    ----------
    graph : graph builder or None, default None
        None is ``KNNGraph(k=10)`` with cosine similarity.
    n_eigenvectors : int, default 80
        d.
    c : float, default 3200
        What an error on the labeled vertices costs.

    References
    ----------
    T. Joachims. Transductive learning via spectral graph partitioning. ICML 2003.

    Examples
    --------
    >>> chain = np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)
    >>> SpectralGraphTransducer().fit_graph(chain, [0, -1, -1, -1, -1, 1]).transduction_.tolist()
    [0, 0, 0, 1, 1, 1]

    """

    rules: ClassVar[Rules] = {**GRAPH_RULES, "n_eigenvectors": Number(1, whole=True), "c": Number(0, above=True)}

    def __init__(self, graph: GraphBuilder | None = None, *, n_eigenvectors: int = 80, c: float = 3200.0) -> None:
        self.graph = graph
        self.n_eigenvectors = n_eigenvectors
        self.c = c

    def _infer(self, problem: GraphProblem) -> tuple[Array, list[float]]:
        V, stiffness = smooth_eigenvectors(problem.W, self.n_eigenvectors)
        targets, labeled = problem.labels.one_hot(), problem.labels.labeled
        n_classes = targets.shape[1]
        scores, objective = np.zeros_like(targets), []
        for code in range(1 if n_classes == 2 else 0, n_classes):
            share, value = self._one_class((V, stiffness), targets[:, code] > 0, labeled)
            scores[:, code] = share
            objective.append(value)
            report(Progress(type(self).__name__, code + 1, n_classes, value))
        if n_classes == 2:
            scores[:, 0] = 1 - scores[:, 1]
        posterior = rows_to_one(scores, problem.prior)
        posterior[~reached_from_labels(problem.W, labeled)] = problem.prior
        return posterior, objective

    def _one_class(self, basis: tuple[Array, Array], positive: np.ndarray, labeled: np.ndarray) -> tuple[Array, float]:
        n_positive, n_labeled = positive.sum(), labeled.sum()
        n_negative = n_labeled - n_positive
        high, low = np.sqrt(n_negative / n_positive), -np.sqrt(n_positive / n_negative)
        gamma = np.where(positive, high, np.where(labeled, low, 0.0))
        cost = np.where(positive, n_labeled / (2 * n_positive), np.where(labeled, n_labeled / (2 * n_negative), 0.0))
        V, stiffness = basis
        G = np.diag(stiffness) + self.c * (V.T * cost) @ V
        b = self.c * V.T @ (cost * gamma)
        w = nearest_on_sphere(G, b, len(V))
        z = V @ w
        objective = float(stiffness @ w**2 + self.c * (cost * (z - gamma) ** 2).sum())
        return np.clip((z - low) / (high - low), 0.0, 1.0), objective


def smooth_eigenvectors(W: Matrix, d: int) -> tuple[Array, Array]:
    """B^(−1/2) U for the d smoothest nontrivial eigenvectors U of the normalized Laplacian of P + Pᵀ.

    With them come their ranks squared; equal eigenvalues share the mean of theirs, so that the answer does not hang
    on which of their vectors were found.
    """
    P = transition_matrix(W)
    A = P + P.T
    S, root, n = spreading_matrix(A), np.sqrt(degrees(A)), W.shape[0]
    d = max(1, min(d, n - 1))
    if n < 400 or d + 1 >= n // 2:
        values, U = eigh(S.toarray())
    else:
        start = np.random.default_rng(0).normal(size=n)
        values, U = eigsh(S, k=d + 1, which="LA", v0=start, tol=1e-4, ncv=min(n, 3 * d + 20))
    smoothest = np.argsort(-values, kind="stable")[: d + 1]
    U, values = _without(root / np.linalg.norm(root), U[:, smoothest], values[smoothest])
    group = np.concatenate([[0], np.cumsum(np.abs(np.diff(values)) > 1e-9)])
    squares = np.arange(1.0, len(values) + 1) ** 2
    return U / root[:, None], (np.bincount(group, squares) / np.bincount(group))[group]


def _without(trivial: Array, U: Array, values: Array) -> tuple[Array, Array]:
    """Turn the trivial vector out of its eigenspace, in which it may lie anywhere if the graph is in pieces."""
    parts = U.T @ trivial
    pivot = int(np.argmax(np.abs(parts)))
    mirror = parts.copy()  # a Householder reflection of the vectors that makes the pivot the trivial one
    mirror[pivot] += np.copysign(np.linalg.norm(parts), parts[pivot])
    turned = U - np.outer(U @ mirror, mirror) * (2.0 / (mirror @ mirror))
    rest = np.arange(U.shape[1]) != pivot
    return turned[:, rest], values[rest]


def nearest_on_sphere(G: Array, b: Array, n: float) -> Array:
    """Minimize wᵀGw − 2bᵀw with wᵀw = n (Gander, Golub & von Matt 1989).

    w = (G − λI)⁻¹ b with λ below all eigenvalues μ of G. There Σ_i b̂_i² / (μ_i − λ)², with b̂ in the base of the
    eigenvectors, rises with λ, and a root finder meets n. If b has no part along the smallest eigenvector, w gets
    what it lacks along it.
    """
    mu, Q = eigh(G)
    rotated = Q.T @ b
    gap = max(float(np.linalg.norm(rotated)) / np.sqrt(n), 1e-300)  # at μ₁ − gap the sum is at most n
    smallest = 1e-13 * gap

    def excess(log_gap: float) -> float:
        return float(((rotated / (mu - mu[0] + np.exp(log_gap))) ** 2).sum()) - n

    if excess(np.log(smallest)) > 0:
        smallest = float(np.exp(brentq(excess, np.log(smallest), np.log(gap) + 1e-9, xtol=1e-14)))
    w = rotated / (mu - mu[0] + smallest)
    w[0] += np.copysign(np.sqrt(max(n - w @ w, 0.0)), w[0]) if w @ w < 0.999 * n else 0.0
    return Q @ w

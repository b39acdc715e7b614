"""The spectral graph transducer (Joachims 2003)."""

from typing import ClassVar

import numpy as np
from scipy.linalg import eigh, eigvals
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
        V = smooth_eigenvectors(problem.W, self.n_eigenvectors)
        targets, labeled = problem.labels.one_hot(), problem.labels.labeled
        n_classes = targets.shape[1]
        scores, objective = np.zeros_like(targets), []
        for code in range(1 if n_classes == 2 else 0, n_classes):
            share, value = self._one_class(V, targets[:, code] > 0, labeled)
            scores[:, code] = share
            objective.append(value)
            report(Progress(type(self).__name__, code + 1, n_classes, value))
        if n_classes == 2:
            scores[:, 0] = 1 - scores[:, 1]
        posterior = rows_to_one(scores, problem.prior)
        posterior[~reached_from_labels(problem.W, labeled)] = problem.prior
        return posterior, objective

    def _one_class(self, V: Array, positive: np.ndarray, labeled: np.ndarray) -> tuple[Array, float]:
        n_positive, n_labeled = positive.sum(), labeled.sum()
        n_negative = n_labeled - n_positive
        high, low = np.sqrt(n_negative / n_positive), -np.sqrt(n_positive / n_negative)
        gamma = np.where(positive, high, np.where(labeled, low, 0.0))
        cost = np.where(positive, n_labeled / (2 * n_positive), np.where(labeled, n_labeled / (2 * n_negative), 0.0))
        n, d = V.shape
        D = np.diag(np.arange(1.0, d + 1) ** 2)
        G = D + self.c * (V.T * cost) @ V
        b = self.c * V.T @ (cost * gamma)
        w = nearest_on_sphere(G, b, n)
        z = V @ w
        objective = float(w @ D @ w + self.c * (cost * (z - gamma) ** 2).sum())
        return np.clip((z - low) / (high - low), 0.0, 1.0), objective


def smooth_eigenvectors(W: Matrix, d: int) -> Array:
    """B^(−1/2) U for the d smoothest nontrivial eigenvectors U of the normalized Laplacian of P + Pᵀ."""
    P = transition_matrix(W)
    A = P + P.T
    S, root = spreading_matrix(A), np.sqrt(degrees(A))
    n = W.shape[0]
    trivial = root / np.linalg.norm(root)
    d = max(1, min(d, n - 1))
    if d + 1 >= n // 2 or n < 200:
        values, U = eigh(S.toarray())
        U = U[:, ::-1][:, : d + 1]
    else:
        start = np.random.default_rng(0).normal(size=n)
        values, U = eigsh(S, k=d + 1, which="LA", v0=start, tol=1e-6)
        U = U[:, np.argsort(-values)]
    return _without(trivial, U, d) / root[:, None]


def _without(trivial: Array, U: Array, d: int) -> Array:
    """Take the trivial vector out of the span, which in a graph of several components may lie anywhere in it."""
    rest = U - np.outer(trivial, trivial @ U)
    kept: list[Array] = []
    for column in rest.T:  # from smooth to rough, so that the order survives
        for other in kept:
            column = column - other * (other @ column)
        norm = np.linalg.norm(column)
        if norm > 1e-6 and len(kept) < d:
            kept.append(column / norm)
    return np.column_stack(kept) if kept else np.zeros((U.shape[0], 1))


def nearest_on_sphere(G: Array, b: Array, n: float) -> Array:
    """Minimize wᵀGw − 2bᵀw with wᵀw = n: w = (G − λI)⁻¹ b for the smallest λ that the sphere allows (Gander et al. 1989).

    λ is the smallest real eigenvalue of [[G, −I], [−bbᵀ/n, G]].
    """
    d = len(b)
    block = np.block([[G, -np.eye(d)], [-np.outer(b, b) / n, G]])
    values = eigvals(block)
    real = values.real[np.abs(values.imag) <= 1e-7 * np.abs(values).max()]
    smallest = real.min() if len(real) else values.real.min()
    w = np.linalg.lstsq(G - smallest * np.eye(d), b, rcond=None)[0]
    return w * np.sqrt(n / max(w @ w, 1e-300))

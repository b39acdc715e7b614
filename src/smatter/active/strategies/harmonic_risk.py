"""I8: the answer that would lower the risk of the harmonic function most (K algorithm 13)."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from smatter.active.state import Floats, State
from smatter.active.strategy import NEVER, Strategy
from smatter.graphs._base import GraphBuilder
from smatter.graphs.knn import KNNGraph
from smatter.graphs.operators import degrees
from smatter.graphs.solvers import solve_laplacian
from smatter.validation import Instance, Matrix, Number, Rules


@dataclass(frozen=True)
class HarmonicRisk(Strategy):
    """−Σ_k f_k(x*) R(f after (x*, k)), the risk being R(f) = Σ_i (1 − max_k f_k(i)); min(f, 1 − f) for two classes.

    f_u = (L_uu + εD)⁻¹ (W_ul Y_l + εD π): harmonic, but for an edge of weight ε d_i from each vertex to the class prior
    π, so that vertices that no label reaches know the prior. With G = (L_uu + εD)⁻¹ a label k on x* gives
    f + (e_k − f(x*)) G[:, x*] / G[x*, x*], and the next G is a rank-one update: one inverse serves all rounds.

    Parameters
    ----------
    graph : graph builder, default KNNGraph(k=10)
        Used where the state brings no graph.
    tie : float, default 1e-6
        ε.
    dense_rows : int, default 6000
        With more unlabeled rows than that there is no inverse: its columns are solved for ``candidates`` rows.
    candidates : int, default 200
        How many rows are then looked at, drawn anew each round; the others are left out.

    References
    ----------
    X. Zhu, J. Lafferty and Z. Ghahramani, Combining active learning and semi-supervised learning using Gaussian fields
    and harmonic functions, ICML workshop, 2003.

    Examples
    --------
    >>> from smatter.labels import encode_labels
    >>> chain = sp.csr_array(np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1))
    >>> state = State(np.full((5, 2), 0.5), encode_labels(["a", None, None, None, "b"]), graph=chain)
    >>> state.candidates[HarmonicRisk().utility(state).argmax()].item()
    2

    """

    rules: ClassVar[Rules] = {
        "graph": Instance((GraphBuilder,), "a graph builder, as KNNGraph(k=10)"),
        "tie": Number(0, above=True),
        "dense_rows": Number(0, whole=True),
        "candidates": Number(1, whole=True),
    }
    graph: GraphBuilder = field(default_factory=KNNGraph)
    tie: float = 1e-6
    dense_rows: int = 6000
    candidates: int = 200

    def utility(self, state: State) -> Floats:
        """Return the risk, negative, expected after each candidate's answer."""
        from smatter.active import _kernels as kernels

        values = np.full(len(state.candidates), NEVER)
        positions = np.arange(len(values))
        if len(state.unlabeled) > self.dense_rows and len(positions) > self.candidates:
            positions = np.sort(state.random(_SAMPLE).choice(positions, self.candidates, replace=False))
        rows = state.candidates[positions]
        equations = _Equations.of(state, self._weights(state), self.tie)
        dense = len(state.unlabeled) <= self.dense_rows
        F, G, at = self._inverted(state, equations, rows) if dense else equations.solved(rows)
        risks = np.empty(len(at))
        kernels.harmonic_risks(G, G[np.arange(len(at)), at], F, np.ascontiguousarray(F[at]), risks)
        values[positions] = -risks
        return values

    def _weights(self, state: State) -> Matrix:
        if state.graph is not None:
            return sp.csr_array(state.graph)
        X = state.need("X", self)
        return state.remember((HarmonicRisk, repr(self.graph)), lambda: sp.csr_array(_built(self.graph, X)))

    def _inverted(self, state: State, equations: "_Equations", rows: NDArray[np.intp]) -> "_Solved":
        key = (HarmonicRisk, repr(self.graph), self.tie, "inverse")
        inverse: _Inverse | None = state.memory.get(key)
        if inverse is None or not inverse.leads_to(state.unlabeled):
            inverse = state.memory[key] = _Inverse(equations)
        inverse.follow(state.unlabeled)
        return inverse.solved(equations, rows)


_Solved = tuple[Floats, Floats, NDArray[np.intp]]  # f, rows of G for the candidates, where those stand in f
_SAMPLE = 6


def _built(builder: GraphBuilder, X: Matrix) -> Matrix:
    from sklearn.base import clone

    W = clone(builder).build(X)
    return W.maximum(W.T)


@dataclass(frozen=True)
class _Equations:
    """The linear system of the unlabeled vertices, (D_uu + εD − W_uu) f = W_ul Y_l + εD π."""

    rows: NDArray[np.intp]
    among: Matrix  # W_uu
    diagonal: Floats
    right: Floats

    @classmethod
    def of(cls, state: State, W: Matrix, tie: float) -> "_Equations":
        """Cut the system out of the graph; a vertex without an edge hangs on the prior alone."""
        free, counts = state.unlabeled, state.labels.counts
        prior = (counts + 1.0) / (counts + 1.0).sum()
        to_all, degree = W[free], degrees(W)[free]
        pull = np.where(degree > 0, tie * degree, 1.0)
        right = to_all @ state.labels.one_hot() + pull[:, None] * prior
        return cls(free, sp.csr_array(to_all[:, free]), degree + pull, np.asarray(right))

    def solved(self, rows: NDArray[np.intp]) -> _Solved:
        """Solve for f and the rows of G that are asked for, by conjugate gradients."""
        at, (n, K) = np.searchsorted(self.rows, rows), self.right.shape
        units = np.zeros((n, len(at)))
        units[at, np.arange(len(at))] = 1.0
        both, _ = solve_laplacian(self.among, self.diagonal, np.hstack([self.right, units]), tol=1e-8)
        return np.ascontiguousarray(both[:, :K]), np.ascontiguousarray(both[:, K:].T), at


class _Inverse:
    """G, kept up to date as vertices are labeled: their rows and columns become 0."""

    def __init__(self, equations: _Equations) -> None:
        from scipy.linalg import cho_factor, cho_solve

        self.rows = equations.rows
        self.alive = np.ones(len(self.rows), dtype=bool)
        system = (sp.diags_array(equations.diagonal) - equations.among).toarray()
        factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        self.G = np.ascontiguousarray(cho_solve(factor, np.eye(len(self.rows)), overwrite_b=True, check_finite=False))

    def leads_to(self, unlabeled: NDArray[np.intp]) -> bool:
        """Say whether few vertices have left since; after many, or one that is back, a new inverse is cheaper."""
        known = np.isin(unlabeled, self.rows[self.alive], assume_unique=True).all()
        return bool(known and len(self.rows) - len(unlabeled) <= max(10, len(self.rows) // 10))

    def follow(self, unlabeled: NDArray[np.intp]) -> None:
        """Eliminate the vertices that have been labeled."""
        from smatter.active import _kernels as kernels

        stays = np.isin(self.rows, unlabeled, assume_unique=True)
        for k in np.flatnonzero(self.alive & ~stays):
            kernels.eliminate(self.G, k)
            self.alive[k] = False

    def solved(self, equations: _Equations, rows: NDArray[np.intp]) -> _Solved:
        """Return f = G b and the rows of G; an eliminated vertex has f = 0, and adds the same to every risk."""
        right = np.zeros((len(self.rows), equations.right.shape[1]))
        right[self.alive] = equations.right
        at = np.searchsorted(self.rows, rows)
        return self.G @ right, self.G[at], at

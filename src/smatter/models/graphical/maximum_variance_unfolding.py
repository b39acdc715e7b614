"""Maximum variance unfolding, whole and from landmarks (Weinberger & Saul 2006; Weinberger, Packer & Saul 2005)."""

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import null_space
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from smatter.errors import InputError, MissingExtraError
from smatter.graphs.components import components
from smatter.graphs.knn import KNNGraph
from smatter.graphs.linear_neighborhood import LinearNeighborhoodGraph
from smatter.validation import SEED, Matrix, Number, OneOf, Rules, check_matrix, check_parameters

Array = NDArray[np.float64]
WHOLE_UP_TO = 80  # rows; the time of the semidefinite program grows with their sixth power


class MaximumVarianceUnfolding(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Pull the rows apart as far as their neighbors' distances allow, and keep the main directions.

        max tr K   with K ⪰ 0, Σ_ij K_ij = 0, K_ii − 2 K_ij + K_jj ≤ ‖x_i − x_j‖²

    for all i, j that are neighbors or share one (distances may shrink, as in the landmark paper, where the first one
    has equality); the leading eigenvectors of K, times the roots of their eigenvalues, are the embedding. Up to 80
    rows K itself is sought. Beyond, K = Q L Qᵀ, where Q rebuilds all rows from a few landmarks by the weights of
    locally linear embedding, and only L is sought. Constraints join the program as they are found broken.

    Parameters
    ----------
    n_components : int, default 2
        Dimensions of the embedding.
    n_neighbors : int, default 4
        Neighbors whose distances are kept. The graph must be connected.
    n_landmarks : int or None, default None
        None seeks all of K up to 80 rows and takes 30 landmarks beyond.
    solver : {"CLARABEL", "SCS"}, default "CLARABEL"
        The solver of the semidefinite program (extra ``sdp``).
    random_state : int, RandomState or None, default 0
        Chooses the landmarks.

    References
    ----------
    K. Weinberger, L. Saul. Unsupervised learning of image manifolds by semidefinite programming. IJCV 70(1), 2006.
    K. Weinberger, B. Packer, L. Saul. Nonlinear dimensionality reduction by semidefinite programming and kernel matrix
    factorization. AISTATS 2005.

    Examples
    --------
    >>> angle = np.linspace(0, 3, 12)
    >>> bow = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> line = MaximumVarianceUnfolding(1, n_neighbors=2).fit_transform(bow).ravel()
    >>> bool(np.all(np.diff(line * np.sign(line[-1])) > 0))
    True

    """

    rules: ClassVar[Rules] = {
        "n_components": Number(1, whole=True),
        "n_neighbors": Number(1, whole=True),
        "n_landmarks": (OneOf(None), Number(2, whole=True)),
        "solver": OneOf("CLARABEL", "SCS"),
        "random_state": SEED,
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int = 4,
        n_landmarks: int | None = None,
        solver: str = "CLARABEL",
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.n_landmarks = n_landmarks
        self.solver = solver
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Embed the rows of X."""
        check_parameters(self, self.rules)
        X = check_matrix(self, X, reset=True)
        if X.shape[0] < 2:
            raise InputError(f"X has {X.shape[0]} row (n_samples={X.shape[0]}), but 2 at least are needed: add rows.")
        X = X.toarray() if sp.issparse(X) else X
        pairs, squares = self._pairs(X)
        scale = squares.mean() if squares.any() else 1.0
        factor = self._solve(self._mixtures(X), pairs, squares / scale)
        self.embedding_ = _leading(factor * np.sqrt(scale), self.n_components)
        self._n_features_out = self.embedding_.shape[1]
        self.builder_ = LinearNeighborhoodGraph(self.n_neighbors, "euclidean")
        self.builder_.build(X)
        return self

    def fit_transform(self, X: Any, y: ArrayLike | None = None) -> Array:
        """Return the embedding of the rows of X."""
        return self.fit(X).embedding_

    def transform(self, X: Any) -> Array:
        """Put new rows where the weights that rebuild them from their neighbors put them."""
        check_is_fitted(self)
        X = check_matrix(self, X, reset=False)
        return np.asarray(self.builder_.neighbors_of(X) @ self.embedding_)

    def _mixtures(self, X: Array) -> Array:
        """Q, which makes all rows from the unknown ones: the identity, or weights of the landmarks."""
        n = X.shape[0]
        m = (n if n <= WHOLE_UP_TO else 30) if self.n_landmarks is None else min(self.n_landmarks, n)
        if m == n:
            return np.eye(n)
        landmarks = np.sort(check_random_state(self.random_state).permutation(n)[:m])
        return rebuilt_from(X, landmarks, max(self.n_neighbors, 2))

    def _pairs(self, X: Array) -> tuple[NDArray[np.int64], Array]:
        W = KNNGraph(self.n_neighbors, "euclidean").build(X)
        pieces = int(components(W).max()) + 1
        if pieces > 1:
            raise InputError(
                f"The {self.n_neighbors} nearest neighbors form {pieces} components, which could fly apart without "
                "end; the graph must be connected: raise n_neighbors."
            )
        near = sp.csr_array(W > 0, dtype=np.float64)
        i, j = sp.triu(near + near @ near, k=1).tocoo().coords
        return np.column_stack([i, j]).astype(np.int64), ((X[i] - X[j]) ** 2).sum(axis=1)

    def _solve(self, Q: Array, pairs: NDArray[np.int64], squares: Array) -> Array:
        """A root of K = Q L Qᵀ. L lives where the rows of Q R sum to 0, so that the program has interior points."""
        total = Q.sum(axis=0)[:, None]
        R = Q @ null_space(total.T)
        gaps, active = R[pairs[:, 0]] - R[pairs[:, 1]], np.zeros(len(pairs), dtype=bool)
        active[:: max(1, len(pairs) // (4 * R.shape[1]))] = True
        for _ in range(30):
            root = self._solve_some(R, gaps[active], squares[active])
            broken = ((gaps @ root) ** 2).sum(axis=1) > squares * 1.001 + 1e-6
            if not (broken & ~active).any():
                break
            active |= broken
        return R @ root

    def _solve_some(self, R: Array, gaps: Array, squares: Array) -> Array:
        cp = _cvxpy()
        m = R.shape[1]
        L = cp.Variable((m, m), PSD=True)
        distances = cp.sum(cp.multiply(gaps @ L, gaps), axis=1)
        # a bound that only a loose set of constraints could reach keeps the program from running to infinity
        problem = cp.Problem(cp.Maximize(cp.trace(R.T @ R @ L)), [distances <= squares, cp.trace(L) <= 1e3 * m**2])
        try:
            problem.solve(solver=self.solver)
        except cp.SolverError as error:
            raise InputError(
                f"The semidefinite program of {m} landmarks was not solved by {self.solver}: take the other solver, or "
                "fewer landmarks."
            ) from error
        return _root(L.value)


def rebuilt_from(X: Array, landmarks: NDArray[np.int64], k: int) -> Array:
    """Q (n × m): every row as a mixture of the landmarks, by the weights of locally linear embedding.

    With Φ = (I − W)ᵀ(I − W), Q is the identity at the landmarks and −Φ_uu⁻¹ Φ_ul elsewhere.
    """
    n = X.shape[0]
    W = KNNGraph(k, "euclidean", symmetry="none").build(X)
    residue = np.eye(n)
    for i in range(n):
        near = W.indices[W.indptr[i] : W.indptr[i + 1]]
        gap = X[near] - X[i]
        gram = gap @ gap.T
        gram[np.diag_indices(len(near))] += 1e-3 * max(np.trace(gram), 1e-12)
        weights = np.linalg.solve(gram, np.ones(len(near)))
        residue[i, near] -= weights / weights.sum()
    phi = residue.T @ residue
    others = np.setdiff1d(np.arange(n), landmarks)
    Q = np.zeros((n, len(landmarks)))
    Q[landmarks] = np.eye(len(landmarks))
    among = phi[np.ix_(others, others)]
    Q[others] = np.linalg.lstsq(among, -phi[np.ix_(others, landmarks)], rcond=1e-10)[0]
    return Q


def _root(K: Matrix) -> Array:
    """Return a matrix R with R Rᵀ = K, negative eigenvalues of rounding left out."""
    if K is None:
        raise InputError("The semidefinite program was not solved: raise n_neighbors, or take the other solver.")
    values, vectors = np.linalg.eigh(0.5 * (K + K.T))
    return vectors * np.sqrt(np.maximum(values, 0.0))


def _leading(factor: Array, d: int) -> Array:
    """Project on the main directions, with signs that do not depend on the machine."""
    U, singular, _ = np.linalg.svd(factor - factor.mean(axis=0), full_matrices=False)
    embedding = np.zeros((factor.shape[0], d))
    kept = min(d, len(singular))
    embedding[:, :kept] = U[:, :kept] * singular[:kept]
    largest = np.abs(embedding).argmax(axis=0)
    signs = np.sign(embedding[largest, np.arange(d)])
    return embedding * np.where(signs == 0, 1.0, signs)


def _cvxpy() -> Any:
    try:
        import cvxpy
    except ImportError as error:
        raise MissingExtraError(
            "MaximumVarianceUnfolding needs cvxpy, which is not installed: pip install 'smatter[sdp]'."
        ) from error
    return cvxpy

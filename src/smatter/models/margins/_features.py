"""The features that a linear margin model sees: X itself, or the coordinates that a kernel gives the training rows.

A kernel machine over n rows is a linear machine on Φ with Φ Φᵀ = K (Chapelle & Zien 2005, section 3): K = V Λ Vᵀ gives
Φ = V Λ^½, and an unseen row z has the coordinates k(z, X) V Λ^−½. Exact, cubic in n, so for a few thousand rows.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel

from smatter.errors import InputError
from smatter.validation import Matrix

Kernel = Callable[[Any, Any], NDArray[np.float64]]
MAX_KERNEL_ROWS = 5000


@dataclass(frozen=True)
class Linear:
    """X as it is."""

    def __call__(self, X: Matrix) -> Matrix:
        """Return X."""
        return X


@dataclass(frozen=True)
class KernelCoordinates:
    """Coordinates of rows in the space that the training rows span under a kernel."""

    kernel: Kernel
    training_rows: Matrix
    projection: NDArray[np.float64]

    def __call__(self, X: Matrix) -> NDArray[np.float64]:
        """Return the coordinates of the rows of X."""
        return np.asarray(self.kernel(X, self.training_rows) @ self.projection)


def fit_features(kernel: str | Kernel, X: Matrix) -> Linear | KernelCoordinates:
    """Return the map from rows to features that the kernel asks for."""
    if kernel == "linear":
        return Linear()
    if X.shape[0] > MAX_KERNEL_ROWS:
        raise InputError(
            f"kernel={kernel!r} with {X.shape[0]} rows; a kernel matrix is made for at most {MAX_KERNEL_ROWS} rows, as "
            "its cost is cubic: pass kernel='linear' or fewer rows."
        )
    function = RadialBasis(scale_width(X)) if isinstance(kernel, str) else kernel
    K = np.asarray(function(X, X), dtype=np.float64)
    if K.shape != (X.shape[0], X.shape[0]) or not np.isfinite(K).all() or not np.allclose(K, K.T, atol=1e-8):
        raise InputError(
            f"kernel={kernel!r} gave an array of shape {K.shape} for {X.shape[0]} rows; it must be a symmetric matrix "
            "of finite numbers, one row and one column a row of X: correct the function."
        )
    eigenvalues, vectors = np.linalg.eigh(0.5 * (K + K.T))
    kept = eigenvalues > 1e-10 * max(eigenvalues[-1], 1e-300)
    return KernelCoordinates(function, X, vectors[:, kept] / np.sqrt(eigenvalues[kept]))


@dataclass(frozen=True)
class RadialBasis:
    """exp(−γ‖x − z‖²); a class and not a closure, so that a fitted model pickles."""

    gamma: float

    def __call__(self, X: Any, Z: Any) -> NDArray[np.float64]:
        return np.asarray(rbf_kernel(X, Z, gamma=self.gamma))


def scale_width(X: Matrix) -> float:
    """Return scikit-learn's gamma="scale": one over the number of features and the variance of their entries."""
    mean = X.mean()
    variance = (X.multiply(X).mean() if sp.issparse(X) else (X * X).mean()) - mean * mean
    return float(1.0 / (X.shape[1] * variance)) if variance > 0.0 else 1.0

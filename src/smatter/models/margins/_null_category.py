"""Expectation propagation for a binary Gaussian process with the null-category noise model."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.special import ndtr

from smatter.models.margins._rows import Vector

_DAMPING = 0.7
_TINY = 1e-300


@dataclass(frozen=True)
class Evidence:
    """How each row's likelihood is made: right · Φ((f − h)/s) + left · Φ(−(f + h)/s), h half the null category's width.

    A positive row has (right, left) = (1, 0), a negative one (0, 1), an unlabeled one (½, ½): it may be on either side,
    but not in the null category between them.
    """

    right: Vector
    left: Vector
    half_width: float
    noise: float

    def moments(self, mean: Vector, variance: Vector) -> tuple[Vector, Vector, Vector]:
        """Return log Z of N(f; mean, variance) × likelihood, its first and its negative second derivative."""
        scale = np.sqrt(self.noise + variance)
        b, c = (mean - self.half_width) / scale, -(mean + self.half_width) / scale
        right, left = self.right * _density(b), self.left * _density(c)
        Z = np.maximum(self.right * ndtr(b) + self.left * ndtr(c), _TINY)
        slope = (right - left) / (scale * Z)
        bend = slope * slope + (b * right + c * left) / (scale * scale * Z)
        return np.log(Z), slope, bend


@dataclass(frozen=True)
class Posterior:
    """N(mean, covariance) over f at the training rows, as precisions and shifts of one site a row."""

    precision: Vector
    shift: Vector
    factor: NDArray[np.float64]
    mean: Vector
    variance: Vector
    log_evidence: float

    def predict(
        self, cross: NDArray[np.float64], prior_variance: Vector, K: NDArray[np.float64]
    ) -> tuple[Vector, Vector]:
        """Return mean and variance of f at rows with the covariances ``cross`` to the training rows."""
        root = np.sqrt(self.precision)
        weights = self.shift - root * cho_solve((self.factor, True), root * (K @ self.shift))
        half = solve_triangular(self.factor, root[:, np.newaxis] * cross.T, lower=True)
        return cross @ weights, np.maximum(prior_variance - (half * half).sum(axis=0), 1e-12)


def propagate(
    K: NDArray[np.float64], evidence: Evidence, tol: float, max_iter: int
) -> tuple[Posterior, list[float], bool]:
    """Run damped parallel expectation propagation until no site moves by more than tol.

    The likelihood of an unlabeled row is not log-concave. Where matching moments would ask for a negative precision,
    the site has none and only shifts the mean, as the widening of the posterior would be lost in the next sweep.
    """
    n_rows = len(K)
    precision, shift = np.zeros(n_rows), np.zeros(n_rows)
    path: list[float] = []
    converged = False
    for _ in range(max_iter):
        factor, mean, variance = _gaussian(K, precision, shift)
        cavity_precision = np.maximum(1.0 / variance - precision, 1e-12)
        cavity_variance = 1.0 / cavity_precision
        cavity_mean = cavity_variance * (mean / variance - shift)
        log_Z, slope, bend = evidence.moments(cavity_mean, cavity_variance)
        path.append(_log_evidence((precision, shift), factor, mean, (cavity_mean, cavity_variance, log_Z)))
        matched = np.maximum(bend / np.maximum(1.0 - bend * cavity_variance, 1e-10), 0.0)
        target = matched * (cavity_mean + cavity_variance * slope) + slope
        moved = max(np.abs(matched - precision).max(), np.abs(target - shift).max())
        if moved <= tol:
            converged = True
            break
        precision += _DAMPING * (matched - precision)
        shift += _DAMPING * (target - shift)
    factor, mean, variance = _gaussian(K, precision, shift)
    return Posterior(precision, shift, factor, mean, variance, path[-1]), path, converged


def _gaussian(K: NDArray[np.float64], precision: Vector, shift: Vector) -> tuple[NDArray[np.float64], Vector, Vector]:
    """Cholesky factor of B = I + S^½ K S^½, and mean and variances of the posterior (Rasmussen & Williams, 3.53 f.)."""
    root = np.sqrt(precision)
    factor = cholesky(np.eye(len(K)) + root[:, np.newaxis] * K * root, lower=True)
    half = solve_triangular(factor, root[:, np.newaxis] * K, lower=True)
    mean = K @ shift - half.T @ (half @ shift)
    return factor, mean, np.maximum(np.diag(K) - (half * half).sum(axis=0), 1e-12)


def _log_evidence(
    sites: tuple[Vector, Vector], factor: NDArray[np.float64], mean: Vector, cavity: tuple[Vector, Vector, Vector]
) -> float:
    precision, shift = sites
    cavity_mean, cavity_variance, log_Z = cavity
    widened = 1.0 + precision * cavity_variance
    exponent = cavity_variance * shift * shift + 2.0 * shift * cavity_mean - precision * cavity_mean * cavity_mean
    site_scale = log_Z + 0.5 * np.log(widened) - 0.5 * exponent / widened
    return float(site_scale.sum() - np.log(np.diag(factor)).sum() + 0.5 * shift @ mean)


def _density(x: Vector) -> Vector:
    return np.asarray(np.exp(-0.5 * x * x) / np.sqrt(2.0 * np.pi))

"""Gaussian components: their densities, their prior and the M-step, for three shapes of covariance."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

import numpy as np
from scipy.linalg import LinAlgError, cholesky, lapack

from smatter.errors import InputError
from smatter.models.bayes._rows import Floats

_TINY = 1e-300


@dataclass(frozen=True)
class Prior:
    """What each covariance leans to: ``rows`` imaginary rows of variances ``scale`` (Σ_0)."""

    rows: float
    scale: Floats


class Shape(Protocol):
    """What a covariance is made of."""

    def estimate(self, centered: Floats, weights: Floats, prior: Prior) -> Floats: ...
    def log_density(self, centered: Floats, covariance: Floats) -> Floats: ...
    def divergence(self, covariance: Floats, scale: Floats) -> float: ...


class Full:
    """Any positive definite Σ, through its Cholesky factor."""

    def estimate(self, centered: Floats, weights: Floats, prior: Prior) -> Floats:
        """Σ = (S + ν Σ_0) / (N + ν)."""
        scatter = (centered * weights[:, None]).T @ centered
        return (scatter + prior.rows * np.diag(prior.scale)) / (weights.sum() + prior.rows)

    def log_density(self, centered: Floats, covariance: Floats) -> Floats:
        """−½ (x − μ)ᵀ Σ⁻¹ (x − μ) − ½ log |2πΣ|."""
        whiten, log_determinant = _inverse_root(covariance)
        whitened = centered @ whiten.T
        log_mass = log_determinant + len(whiten) * np.log(2 * np.pi)
        return -0.5 * (np.einsum("ij,ij->i", whitened, whitened) + log_mass)

    def divergence(self, covariance: Floats, scale: Floats) -> float:
        """Log |Σ| + tr(Σ⁻¹ Σ_0)."""
        whiten, log_determinant = _inverse_root(covariance)
        return float(log_determinant + (whiten**2 @ scale).sum())


class Diagonal:
    """Variances alone: features are independent within a component."""

    def estimate(self, centered: Floats, weights: Floats, prior: Prior) -> Floats:
        """Return the diagonal of the full estimate."""
        return ((weights[:, None] * centered**2).sum(axis=0) + prior.rows * prior.scale) / (weights.sum() + prior.rows)

    def log_density(self, centered: Floats, covariance: Floats) -> Floats:
        """Sum over the features."""
        return -0.5 * (centered**2 / covariance).sum(axis=1) - 0.5 * np.log(2 * np.pi * covariance).sum()

    def divergence(self, covariance: Floats, scale: Floats) -> float:
        """Log |Σ| + tr(Σ⁻¹ Σ_0)."""
        return float((np.log(covariance) + scale / covariance).sum())


class Spherical(Diagonal):
    """One variance for all features."""

    def estimate(self, centered: Floats, weights: Floats, prior: Prior) -> Floats:
        """Return the mean of the variances."""
        variances = super().estimate(centered, weights, prior)
        return np.full_like(variances, variances.sum() / max(len(variances), 1))


SHAPES: Mapping[str, Shape] = MappingProxyType({"full": Full(), "diagonal": Diagonal(), "spherical": Spherical()})


@dataclass(frozen=True)
class Gaussians:
    """The parameters θ: log P(m), the means (M × d) and the covariances (M × d × d, or variances M × d)."""

    log_prior: Floats
    means: Floats
    covariances: Floats
    shape: Shape


def m_step(X: Floats, weighted: Floats, prior: Prior, shape: Shape) -> Gaussians:
    """Weighted means and covariances of each component, and its share of the rows."""
    totals = np.maximum(weighted.sum(axis=0), _TINY)
    means = weighted.T @ X / totals[:, None]
    covariances = [shape.estimate(X - mean, weights, prior) for mean, weights in zip(means, weighted.T, strict=True)]
    return Gaussians(np.log(totals / totals.sum()), means, np.stack(covariances), shape)


def log_joint(X: Floats, model: Gaussians) -> Floats:
    """Return log P(m) N(x; μ_m, Σ_m) of every row and component."""
    scores = np.empty((len(X), len(model.means)))
    for m, (mean, covariance) in enumerate(zip(model.means, model.covariances, strict=True)):
        scores[:, m] = model.shape.log_density(X - mean, covariance)
    return scores + model.log_prior


def log_prior_of(model: Gaussians, prior: Prior) -> float:
    """−ν/2 Σ_m [log |Σ_m| + tr(Σ_m⁻¹ Σ_0)]: the inverse Wishart under which the M-step is the maximum."""
    divergences = [model.shape.divergence(covariance, prior.scale) for covariance in model.covariances]
    return -0.5 * prior.rows * float(np.sum(divergences))


def pooled_variances(X: Floats, weights: Floats) -> Floats:
    """Return the variance of each feature over all rows; 0 where it is nothing but rounding."""
    with np.errstate(over="ignore", invalid="ignore"):
        means = np.average(X, axis=0, weights=weights)
        variances = np.average((X - means) ** 2, axis=0, weights=weights)
    if not np.isfinite(variances).all():
        column = int(np.argmin(np.isfinite(variances)))
        raise InputError(
            f"Column {column} of X holds values up to {np.abs(X[:, column]).max():g}, whose squares no float holds: "
            "divide the column by a constant."
        )
    rounding = (len(X) * np.finfo(np.float64).eps * means) ** 2
    return np.where(variances > np.maximum(rounding, _TINY), variances, 0.0)


def _inverse_root(covariance: Floats) -> tuple[Floats, float]:
    """Return L⁻¹ and log |Σ| of Σ = L Lᵀ."""
    try:
        root = np.asarray(cholesky(covariance, lower=True))
    except LinAlgError as error:
        raise InputError(
            "A covariance is not positive definite: features are copies of each other to the last digit, or differ in "
            "scale beyond what floats hold. Raise smoothing, scale the features or drop copies."
        ) from error
    inverse, _ = lapack.dtrtri(root, lower=1)  # solve_triangular wakes all threads, whatever the size
    return np.asarray(inverse), 2 * float(np.log(np.diag(root)).sum())

"""Slow, obvious twins of the margin models' kernels and searches: dense, one formula a line."""

from itertools import combinations

import numpy as np
from scipy.optimize import minimize


def extended(X, mean, intercept):
    """The rows that the kernels only pretend to make: centered, with the constant feature."""
    return np.column_stack([X - mean, np.full(len(X), intercept)])


def hinge_to_the_knee(t, knee):
    slack = np.maximum(0.0, 1.0 - t)
    return np.where(slack < knee, slack**2, knee * (2.0 * slack - knee) if np.isfinite(knee) else slack**2)


def row_loss(score, positive, negative, linear, knee):
    return positive * hinge_to_the_knee(score, knee) + negative * hinge_to_the_knee(-score, knee) + linear * score


def losses(scores, positive, negative, linear, knee):
    return np.array([row_loss(*row) for row in zip(scores, positive, negative, linear, knee, strict=True)])


def objective(weights, Z, offset, terms):
    """½‖w‖² + the losses of the scores Z w + offset."""
    return 0.5 * weights @ weights + losses(Z @ weights + offset, *terms).sum()


def squared_hinge_minimum(Z, positive, negative):
    """The weighted squared-hinge machine by a general quasi-Newton method: (weights, objective)."""

    def value_and_gradient(weights):
        scores = Z @ weights
        slack_positive, slack_negative = np.maximum(0, 1 - scores), np.maximum(0, 1 + scores)
        value = 0.5 * weights @ weights + positive @ slack_positive**2 + negative @ slack_negative**2
        slope = -2 * positive * slack_positive + 2 * negative * slack_negative
        return value, weights + Z.T @ slope

    found = minimize(
        value_and_gradient,
        np.zeros(Z.shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": 5000, "ftol": 1e-15, "gtol": 1e-9},
    )
    return found.x, found.fun


def exhaustive_transduction(Z, signs, cost, n_positive):
    """The least objective of the transductive machine over all labelings with ``n_positive`` positives."""
    unlabeled = np.flatnonzero(signs == 0)
    best, best_signs = np.inf, None
    for chosen in combinations(unlabeled, n_positive):
        labeling = signs.copy()
        labeling[unlabeled] = -1
        labeling[list(chosen)] = 1
        _, value = squared_hinge_minimum(Z, cost * (labeling > 0), cost * (labeling < 0))
        if value < best:
            best, best_signs = value, labeling
    return best, best_signs

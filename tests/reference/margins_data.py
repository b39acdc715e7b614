"""Small data on which the slides show what unlabeled rows do."""

import numpy as np


def two_gaussians(draw, n_per_class=50, n_labeled=2, distance=4.0):
    """Two round clouds on a line, ``n_labeled`` labels each: (X, y with -1 for unlabeled, truth)."""
    truth = np.repeat([0, 1], n_per_class)
    X = draw.normal(size=(2 * n_per_class, 2))
    X[:, 0] += distance * (truth - 0.5)
    return X, labels_of_first(draw, truth, n_labeled), truth


def two_moons(draw, n_per_class=100, n_labeled=2, noise=0.08):
    """Two interleaved half circles."""
    angle = np.linspace(0.0, np.pi, n_per_class)
    upper = np.column_stack([np.cos(angle), np.sin(angle)])
    lower = np.column_stack([1.0 - np.cos(angle), 0.5 - np.sin(angle)])
    truth = np.repeat([0, 1], n_per_class)
    X = np.vstack([upper, lower]) + noise * draw.normal(size=(2 * n_per_class, 2))
    return X, labels_of_first(draw, truth, n_labeled), truth


def labels_of_first(draw, truth, n_labeled):
    y = np.full(len(truth), -1)
    for code in np.unique(truth):
        chosen = draw.permutation(np.flatnonzero(truth == code))[:n_labeled]
        y[chosen] = code
    return y

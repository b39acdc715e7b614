"""Small made-up collections that any model can learn."""

import numpy as np
import scipy.sparse as sp


def topics(n_classes: int = 3, n_per_class: int = 20, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    """Counts of words: each class has four words of its own, and four that all share."""
    random = np.random.RandomState(seed)
    truth = np.repeat(np.arange(n_classes), n_per_class)
    rates = np.full((n_classes, 4 * n_classes + 4), 0.15)
    for c in range(n_classes):
        rates[c, 4 * c : 4 * c + 4] = 3.0
    rates[:, -4:] = 1.0
    order = random.permutation(len(truth))
    return sp.csr_array(random.poisson(rates[truth])[order].astype(np.float64)), truth[order]


def smattering(truth: np.ndarray, n_labels: int = 4, names: list | None = None, unlabeled: object = -1) -> np.ndarray:
    """Keep the first ``n_labels`` labels of each class, under the given names; the rest is unlabeled."""
    names = list(range(int(truth.max()) + 1)) if names is None else names
    y = np.full(len(truth), unlabeled, dtype=object if unlabeled != -1 else np.asarray(names).dtype)
    for code, name in enumerate(names):
        y[np.flatnonzero(truth == code)[:n_labels]] = name
    return y

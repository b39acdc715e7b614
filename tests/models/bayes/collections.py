"""Small made-up collections and the one way to turn them into the twins' settings."""

from typing import Any

import numpy as np

from reference.bayes import Setting


def counts(n: int = 24, d: int = 7, n_classes: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Counts of words that lean to the class of their document, and the classes."""
    random = np.random.RandomState(seed)
    truth = np.arange(n) % n_classes
    rates = random.gamma(0.6, 1.5, size=(n_classes, d))
    X = random.poisson(rates[truth]).astype(np.float64)
    X[X.sum(axis=1) == 0, 0] = 1.0
    return X, truth


def table(n: int = 24, n_classes: int = 3, seed: int = 0, missing: float = 0.15) -> tuple[np.ndarray, np.ndarray]:
    """Three attributes of words and whole numbers, some of them missing."""
    random = np.random.RandomState(seed)
    truth = np.arange(n) % n_classes
    columns = [
        np.array(["a", "b", "c"], dtype=object)[(truth + (random.rand(n) < 0.4) * random.randint(3, size=n)) % 3],
        (truth % 2 + random.randint(3, size=n)).astype(object),
        np.array(["x", "y"], dtype=object)[random.randint(2, size=n)],
    ]
    X = np.stack(columns, axis=1)
    X[random.rand(n, 3) < missing] = None
    return X, truth


def rows_for(event: str, **options: Any) -> tuple[np.ndarray, np.ndarray]:
    return table(**options) if event == "categorical" else counts(**options)


def partly(truth: np.ndarray, n_labels: int, seed: int = 0) -> np.ndarray:
    """Keep ``n_labels`` labels of each class."""
    random, y = np.random.RandomState(seed), np.full(len(truth), -1)
    for code in np.unique(truth):
        kept = random.choice(np.flatnonzero(truth == code), n_labels, replace=False)
        y[kept] = code
    return y


def setting(event: str, X: np.ndarray, y: np.ndarray, weight: float = 1.0, **options: Any) -> Setting:
    """The twin's setting: one component a class, unlabeled rows weighing ``weight``."""
    weights = np.where(y == -1, weight, 1.0) * options.pop("sample_weight", np.ones(len(y)))
    owner = options.pop("owner", list(range(int(y.max()) + 1)))
    return Setting(event, X.tolist(), y.tolist(), weights.tolist(), owner, **options)


EVENTS = ["multinomial", "bernoulli", "categorical"]

import numpy as np
import pytest


def draw_corpus(rng, n=60, n_words=30, K=3, length=40, spread=0.15):
    """Counts of documents of K classes, one Dirichlet aspect each; rows with their class."""
    P = rng.dirichlet(np.full(n_words, spread), size=K)
    y = np.arange(n) % K
    return np.array([rng.multinomial(length, 0.9 * P[k] + 0.1 / n_words) for k in y], dtype=float), y


@pytest.fixture
def corpus():
    rng = np.random.default_rng(7)
    X, y = draw_corpus(rng)
    shown = y.copy()
    shown[12:] = -1
    return X, shown, y

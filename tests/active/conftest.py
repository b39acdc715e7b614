import numpy as np
import pytest
import scipy.sparse as sp

from smatter.active.state import State
from smatter.labels import encode_labels


@pytest.fixture
def collection():
    """Forty short documents of three classes that share words, and their true codes."""
    random = np.random.default_rng(5)
    codes = np.arange(40) % 3
    profiles = random.dirichlet(np.full(12, 0.4), size=3)
    return sp.csr_array(np.array([random.multinomial(15, profiles[k]) for k in codes], dtype=float)), codes


@pytest.fixture
def state(collection):
    """The first nine documents labeled, posteriors drawn at random."""
    X, codes = collection
    shown = np.where(np.arange(len(codes)) < 9, codes, -1)
    posterior = np.random.default_rng(0).dirichlet(np.ones(3), size=len(codes))
    posterior[:9] = np.eye(3)[codes[:9]]
    return State(posterior, encode_labels(shown), X=X, history=(posterior,), decisions=(posterior.argmax(axis=1),))

"""Peak memory of a fit: at most twice the sparse input and four tables of classes × words, all arrays counted."""

import os
import tracemalloc
from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp

from smatter import ManyComponentNaiveBayes, NaiveBayes, NaiveBayesEM

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.skipif(
        os.environ.get("NUMBA_DISABLE_JIT", "0") != "0", reason="kernels in plain Python take minutes for this"
    ),
]
SHAPES = {"many words": (6000, 20000, 20, 90), "many rows": (20000, 500, 2, 40)}
MODELS = {
    "supervised": lambda: NaiveBayes(),
    "supervised, presence": lambda: NaiveBayes("bernoulli"),
    "one weight": lambda: NaiveBayesEM(1.0, smoothing=0.1, max_iter=4),
    "all chosen": lambda: NaiveBayesEM(max_iter=3),
    "all chosen, presence": lambda: NaiveBayesEM(event_model="bernoulli", max_iter=3),
    "one component": lambda: ManyComponentNaiveBayes(1, max_iter=4),
}


@cache
def documents(shape: str, dtype: type) -> tuple[sp.csr_array, np.ndarray, int]:
    n, d, n_classes, length = SHAPES[shape]
    random = np.random.RandomState(0)
    words = np.minimum(d * random.power(0.3, size=(n, length)), d - 1).astype(np.int32)
    X = sp.csr_array((np.ones(n * length), words.ravel(), np.arange(0, n * length + 1, length)), shape=(n, d))
    X.sum_duplicates()
    X = X.astype(dtype)
    return X, random.randint(n_classes, size=n), n_classes


@pytest.mark.parametrize("share", [0.05, 1.0])
@pytest.mark.parametrize(
    ("shape", "dtype"), [("many words", np.float64), ("many words", np.int64), ("many rows", np.float64)]
)
@pytest.mark.parametrize("name", list(MODELS))
def test_a_fit_keeps_to_its_memory(name, shape, dtype, share):
    X, truth, n_classes = documents(shape, dtype)
    y = np.where(np.random.RandomState(1).rand(len(truth)) < share, truth, -1)
    MODELS[name]().fit(X[:50], truth[:50])  # compiles the kernels
    data = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    tracemalloc.start()
    try:
        MODELS[name]().fit(X, y)
        peak = data + tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 2 * data + 4 * n_classes * X.shape[1] * 8

"""One iteration of the rivals' PLSA on counts saved as npz; runs in the rivals' own environment.

``.bench-venv/bin/python benchmarks/aspects_rivals.py counts.npz`` prints one line a rival that can be imported.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

N_TOPICS = 20


def product(X: Any) -> float:
    """Milliseconds of the yardstick: X times a dense words × topics matrix, in float32."""
    X32, W = X.astype(np.float32), np.random.default_rng(0).random((X.shape[1], N_TOPICS), dtype=np.float32)
    times = []
    for _ in range(7):
        start = time.perf_counter()
        X32 @ W
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def enstop(X: Any) -> float:
    """Milliseconds of an iteration: long fit minus short fit."""
    vars(np)["float"] = float  # it asks numpy for a name that is gone
    from enstop import PLSA

    def seconds(n_iterations: int) -> float:
        model = PLSA(n_components=N_TOPICS, n_iter=n_iterations, n_iter_per_test=n_iterations + 1, tolerance=0.0)
        start = time.perf_counter()
        model.fit(X.tocsr().astype(np.float32))
        return time.perf_counter() - start

    seconds(1)
    return 1000 * (seconds(12) - seconds(2)) / 10


RIVALS: dict[str, Callable[[Any], float]] = {"enstop": enstop}

if __name__ == "__main__":
    counts = sp.csr_matrix(sp.load_npz(sys.argv[1]))
    yardstick = product(counts)
    print(f"product X @ dense(words × {N_TOPICS}): {yardstick:.1f} ms")
    for name, measure in RIVALS.items():
        cost = measure(counts)
        print(f"{name}: {cost:.1f} ms an iteration, {cost / yardstick:.2f} products")

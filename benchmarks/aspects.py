"""One EM iteration of the aspect models, as ratios to a SciPy product and to rivals in the same run; how it scales.

``python benchmarks/aspects.py`` measures on 20 Newsgroups; ``--scaling 100000000`` draws corpora of up to that many
non-zeros from the model itself. Rivals run in their own environment (``benchmarks/README.md``, "Aspects").
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numba import set_num_threads

from smatter import SoftMislabelPLSA
from smatter.models.aspects import _layout
from smatter.models.aspects._corpus import build_corpus, workers
from smatter.models.aspects._em import Allowed


def best_of(work: Callable[[], Any], repeats: int = 7) -> float:
    """Return the shortest of several runs, in milliseconds."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1000 * min(times)


def iteration(X: Any, y: Any, n_classes: int, aspects_per_class: int, threads: int) -> tuple[float, float]:
    """Milliseconds of one EM iteration, and of the decisions of the unlabeled documents."""
    model = SoftMislabelPLSA(aspects_per_class, count_exponent=1.0)
    model.classes_ = np.arange(n_classes)
    model.aspect_class_ = np.repeat(np.arange(n_classes), aspects_per_class)
    model._allowed = Allowed.of(_layout.class_given_aspect(model.aspect_class_, n_classes) > 0)
    model._word_prior = np.full(X.shape[1], 1.0 / X.shape[1])
    set_num_threads(threads)
    with workers() as run:
        step = model._step(build_corpus(X, y, n_classes), run)
        solution = model._start(step, 0, None)

        def once() -> None:
            weights = model._aspect_weights(solution)
            step.e_step(solution, weights)
            step.m_step(solution)
            model._update_labels(solution, weights)

        return best_of(once), best_of(lambda: model._decide(step, solution))


def newsgroups() -> tuple[Any, Any]:
    """Return the counts and class codes of 20 Newsgroups."""
    from smatter.experiments.inputs import counts

    counted = counts("20newsgroups")
    return counted.X, np.unique(counted.labels.astype(str), return_inverse=True)[1]


def shown(truth: Any, share: float) -> Any:
    """Hide all labels but a share, and but one of each class."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(len(truth)) < share, truth, -1)
    first = np.unique(truth, return_index=True)[1]
    y[first] = truth[first]
    return y


def compare() -> None:
    """Print the ratios on 20 Newsgroups."""
    X, truth = newsgroups()
    X32 = X.astype(np.float32)
    print(f"20 Newsgroups: {X.shape[0]} × {X.shape[1]}, {X.nnz} non-zeros")
    print("| A | labeled | product, ms | iteration / product | decisions / product | two threads |")
    for aspects_per_class, share in ((1, 0), (2, 0), (4, 0), (2, 0.2), (2, 0.5), (2, 1)):
        A = 20 * aspects_per_class
        W = np.random.default_rng(0).random((X.shape[1], A), dtype=np.float32)
        product = best_of(lambda W=W: X32 @ W)
        y = shown(truth, share)
        one, decisions = iteration(X, y, 20, aspects_per_class, 1)
        two, _ = iteration(X, y, 20, aspects_per_class, 2)
        ratios = f"{one / product:.2f} | {decisions / product:.2f} | {one / two:.2f} ×"
        print(f"| {A} | {share:.0%} | {product:.1f} | {ratios} |", flush=True)


def draw(n_nonzeros: int, n_words: int = 30_000, n_classes: int = 10) -> tuple[Any, Any]:
    """Draw a corpus from the model: ten Dirichlet aspects, one a class, documents of about 100 different words."""
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.full(n_words, 0.05), size=n_classes)
    per_document = 120
    n = n_nonzeros // 100
    y = rng.integers(n_classes, size=n)
    words = np.empty(n * per_document, dtype=np.int32)
    for k in range(n_classes):
        rows = np.flatnonzero(y == k)
        mixed = 0.8 * P[k] + 0.2 * P.mean(axis=0)
        drawn = np.searchsorted(np.cumsum(mixed / mixed.sum()), rng.random(len(rows) * per_document))
        words.reshape(n, per_document)[rows] = np.minimum(drawn, n_words - 1).reshape(-1, per_document)
    starts = np.arange(0, n * per_document + 1, per_document, dtype=np.int64)
    X = sp.csr_array((np.ones(len(words)), words, starts), shape=(n, n_words))
    X.sum_duplicates()
    return X, y


def scaling(most: int) -> None:
    """Print the cost of an iteration against non-zeros and aspects."""
    print("| non-zeros | A | iteration, ms | ns per non-zero and aspect |")
    size = 10**5
    while size <= most:
        X, truth = draw(size)
        for aspects_per_class in (2, 4, 8) if size <= 10**7 else (2,):
            A = 10 * aspects_per_class
            cost, _ = iteration(X, shown(truth, 0.01), 10, aspects_per_class, 1)
            print(f"| {X.nnz:.2e} | {A} | {cost:.1f} | {1e6 * cost / (X.nnz * A):.3f} |", flush=True)
        size *= 10


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scaling", type=int, default=0, help="draw corpora of up to so many non-zeros")
    arguments = parser.parse_args()
    if arguments.scaling:
        scaling(arguments.scaling)
    else:
        compare()

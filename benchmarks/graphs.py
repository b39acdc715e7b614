"""Graphs beside their rivals, in one run on the same data: seconds, and ratios of them.

k-NN search against sparse_dot_topn and scikit-learn, linear systems against GraphLearning, scikit-network and
scikit-learn, cuts against SciPy's flow alone, one round of messages against one sparse product. Times are the best of a
few rounds, turn about. A rival that is not installed is left out and named.

    python benchmarks/graphs.py            everything
    python benchmarks/graphs.py knn flow   some parts: knn, systems, large, flow, messages
"""

import sys
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import scipy.sparse as sp

from smatter import HarmonicFunctions, KNNGraph, LocalGlobalConsistency, Mincut
from smatter.graphs.operators import degrees

LABELS_A_CLASS, DRAWS = 10, 5
Contender = Callable[[], Any]


def race(contenders: dict[str, Contender | None], rounds: int = 3) -> tuple[dict[str, float], dict[str, Any]]:
    """Run all contenders turn about; the best time and the last answer of each."""
    present = {name: work for name, work in contenders.items() if work is not None}
    for name in contenders.keys() - present.keys():
        print(f"    {name}: not installed")
    best, answers = dict.fromkeys(present, np.inf), {}
    for _ in range(rounds):
        for name, work in present.items():
            start = time.perf_counter()
            answers[name] = work()
            best[name] = min(best[name], time.perf_counter() - start)
    return best, answers


def show(title: str, seconds: dict[str, float], ours: str, notes: dict[str, str] | None = None) -> None:
    """Print each contender's seconds and how many of ours they are."""
    print(title)
    for name, value in seconds.items():
        note = f"  {notes[name]}" if notes and name in notes else ""
        print(f"    {name:34s}{value:9.3f} s {value / seconds[ours]:8.2f} x{note}")


def optional(module: str, work: Callable[[Any], Any]) -> Contender | None:
    """A contender, if its package is installed."""
    try:
        package = import_module(module)
    except ImportError:
        return None
    return lambda: work(package)


def newsgroups() -> tuple[sp.csr_matrix, np.ndarray]:
    """20 Newsgroups as tf-idf rows of length 1, and class codes."""
    from sklearn.feature_extraction.text import TfidfTransformer

    from smatter.datasets import load
    from smatter.features.counts import WordCounts

    collection = load("20newsgroups-bydate")
    X = WordCounts(min_df=3, stop_words="english").fit_transform(collection.documents)
    X = sp.csr_matrix(TfidfTransformer(sublinear_tf=True).fit_transform(X))
    return X, np.unique(collection.labels.astype(str), return_inverse=True)[1]


def knn(X: sp.csr_matrix) -> None:
    """The exact cosine 10-NN graph."""
    from sklearn.neighbors import NearestNeighbors

    def topn(package: Any) -> Any:
        return package.sp_matmul_topn(X, X.T.tocsr(), top_n=11, n_threads=2, sort=True)

    def brute() -> Any:
        return NearestNeighbors(n_neighbors=11, metric="cosine", algorithm="brute").fit(X).kneighbors(X)

    ours = KNNGraph(10, symmetry="none")
    ours.build(X[:100])
    contenders = {"smatter": lambda: ours.build(X), "sparse_dot_topn": optional("sparse_dot_topn", topn)}
    seconds, answers = race({**contenders, "scikit-learn, brute force": brute}, rounds=2)
    notes = {}
    if "sparse_dot_topn" in answers:
        other = sp.csr_array(answers["sparse_dot_topn"])
        other.setdiag(0)
        other.eliminate_zeros()
        shared = (answers["smatter"] > 0).multiply(other > 0).nnz / answers["smatter"].nnz
        notes["sparse_dot_topn"] = f"{100 * shared:.2f} % of the edges are the same"
    show(f"exact cosine 10-NN graph, {X.shape[0]:,} x {X.shape[1]:,}", seconds, "smatter", notes)


def draws(codes: np.ndarray) -> list[np.ndarray]:
    """Label vectors with ten labels a class."""
    found = []
    for seed in range(DRAWS):
        random, y = np.random.default_rng(seed), np.full(len(codes), -1)
        for code in range(codes.max() + 1):
            chosen = random.choice(np.flatnonzero(codes == code), LABELS_A_CLASS, replace=False)
            y[chosen] = code
        found.append(y)
    return found


def graphlearning(name: str, W: sp.csr_matrix, y: np.ndarray) -> Contender | None:
    """One of GraphLearning's models, as class codes."""
    labeled = np.flatnonzero(y >= 0)

    def work(package: Any) -> Any:
        return getattr(package.ssl, name)(W).fit_predict(labeled, y[labeled])

    return optional("graphlearning", work)


def network(name: str, W: sp.csr_matrix, y: np.ndarray) -> Contender | None:
    """One of scikit-network's classifiers."""
    labels = {int(i): int(y[i]) for i in np.flatnonzero(y >= 0)}
    return optional("sknetwork.classification", lambda package: getattr(package, name)().fit_predict(W, labels))


def ours(model: Any, W: sp.csr_matrix, y: np.ndarray) -> Contender:
    """One of smatter's models."""
    return lambda: model.fit_graph(W, y).transduction_


def systems(X: sp.csr_matrix, codes: np.ndarray) -> None:
    """All classes at once on the graph of 20 Newsgroups, and the accuracy with ten labels a class."""
    from smatter import MarkovRandomWalk

    W = sp.csr_matrix(KNNGraph(10).build(X))
    accuracy: dict[str, list[float]] = {}
    seconds: dict[str, float] = {}
    for draw, y in enumerate(draws(codes)):
        contenders = {
            "smatter, consistency": ours(LocalGlobalConsistency(), W, y),
            "smatter, harmonic": ours(HarmonicFunctions(), W, y),
            "smatter, harmonic, class mass": ours(HarmonicFunctions(class_mass="labeled"), W, y),
            "smatter, mincut, balanced": ours(Mincut(class_shares="labeled", slack=0.1), W, y),
            "smatter, random walk": ours(MarkovRandomWalk(estimate="margin"), W, y),
            "GraphLearning, Laplace": graphlearning("laplace", W, y),
            "GraphLearning, Poisson": graphlearning("poisson", W, y),
            "scikit-network, diffusion": network("DiffusionClassifier", W, y),
            "scikit-network, propagation": network("Propagation", W, y),
        }
        measured, answers = race(contenders, rounds=2 if draw == 0 else 1)
        seconds = {name: min(seconds.get(name, np.inf), value) for name, value in measured.items()}
        for name, answer in answers.items():
            accuracy.setdefault(name, []).append(float((np.asarray(answer) == codes)[y < 0].mean()))
    notes = {name: f"accuracy {np.mean(values):.3f}" for name, values in accuracy.items()}
    title = f"{codes.max() + 1} classes on {W.shape[0]:,} vertices, {W.nnz // 2:,} edges, given the graph"
    show(title, seconds, "smatter, consistency", notes)


def large() -> None:
    """Harmonic functions on a generated 10-NN graph of 100,000 vertices, at equal residual."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 10, 100_000)
    X = random.normal(size=(10, 4))[codes] * 3 + random.normal(size=(100_000, 4))
    W = sp.csr_matrix(KNNGraph(10, "gaussian", search="exact").build(X))
    y = np.where(random.random(len(codes)) < 0.001, codes, -1)
    labeled = np.flatnonzero(y >= 0)
    free, D = np.flatnonzero(y < 0), degrees(W)

    def residual(F: np.ndarray) -> float:
        Y = np.eye(10)[y[labeled]]
        right = W[free][:, labeled] @ Y
        rest = right - (D[free, None] * F[free] - W[free][:, free] @ F[free])
        return float(np.linalg.norm(rest) / np.linalg.norm(right))

    rival = optional("graphlearning", lambda package: package.ssl.laplace(W).fit(labeled, y[labeled]))
    _, first = race({"GraphLearning": rival}, rounds=1)
    tol = residual(first["GraphLearning"]) if first else 1e-5
    model = HarmonicFunctions(tol=min(tol, 1e-3) / 3)
    contenders = {"smatter": lambda: model.fit_graph(W, y).posterior_, "GraphLearning": rival}
    seconds, answers = race(contenders)
    notes = {
        name: f"residual {residual(F):.1e}, accuracy {(F.argmax(axis=1) == codes)[free].mean():.3f}"
        for name, F in answers.items()
    }
    show(f"harmonic functions, 100,000 vertices, {W.nnz // 2:,} edges, 10 classes", seconds, "smatter", notes)


def flow(X: sp.csr_matrix, codes: np.ndarray) -> None:
    """Mincut on 20,000 vertices beside the flow alone, by SciPy on ready capacities."""
    from scipy.sparse.csgraph import maximum_flow

    random = np.random.default_rng(0)
    W = KNNGraph(10).build(X)
    truth = (codes < codes.max() // 2).astype(int)
    y = np.where(random.random(len(codes)) < 0.03, truth, -1)
    n = W.shape[0]
    shape, far = (n + 2, n + 2), 10_000_000
    ends = sp.csr_array(((y == 1) * far, (np.full(n, n), np.arange(n))), shape=shape)
    sinks = sp.csr_array(((y == 0) * far, (np.arange(n), np.full(n, n + 1))), shape=shape)
    body = sp.csr_array((W.data * 10_000, W.indices, W.indptr), shape=W.shape)
    body.resize(shape)
    capacities = sp.csr_array(body + ends + sinks, dtype=np.int32)
    capacities.eliminate_zeros()
    contenders = {
        "smatter, mincut": ours(Mincut(), W, y),
        "smatter, mincut, balanced": ours(Mincut(class_shares="labeled"), W, y),
        "SciPy, the flow alone": lambda: maximum_flow(capacities, n, n + 1).flow_value,
    }
    seconds, answers = race(contenders)
    notes = {
        name: f"{100 * answer.mean():.1f} % positive, accuracy {(answer == truth)[y < 0].mean():.3f}"
        for name, answer in answers.items()
        if name.startswith("smatter")
    }
    show(f"two classes cut, {n:,} vertices, {W.nnz // 2:,} edges, 3 % labeled", seconds, "smatter, mincut", notes)


def messages() -> None:
    """One flooding round over a million edges, two classes."""
    from smatter.kernels import graph_messages as kernels
    from smatter.models.graphical.loopy_belief_propagation import reverse_edges

    random = np.random.default_rng(0)
    n, half = 200_000, 1_000_000
    i = random.integers(0, n, half)
    j = (i + random.integers(1, 200, half)) % n
    upper = sp.coo_array((random.random(half) + 0.1, (i, j)), shape=(n, n)).tocsr()
    W = sp.csr_array(upper.maximum(upper.T))
    y = np.where(random.random(n) < 0.01, random.integers(0, 2, n), -1)
    graph, reverse = (W.indptr, W.indices, W.data), reverse_edges(W)
    state = [np.zeros((W.nnz, 2)), np.zeros((W.nnz, 2))]
    sums, change, vector = np.zeros((n, 2)), np.zeros(n), random.random((n, 2))

    def round_of_messages() -> None:
        kernels.flood(graph, reverse, y, 0.0, state[0], state[1], sums, change)
        state.reverse()

    round_of_messages()
    seconds, _ = race({"smatter, a round of messages": round_of_messages, "SciPy, a product": lambda: W @ vector}, 40)
    show(f"{W.nnz // 2:,} edges, messages both ways", seconds, "smatter, a round of messages")


def main(parts: list[str]) -> None:
    """Run the parts that are asked for."""
    warnings.simplefilter("ignore")
    wanted = set(parts) or {"knn", "systems", "large", "flow", "messages"}
    if wanted & {"knn", "systems", "flow"}:
        X, codes = newsgroups()
        ours(LocalGlobalConsistency(), sp.csr_matrix([[0.0, 1.0], [1.0, 0.0]]), np.array([0, 1]))()  # compile
        if "knn" in wanted:
            knn(X)
        if "systems" in wanted:
            systems(X, codes)
        if "flow" in wanted:
            flow(X, codes)
    if "large" in wanted:
        large()
    if "messages" in wanted:
        messages()


if __name__ == "__main__":
    main(sys.argv[1:])

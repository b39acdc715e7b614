"""Naive Bayes with EM beside its own two products, a plain SciPy EM and scikit-learn, in one run on the same data.

Times are seconds of one thread on the processor, the best of a few rounds, turn about: other jobs of the machine count
little. Run it with OMP_NUM_THREADS=1.

    python benchmarks/bayes.py            everything
    python benchmarks/bayes.py iteration  some parts: iteration, convergence, plain, choice, rivals, memory, import
"""

import subprocess
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from smatter import NaiveBayes, NaiveBayesEM
from smatter.experiments.inputs import counts

ITERATIONS, TOL = 10, 1e-6
Data = tuple[sp.csr_array, np.ndarray]


def race(contenders: dict[str, Callable[[], Any]], rounds: int = 7) -> tuple[dict[str, float], dict[str, Any]]:
    """Run all contenders turn about, once without a clock; the best time and the last answer of each."""
    answers = {name: work() for name, work in contenders.items()}
    best = dict.fromkeys(contenders, np.inf)
    for _ in range(rounds):
        for name, work in contenders.items():
            start = time.thread_time()
            answers[name] = work()
            best[name] = min(best[name], time.thread_time() - start)
    return best, answers


def show(what: str, value: float, limit: str = "") -> None:
    """Print a line."""
    print(f"    {what:62s}{value:9.3f}  {limit}")


def newsgroups(name: str = "20newsgroups") -> Data:
    """Counts of words (20 Newsgroups, min_df 5, stop list) and class codes."""
    X, labels, _ = counts(name)
    print(f"{name}: {X.shape[0]} × {X.shape[1]}, {X.nnz} non-zeros")
    return X, np.unique(labels.astype(str), return_inverse=True)[1]


def share(y: np.ndarray, labeled: float = 0.05) -> np.ndarray:
    """Keep this share of the labels."""
    return np.where(np.random.RandomState(0).rand(len(y)) < labeled, y, -1)


def few(y: np.ndarray, per_class: int = 10) -> np.ndarray:
    """Keep so many labels a class."""
    random, kept = np.random.RandomState(0), np.full(len(y), -1)
    for code in np.unique(y):
        kept[random.choice(np.flatnonzero(y == code), per_class, replace=False)] = code
    return kept


def model(**options: Any) -> NaiveBayesEM:
    """EM at weight 1 and a given smoothing, where nothing else is said."""
    return NaiveBayesEM(**{"unlabeled_weight": 1.0, "smoothing": 0.1, "tol": TOL, **options})


def iteration(X: sp.csr_array, y: np.ndarray) -> None:
    """One EM iteration beside X · (words × classes) and Xᵀ · (documents × classes) in SciPy."""
    y = share(y)
    fitted = model().fit(X, y)
    table, responsibilities = np.ascontiguousarray(fitted.mixture_.log_p.T), np.ascontiguousarray(fitted.posterior_)
    seconds, _ = race(
        {
            "products": lambda: (X @ table, X.T @ responsibilities),
            "one": lambda: model(max_iter=1, tol=0.0).fit(X, y),
            "more": lambda: model(max_iter=1 + ITERATIONS, tol=0.0).fit(X, y),
        }
    )
    each = (seconds["more"] - seconds["one"]) / ITERATIONS
    show("two SciPy products, ms", 1e3 * seconds["products"])
    show("one EM iteration, ms", 1e3 * each)
    show("ratio", each / seconds["products"], "at most 1.5")


def convergence(X: sp.csr_array, y: np.ndarray) -> None:
    """A fit from counts to convergence."""
    y = share(y)
    seconds, fitted = race({"one weight": lambda: model().fit(X, y), "defaults": lambda: NaiveBayesEM().fit(X, y)}, 3)
    show(f"one weight, {fitted['one weight'].n_iter_} iterations, s", seconds["one weight"], "under 2")
    show(f"all chosen by leave-one-out, {fitted['defaults'].n_iter_} at the last, s", seconds["defaults"])


def plain_em(X: sp.csr_array, y: np.ndarray, smoothing: float = 0.1) -> tuple[np.ndarray, list[float]]:
    """Nigam's EM in NumPy and SciPy, as one would write it down; same objective, same stop."""
    labeled = y >= 0
    R = np.zeros((len(y), y.max() + 1))
    R[labeled, y[labeled]] = 1.0
    clamped, objective = R[labeled], []
    while len(objective) < 2 or objective[-1] - objective[-2] > TOL * abs(objective[-1]):
        smoothed = (X.T @ R).T + smoothing
        log_p = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
        scores = X @ log_p.T + np.log(R.sum(axis=0) / R.sum())
        top = scores.max(axis=1, keepdims=True)
        R = np.exp(scores - top)
        mass = R.sum(axis=1, keepdims=True)
        R /= mass
        evidence = (top + np.log(mass)).ravel()
        evidence[labeled] = scores[labeled, y[labeled]]
        objective.append(float(evidence.sum() + smoothing * log_p.sum()))
        R[labeled] = clamped
    return R, objective


def plain(X: sp.csr_array, y: np.ndarray) -> None:
    """The plain EM beside ours, ten labels a class, to the same tolerance."""
    y = few(y)
    seconds, answers = race({"plain": lambda: plain_em(X, y), "ours": lambda: model().fit(X, y)}, 5)
    R, objective = answers["plain"]
    ours = answers["ours"]
    assert len(objective) == ours.n_iter_, "not the same number of iterations"
    np.testing.assert_allclose(ours.posterior_, R, atol=1e-6)
    show(f"plain SciPy EM, {ours.n_iter_} iterations, s", seconds["plain"])
    show("ours, the same posteriors, s", seconds["ours"])
    show("ratio", seconds["ours"] / seconds["plain"], "below 1")


def choice(X: sp.csr_array, y: np.ndarray) -> None:
    """Choosing λ among ten values, in plain fits; and choosing smoothing and length exponent too."""
    y = share(y)
    chosen = model(unlabeled_weight="loo", length_exponent=1.0).fit(X, y).unlabeled_weight_
    seconds, _ = race(
        {
            "plain": lambda: model(length_exponent=1.0).fit(X, y),
            "plain at the chosen": lambda: model(unlabeled_weight=chosen, length_exponent=1.0).fit(X, y),
            "λ": lambda: model(unlabeled_weight="loo", length_exponent=1.0).fit(X, y),
            "everything": lambda: NaiveBayesEM(tol=TOL).fit(X, y),
        },
        3,
    )
    for name in ("plain", "plain at the chosen"):
        show(f"λ by leave-one-out, in fits: {name} weight", seconds["λ"] / seconds[name], "at most 12")
    show("λ, smoothing, length exponent by leave-one-out, in fits", seconds["everything"] / seconds["plain"])


def rivals(X: sp.csr_array, y: np.ndarray) -> None:
    """Accuracy on unseen messages and seconds, beside scikit-learn's."""
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.semi_supervised import SelfTrainingClassifier

    test, train = np.split(np.random.RandomState(0).permutation(len(y)), [len(y) // 5])
    rows, labels = X[train], share(y[train])
    known = labels >= 0
    seconds, fitted = race(
        {
            "MultinomialNB(alpha=1)": lambda: MultinomialNB().fit(rows[known], labels[known]),
            "MultinomialNB(alpha=0.1)": lambda: MultinomialNB(alpha=0.1).fit(rows[known], labels[known]),
            "SelfTrainingClassifier(MultinomialNB(alpha=0.1))": lambda: SelfTrainingClassifier(
                MultinomialNB(alpha=0.1), threshold=0.9
            ).fit(sp.csr_matrix(rows), labels),
            "NaiveBayes()": lambda: NaiveBayes().fit(rows, labels),
            "NaiveBayes(length_exponent='loo')": lambda: NaiveBayes(length_exponent="loo").fit(rows, labels),
            "NaiveBayesEM(1.0, smoothing=1.0)": lambda: NaiveBayesEM(1.0, smoothing=1.0).fit(rows, labels),
            "NaiveBayesEM(1.0)": lambda: NaiveBayesEM(1.0).fit(rows, labels),
            "NaiveBayesEM()": lambda: NaiveBayesEM().fit(rows, labels),
        },
        1,
    )
    for name, estimator in fitted.items():
        print(f"    {name:52s}{seconds[name]:8.3f} s   accuracy {(estimator.predict(X[test]) == y[test]).mean():.4f}")


def memory(X: sp.csr_array, y: np.ndarray) -> None:
    """Peak of all arrays during a fit, the input among them."""
    data, table = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes, 8 * (y.max() + 1) * X.shape[1]
    for name, estimator, labels in (
        ("one weight", model(), share(y)),
        ("all chosen", NaiveBayesEM(), share(y)),
        ("supervised, all labeled", NaiveBayes(), y),
    ):
        tracemalloc.start()
        estimator.fit(X, labels)
        peak = data + tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        show(f"{name}: peak over (2 × input + 4 × classes × words)", peak / (2 * data + 4 * table), "at most 1")


def import_time() -> None:
    """Import smatter in a fresh interpreter, without what starting one costs."""

    def seconds(statement: str) -> float:
        command = f"import time; t = time.process_time(); {statement}; print(time.process_time() - t)"
        runs = [subprocess.run([sys.executable, "-c", command], capture_output=True, check=True) for _ in range(7)]
        return min(float(run.stdout) for run in runs)

    show("import smatter, s", seconds("import smatter"), "under 0.3")
    show("from smatter import NaiveBayesEM (scikit-learn with it), s", seconds("from smatter import NaiveBayesEM"))


PARTS = {
    "iteration": iteration,
    "convergence": convergence,
    "plain": plain,
    "choice": choice,
    "rivals": rivals,
    "memory": memory,
}


def main(wanted: list[str]) -> None:
    """Run the parts that are wanted, or all."""
    warnings.simplefilter("ignore")
    chosen = [part for part in PARTS if part in wanted or not wanted]
    for name in ("20newsgroups", "20newsgroups-bydate"):
        data = newsgroups(name) if chosen else None
        for part in chosen:
            print(f"  {part}")
            PARTS[part](*data)
    if "import" in wanted or not wanted:
        print("import")
        import_time()


if __name__ == "__main__":
    main(sys.argv[1:])

"""The margin models beside liblinear and against the time of SVMlin, in one run on the same data.

The inductive machine against LinearSVC (both of liblinear's solvers) until the primal objective is equally near to its
minimum; one class of 20 Newsgroups against the rest and all twenty with TransductiveSVM and AnnealedS3VM; seconds a
non-zero from 10⁵ to 10⁷ non-zeros. Times are seconds of the processor (one thread), the best of a few rounds, turn
about, so that other work on the machine counts for little.

    python benchmarks/margins.py                 everything
    python benchmarks/margins.py inductive flat  some parts: inductive, binary, twenty, flat, pairs
"""

import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from sklearn.svm import LinearSVC

import smatter
from smatter import AnnealedS3VM, TransductiveSVM
from smatter.models.margins._dual import DualSolver
from smatter.models.margins._newton import squared_hinge
from smatter.models.margins._rows import as_rows

LIMITS = {"inductive": 1.0, "TransductiveSVM": 3.0, "AnnealedS3VM": 6.0, "twenty": 40.0, "flat": 1.5}
FAMILY = (
    "TransductiveSVM",
    "AnnealedS3VM",
    "GradientTSVM",
    "ContinuationS3VM",
    "ConcaveConvexTSVM",
    "HatLossS3VM",
    "EntropyMinimization",
    "MislabelLogistic",
)
PAIRS = {
    ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"): (0.806, 0.830),
    ("sci.space", "soc.religion.christian"): (0.981, 0.990),
    ("rec.sport.baseball", "rec.sport.hockey"): (0.948, 0.964),
}


def newsgroups() -> tuple[sp.csr_matrix, np.ndarray]:
    """20 Newsgroups by date as tf-idf rows of length 1, and the names of the classes."""
    from sklearn.feature_extraction.text import TfidfTransformer

    from smatter.datasets import load
    from smatter.features.counts import WordCounts

    collection = load("20newsgroups-bydate")
    X = WordCounts(min_df=5, stop_words="english").fit_transform(collection.documents)
    return sp.csr_matrix(TfidfTransformer(sublinear_tf=True).fit_transform(X)), collection.labels.astype(str)


def labels(truth: np.ndarray, seed: int, per_class: int = 10) -> np.ndarray:
    """Ten labels a class, the rest unlabeled."""
    draw, y = np.random.RandomState(seed), np.full(len(truth), "", dtype=object)
    for name in np.unique(truth):
        chosen = draw.permutation(np.flatnonzero(truth == name))[:per_class]
        y[chosen] = name
    return y


def best_of(rounds: int, *contenders: Callable[[], object]) -> list[float]:
    """Run all turn about; the best seconds of each."""
    best = [np.inf] * len(contenders)
    for _ in range(rounds):
        for place, work in enumerate(contenders):
            start = time.process_time()
            work()
            best[place] = min(best[place], time.process_time() - start)
    return best


def check(part: str, value: float, what: str) -> None:
    """Print a value beside its limit."""
    verdict = "within" if value <= LIMITS[part] else "ABOVE"
    print(f"    {what}: {value:.2f}, {verdict} the limit of {LIMITS[part]:g}", flush=True)


def inductive(X: sp.csr_matrix, truth: np.ndarray) -> None:
    """Until we are at least as near to the least objective as liblinear is when it stops."""
    rows, worst = as_rows(X), 0.0
    for C in (0.1, 1.0, 10.0):
        for name in ("sci.space", "comp.sys.mac.hardware"):
            signs = np.where(truth == name, 1, -1)
            losses = squared_hinge(C * (signs > 0), C * (signs < 0))
            least = DualSolver(rows).solve(losses, tolerance=1e-10).objective

            def objective(model: LinearSVC, losses=losses) -> float:
                weights = np.append(model.coef_, model.intercept_)
                return 0.5 * weights @ weights + losses.values(rows.scores(weights)).sum()

            for dual in (True, False):
                rival = LinearSVC(C=C, dual=dual, max_iter=10_000)
                above = max(objective(rival.fit(X, signs)) / least - 1.0, 1e-9)

                def ours(losses=losses, above=above) -> None:
                    fresh = as_rows(X)  # with all of the preparation, as liblinear's time has it
                    DualSolver(fresh).solve(losses, tolerance=above)

                theirs, own = best_of(5, lambda rival=rival, signs=signs: rival.fit(X, signs), ours)
                worst = max(worst, own / theirs)
                print(
                    f"  {name:22s} C {C:<5g} {'dual' if dual else 'primal':6s} above the minimum by {above:.0e}: ",
                    end="",
                )
                print(f"liblinear {theirs:.3f} s, smatter {own:.3f} s, ratio {own / theirs:.2f}", flush=True)
    check("inductive", worst, "worst ratio to LinearSVC")


def binary(X: sp.csr_matrix, truth: np.ndarray) -> None:
    """One class against the rest of 18,846 documents, ten labels a class, one core."""
    y = labels(truth, 0)
    y = np.where(y == "", -1, y == "sci.space").astype(int)
    liblinear, *seconds = best_of(
        3,
        lambda: LinearSVC(C=10.0).fit(X, truth == "sci.space"),
        *(lambda m=model: m(calibrate=False).fit(X, y) for model in (TransductiveSVM, AnnealedS3VM)),
    )
    for model, value in zip((TransductiveSVM, AnnealedS3VM), seconds, strict=True):
        ratio = value / liblinear
        check(
            model.__name__, value, f"{model.__name__}, one binary problem, s ({ratio:.1f} x a LinearSVC of all labels)"
        )


def twenty(X: sp.csr_matrix, truth: np.ndarray) -> None:
    """All classes against the rest on two cores, calibration included."""
    y = labels(truth, 0)
    for model in (TransductiveSVM, AnnealedS3VM):
        start = time.process_time()
        fitted = model(n_jobs=2).fit(X, y)
        seconds = (time.process_time() - start) / 2
        right = (fitted.transduction_[y == ""] == truth[y == ""]).mean()
        check("twenty", seconds, f"{model.__name__}, twenty classes, s of each core (accuracy {right:.3f})")


def flat(*_: object) -> None:
    """Seconds a non-zero of one sweep over all rows and of a whole transductive fit, from 10⁵ to 10⁷ non-zeros."""
    sweeps, fits = [], []
    for n_rows in (1_000, 10_000, 100_000):
        draw = np.random.RandomState(0)
        words = (30_000 * draw.beta(0.3, 3.0, size=(n_rows, 100))).astype(int)
        X = sp.csr_matrix(
            (np.full(words.size, 0.1), words.ravel(), np.arange(n_rows + 1) * 100), shape=(n_rows, 30_000)
        )
        X.sum_duplicates()
        truth = (X @ draw.normal(size=30_000) > 0).astype(int)
        y = np.where(np.arange(n_rows) % 20 == 0, truth, -1)
        rows = as_rows(X)
        rows.arrays  # noqa: B018
        sweep, fit = best_of(
            2,
            lambda rows=rows: [rows.combination(rows.scores(np.ones(rows.n_weights))) for _ in range(5)],
            lambda X=X, y=y: TransductiveSVM(calibrate=False).fit(X, y),
        )
        sweeps.append(sweep / 10 / X.nnz)
        fits.append(fit / X.nnz)
        print(f"  {X.nnz:>9d} non-zeros: {1e9 * sweeps[-1]:.2f} ns a sweep, {1e6 * fits[-1]:.2f} µs a fit", flush=True)
    check("flat", sweeps[-1] / sweeps[0], "a sweep, time a non-zero at 10⁷ over 10⁵")
    check("flat", fits[-1] / fits[0], "a fit, time a non-zero at 10⁷ over 10⁵")


def pairs(X: sp.csr_matrix, truth: np.ndarray) -> None:
    """Accuracy beside SVMlin's on three pairs, ten labels a class, five draws, with ratio 0.5 and estimated."""
    for names, (switched, annealed) in PAIRS.items():
        kept = np.isin(truth, names)
        print(f"  {' – '.join(names)}: SVMlin {switched:.3f} switching, {annealed:.3f} annealing", flush=True)
        for name in ("LinearSVC", *FAMILY):
            found = {
                ratio: np.mean([accuracy(name, ratio, X[kept], truth[kept], seed) for seed in range(5)])
                for ratio in ("uniform", None)
            }
            print(f"    {name:20s} {found['uniform']:.3f}, ratio estimated {found[None]:.3f}", flush=True)


def accuracy(name: str, ratio: str | None, X: sp.csr_matrix, truth: np.ndarray, seed: int) -> float:
    """Share of the unlabeled rows that are right."""
    y = labels(truth, seed)
    hidden = y == ""
    if name == "LinearSVC":
        decided = LinearSVC(C=10.0).fit(X[~hidden], y[~hidden].astype(str)).predict(X[hidden])
    else:
        model = getattr(smatter, name)()
        known = {"class_ratio": ratio, "calibrate": False}
        model.set_params(**{key: value for key, value in known.items() if key in model.get_params()})
        decided = model.fit(X, y).transduction_[hidden].astype(str)
    return float((decided == truth[hidden]).mean())


PARTS = {"inductive": inductive, "binary": binary, "twenty": twenty, "flat": flat, "pairs": pairs}


def main(chosen: list[str]) -> None:
    """Run the parts named, or all."""
    warnings.filterwarnings("ignore")
    X, truth = newsgroups() if set(chosen or PARTS) != {"flat"} else (None, None)
    if X is not None:  # compiled once, outside of all times
        TransductiveSVM(calibrate=False).fit(X[:200], np.where(np.arange(200) < 40, np.arange(200) % 2, -1))
        AnnealedS3VM(calibrate=False).fit(X[:200], np.where(np.arange(200) < 40, np.arange(200) % 2, -1))
    for name in chosen or PARTS:
        print(name, flush=True)
        PARTS[name](X, truth)


if __name__ == "__main__":
    main(sys.argv[1:])

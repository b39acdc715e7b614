"""A question and its answer beside the rivals, in one run on the same data: seconds of processor time, and ratios.

A round is an answer told, the model fitted again and the whole pool ranked anew. Everything runs on one thread, and the
time is that of the processor, not of the clock: other work on the machine does not count. A rival that is not installed
is left out and named.

    python benchmarks/active.py              everything
    python benchmarks/active.py rank error   some parts: rank, error, harmonic
"""

import sys
import time
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from smatter import (
    ClassEntropy,
    ExpectedErrorReduction,
    HarmonicRisk,
    KNNGraph,
    NaiveBayesEM,
    Session,
    SoftMislabelPLSA,
    State,
)
from smatter.labels import encode_labels

POOL, WORDS, LENGTH = 50_000, 30_000, 80
Contender = Callable[[], Any]


def documents(n: int, n_classes: int, seed: int = 0) -> tuple[sp.csr_array, np.ndarray]:
    """Documents of words with Zipf's frequencies, one word in five from the vocabulary of the class."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, n_classes, n)
    common = random.zipf(1.2, n * LENGTH) % WORDS
    own = (random.zipf(1.2, n * LENGTH) * 7 + 1000 * np.repeat(codes, LENGTH) + 500) % WORDS
    words = np.where(random.random(n * LENGTH) < 0.2, own, common)
    rows = np.repeat(np.arange(n), LENGTH)
    X = sp.csr_array((np.ones(len(rows)), (rows, words)), shape=(n, WORDS))
    X.sum_duplicates()
    return X, codes


def fewest(work: Contender, rounds: int) -> float:
    """Return the least processor time of a few rounds."""
    times = []
    for _ in range(rounds):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def show(title: str, seconds: dict[str, float], ours: str, targets: dict[str, float] | None = None) -> None:
    """Print each contender's seconds, how many of ours they are, and the target."""
    print(title)
    for name, value in seconds.items():
        target = f"   target {targets[name]:g} s" if targets and name in targets else ""
        print(f"    {name:44s}{value:9.3f} s {value / seconds[ours]:9.2f} x{target}", flush=True)


def installed(package: str) -> bool:
    """Say whether a rival is there, and say so where it is not."""
    there = find_spec(package) is not None
    if not there:
        print(f"    {package}: not installed")
    return there


def our_round(model: Any, X: sp.csr_array, codes: np.ndarray, n_labels: int = 200) -> Contender:
    """Answer the question at hand, and get the next."""
    y = np.where(np.arange(len(codes)) < n_labels, codes, -1)
    session = Session(model, X, y, ClassEntropy())
    session.ask()

    def work() -> None:
        row = int(session.ask()[0])
        session.tell(row, int(codes[row]))
        session.ask()

    work()
    return work


def small_text_round(X: sp.csr_array, codes: np.ndarray, n_labels: int = 200) -> Contender:
    """Do the same with small-text's entropy and a supervised naive Bayes."""
    from sklearn.naive_bayes import MultinomialNB
    from small_text import PoolBasedActiveLearner, PredictionEntropy, SklearnClassifierFactory, SklearnDataset

    data = SklearnDataset(sp.csr_matrix(X), codes.astype(int), target_labels=np.arange(codes.max() + 1))
    factory = SklearnClassifierFactory(MultinomialNB(), int(codes.max()) + 1)
    learner = PoolBasedActiveLearner(factory, PredictionEntropy(), data)
    learner.initialize_data(np.arange(n_labels), codes[:n_labels])

    def work() -> None:
        rows = learner.query(num_samples=1)
        learner.update(codes[rows])

    work()
    return work


def rank() -> None:
    """Rank a pool of 50,000 documents anew after one more label."""
    for n_classes, target in ((2, 0.3), (10, 0.6)):
        X, codes = documents(POOL, n_classes)
        seconds = {
            "smatter, NaiveBayesEM": fewest(our_round(NaiveBayesEM(), X, codes), 5),
            "smatter, SoftMislabelPLSA": fewest(our_round(SoftMislabelPLSA(), X, codes), 3),
        }
        if installed("small_text"):
            seconds["small-text, supervised naive Bayes"] = fewest(small_text_round(X, codes), 2)
        targets = {"smatter, NaiveBayesEM": target, "smatter, SoftMislabelPLSA": 1.5}
        title = f"a label told, the model fitted, {POOL:,} documents ranked by class entropy; {n_classes} classes"
        show(title, seconds, "smatter, NaiveBayesEM", targets)


def error() -> None:
    """Expected error reduction over 100 candidates, the loss on 500 rows."""
    from sklearn.naive_bayes import MultinomialNB

    X, codes = documents(600, 4)
    y = np.where(np.arange(600) < 100, codes, -1)
    posterior = MultinomialNB(alpha=0.1).fit(X[:100], codes[:100]).predict_proba(X)
    state = State(posterior, encode_labels(y, np.arange(4)), np.arange(100, 200), X)
    ours = ExpectedErrorReduction(length_exponent=1.0)
    ours.utility(state)
    seconds = {"smatter, 100 candidates": fewest(lambda: ours.utility(state), 5)}
    if installed("modAL"):
        vars(np).setdefault("float", float)  # modAL 0.4.2 asks for what NumPy has dropped
        from modAL.expected_error import expected_error_reduction
        from modAL.models import ActiveLearner

        learner = ActiveLearner(MultinomialNB(alpha=0.1), X_training=X[:100].toarray(), y_training=codes[:100])
        pool = X[100:200].toarray()
        seconds["modAL, 100 candidates, loss on those only"] = fewest(
            lambda: expected_error_reduction(learner, pool), 1
        )
    if installed("skactiveml"):
        from skactiveml.classifier import SklearnClassifier
        from skactiveml.pool import MonteCarloEER

        classifier = SklearnClassifier(MultinomialNB(alpha=0.1), classes=np.arange(4))
        strategy, dense, told = MonteCarloEER(random_state=0), X.toarray(), np.where(y < 0, np.nan, y)
        asked = np.arange(100, 105)
        work = lambda: strategy.query(dense, told, classifier, fit_clf=True, ignore_partial_fit=True, candidates=asked)  # noqa: E731
        seconds["scikit-activeml, 5 candidates"] = fewest(work, 1)
    show("expected error reduction, log loss, 4 classes", seconds, "smatter, 100 candidates")


def harmonic() -> None:
    """The harmonic risk of 5,000 candidates; no rival has it."""
    X, codes = documents(5_050, 2)
    y = np.where(np.arange(len(codes)) < 50, codes, -1)
    W, memory, strategy = KNNGraph(10).build(X), {}, HarmonicRisk()

    def question() -> None:
        labels = encode_labels(y, [0, 1])
        state = State(np.full((len(y), 2), 0.5), labels, graph=W, memory=memory)
        row = state.candidates[strategy.utility(state).argmax()]
        y[row] = codes[row]

    begin = time.process_time()
    question()
    seconds = {"smatter, the first question": time.process_time() - begin}
    seconds["smatter, each question after it"] = fewest(question, 4)
    targets = {"smatter, each question after it": 1.0}
    show("harmonic risk, 5,000 candidates, 2 classes", seconds, "smatter, each question after it", targets)


PARTS = {"rank": rank, "error": error, "harmonic": harmonic}


def main(parts: list[str]) -> None:
    """Run the parts that are asked for."""
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        for name in parts or PARTS:
            PARTS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])

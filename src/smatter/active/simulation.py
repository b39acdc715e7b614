"""Active learning played with an oracle that knows all labels: F against the number of labels."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smatter.active.answers import Answer
from smatter.active.session import Session, posterior_of
from smatter.active.strategy import Strategy
from smatter.errors import InputError
from smatter.evaluate.curves import Record
from smatter.evaluate.metrics import DECISION_METRICS, align_posterior, decide, judge
from smatter.evaluate.protocols import Budget, PerClass, Protocol
from smatter.evaluate.splits import Split, keep_labels
from smatter.evaluate.trials import seeded
from smatter.labels import UNLABELED, Labels, encode_labels
from smatter.progress import Progress, report


class Oracle:
    """A person who knows every label, and perhaps confuses some.

    Asked about the same row again, it says the same again.

    Parameters
    ----------
    y : array-like of shape (n,)
        The true labels; about a row without one the oracle is unsure.
    confusion : array of shape (K, K), optional
        P(answer | true class), one row a true class, in the order of the sorted classes; by default no confusion.
    seed : int, default 0
        Decides the errors.

    Examples
    --------
    >>> Oracle(["ham", "spam"]).answer(1), Oracle(["ham", "spam"], [[0, 1], [1, 0]]).answer(1)
    ('spam', 'ham')

    """

    def __init__(self, y: ArrayLike, confusion: ArrayLike | None = None, *, seed: int = 0) -> None:
        self._labels = encode_labels(y)
        K = len(self._labels.classes)
        self.confusion = np.eye(K) if confusion is None else np.asarray(confusion, dtype=np.float64)
        self.seed = seed
        shape = self.confusion.shape
        if shape != (K, K) or (self.confusion < 0).any() or not np.allclose(self.confusion.sum(axis=1), 1.0):
            raise InputError(
                f"confusion has shape {shape}; it must hold P(answer | true class) in rows that sum to 1, one row and "
                f"one column for each of the {K} classes {self._labels.classes.tolist()[:10]}: correct it."
            )

    @classmethod
    def careless(cls, y: ArrayLike, error: float, *, seed: int = 0) -> "Oracle":
        """Return an oracle that errs with a probability, all wrong classes alike."""
        K = len(encode_labels(y).classes)
        if not 0 <= error <= 1:
            raise InputError(f"error={error} must be a probability, from 0 to 1: correct it.")
        return cls(y, np.eye(K) * (1 - error) + (1 - np.eye(K)) * error / max(K - 1, 1), seed=seed)

    def answer(self, row: int) -> Any:
        """Return what it takes the label of a row to be."""
        code = int(self._labels.codes[row])
        if code == UNLABELED:
            return Answer.UNSURE
        if self.confusion[code, code] < 1.0:
            code = int(np.random.default_rng([self.seed, row]).choice(len(self.confusion), p=self.confusion[code]))
        return self._labels.classes[code]


@dataclass(frozen=True)
class Plan:
    """How long a simulation goes on.

    Parameters
    ----------
    questions : int, default 100
        Questions in all.
    batch : int, default 1
        Questions between two models.
    every : int, default 5
        Questions between two measurements; there is one before the first and after the last question, too.
    start : Share or PerClass, default PerClass(1)
        The labels at the beginning, drawn by the protocol: the same for all methods.
    error : float, default 0.0
        How often the oracle errs, all wrong classes alike.

    """

    questions: int = 100
    batch: int = 1
    every: int = 5
    start: Budget = field(default_factory=lambda: PerClass(1))
    error: float = 0.0

    def __post_init__(self) -> None:
        for name in ("questions", "batch", "every"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
                raise InputError(f"{name}={value!r} must be a whole number of at least 1: change {name}.")


Method = tuple[Any, Strategy]  # a model and a strategy


def simulate(
    methods: Mapping[str, Method],
    X: Any,
    y: ArrayLike,
    *,
    plan: Plan | None = None,
    protocol: Protocol | None = None,
    collection: str = "",
) -> list[Record]:
    """Play every method on every fold and start; return a record a measurement, as ``learning_curve`` does.

    The questions are about the training part, F is that of the test part. ``x`` is the number of labels.

    Parameters
    ----------
    methods : dict of str to (model, Strategy)
        Random choice belongs among them.
    X, y : the collection
        Rows and labels, which the oracle knows; rows without a label always train and are never asked.
    plan : Plan, optional
        How many questions.
    protocol : Protocol, optional
        Five stratified folds unless given.
    collection : str
        Goes into the records.

    Examples
    --------
    >>> from smatter import NaiveBayes, RandomChoice
    >>> X, y = np.tile([[3, 0], [0, 3]], (10, 1)), ["ham", "spam"] * 10
    >>> records = simulate({"random": (NaiveBayes(), RandomChoice())}, X, y, plan=Plan(questions=4, every=2))
    >>> [(record["x"], record["micro_f"]) for record in records[:3]]
    [(2, 1.0), (4, 1.0), (6, 1.0)]

    """
    plan, protocol = plan or Plan(), protocol or Protocol(folds=5)
    labels = encode_labels(y)
    records: list[Record] = []
    runs = [(fold, start) for start in range(protocol.starts) for fold in range(protocol.folds)]
    for number, (fold, start) in enumerate(runs):
        for done, (name, method) in enumerate(methods.items(), start=1):
            game = Game.laid_out(X, labels, protocol, plan, run=(fold, start))
            where = {"collection": collection, "method": name, "fold": fold, "start": start}
            records += [{**where, **measured} for measured in game.play(method, plan)]
            report(Progress("simulate", number * len(methods) + done, len(runs) * len(methods)))
    return records


@dataclass(frozen=True)
class Game:
    """A split, the labels at the beginning, and the oracle that has the others."""

    X: Any
    labels: Labels
    split: Split
    y: NDArray[Any]  # of the training part, hidden labels left out
    oracle: Oracle
    seed: int

    @classmethod
    def laid_out(cls, X: Any, labels: Labels, protocol: Protocol, plan: Plan, *, run: tuple[int, int]) -> "Game":
        """Lay out fold and start of a protocol."""
        split = protocol.split(labels.codes, run[0])
        shown = protocol.draw(labels.codes, split, plan.start, *run)
        truth = np.full(len(labels.codes), None, dtype=object)
        truth[labels.labeled] = labels.decode(labels.codes[labels.labeled])
        seed = protocol.model_seed(*run)
        oracle = Oracle.careless(truth[split.train], plan.error, seed=seed)
        return cls(X, labels, split, keep_labels(truth, shown)[split.train], oracle, seed)

    def play(self, method: Method, plan: Plan) -> list[Record]:
        """Ask and answer; return a record a measurement."""
        model, strategy = method
        session = Session(seeded(model, self.seed), self.X[self.split.train], self.y, strategy, seed=self.seed)
        for row in np.flatnonzero(~self.labels.labeled[self.split.train]).tolist():
            session.tell(row, Answer.UNSURE)
        records, asked, seconds = [], 0, 0.0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of scarce labels, which are the point here
            while True:
                begin = perf_counter()
                rows = session.ask(min(plan.batch, max(plan.questions - asked, 1)))
                seconds += perf_counter() - begin
                over = asked >= plan.questions or not len(rows)
                if over or asked // plan.every > (asked - plan.batch) // plan.every:
                    records.append({**self._measured(session), "seconds_a_question": seconds / (asked + 1)})
                if over:
                    return records
                for row in rows.tolist():
                    session.tell(row, self.oracle.answer(row))
                asked += len(rows)

    def _measured(self, session: Session) -> Record:
        """Judge the test part; where there is none, the training rows that were never answered."""
        told = session.n_labels
        if session.model is None:
            raise InputError(f"The {told} labels at the beginning are of one class; start with two at least.")
        if len(self.split.test):
            rows, model = self.split.test, session.model
            P = np.asarray(model.predict_proba(self.X[rows]))
        else:
            left = session.open_rows
            rows, P = self.split.train[left], posterior_of(session.model, session.X)[left]
        decided = decide(align_posterior(P, session.model.classes_, self.labels.classes))
        judged = judge(self.labels.codes[rows], decided, len(self.labels.classes))
        scores = {name: metric(judged) for name, metric in DECISION_METRICS.items()}
        return {"budget": f"{told} labels", "x": told, **scores}

"""One trial: fit a model on a training part, score it on the test part, write down what happened."""

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from smatter.errors import InputError
from smatter.evaluate.metrics import align_posterior, class_table, decide, evaluate, judge
from smatter.evaluate.protocols import Budget, Protocol
from smatter.evaluate.splits import Rows, Split
from smatter.labels import UNLABELED, Codes, Labels

Answers = tuple[Codes, Codes, Any]  # true codes, decided codes, posterior or None


@dataclass(frozen=True)
class Trial:
    """What one fit has shown: its scores on the test part, or on the hidden labels where there is no such part."""

    scores: dict[str, float]
    per_class: list[dict[str, Any]]
    n_train: int
    n_labeled: int
    n_test: int
    fit_seconds: float
    n_iter: int | None
    transductive: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Task:
    """A split of a collection and the training rows whose labels are shown.

    Without a test part it is transductive: the training rows whose labels are not shown are judged instead.
    """

    X: Any
    labels: Labels
    split: Split
    shown: Rows

    @property
    def is_transductive(self) -> bool:
        """True where there is no test part."""
        return len(self.split.test) == 0

    @property
    def train_codes(self) -> Codes:
        """The codes of the training rows, hidden ones as unlabeled."""
        codes = np.full(len(self.labels.codes), UNLABELED)
        codes[self.shown] = self.labels.codes[self.shown]
        return codes[self.split.train]


def make_task(X: Any, labels: Labels, protocol: Protocol, budget: Budget, *, fold: int, start: int) -> Task:
    """Lay out the task that a protocol has at a budget, fold and start."""
    split = protocol.split(labels.codes, fold)
    return Task(X, labels, split, protocol.draw(labels.codes, split, budget, fold, start))


def run_trial(estimator: Any, task: Task, *, seed: int = 0, transductive: bool = False) -> Trial:
    """Fit a clone of the estimator on the shown labels and the unlabeled rest, and score it on the rows to judge.

    Parameters
    ----------
    estimator : classifier
        Gets label codes, −1 for unlabeled. Scored by ``predict_proba``; by ``predict`` if it has none, and then the
        metrics of probabilities are NaN.
    task : Task
        The rows.
    seed : int
        Set as every ``random_state`` of the estimator, nested ones too.
    transductive : bool
        Also score what the fitted model says of the unlabeled training rows.
    """
    model = seeded(estimator, seed)
    X_train, codes = task.X[task.split.train], task.train_codes
    begin = perf_counter()
    model.fit(X_train, codes)
    fit_seconds = perf_counter() - begin
    n_classes = len(task.labels.classes)
    hidden = _answers_for_hidden(model, X_train, task) if transductive or task.is_transductive else None
    answers = hidden if task.is_transductive else _answers_for_test(model, task)
    if answers is None:
        raise InputError("No row is left to judge: there is no test part and every label is shown; show fewer labels.")
    return Trial(
        scores=evaluate(*answers, n_classes),
        per_class=class_table(judge(*answers[:2], n_classes), task.labels.classes.tolist()),
        n_train=len(codes),
        n_labeled=int((codes != UNLABELED).sum()),
        n_test=len(answers[0]),
        fit_seconds=fit_seconds,
        n_iter=_n_iter(model),
        transductive={} if hidden is None else evaluate(*hidden, n_classes),
    )


def seeded(estimator: Any, seed: int) -> Any:
    """Return a clone whose every ``random_state`` is the seed.

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import LinearSVC
    >>> seeded(make_pipeline(LinearSVC()), 7)[-1].random_state
    7
    """
    model = clone(estimator)
    names = [name for name in model.get_params() if name == "random_state" or name.endswith("__random_state")]
    return model.set_params(**dict.fromkeys(names, seed))


def _answers_for_test(model: Any, task: Task) -> Answers:
    rows = task.split.test
    return task.labels.codes[rows], *_decisions(model, task.X[rows], len(task.labels.classes))


def _answers_for_hidden(model: Any, X_train: Any, task: Task) -> Answers | None:
    """Answers for the training rows whose label was not shown; None where every label was."""
    codes = task.labels.codes[task.split.train]
    hidden = np.flatnonzero((task.train_codes == UNLABELED) & (codes != UNLABELED))
    n_classes = len(task.labels.classes)
    if len(hidden) == 0:
        return None
    if hasattr(model, "posterior_"):
        posterior = align_posterior(model.posterior_[hidden], model.classes_, np.arange(n_classes))
        return codes[hidden], decide(posterior), posterior
    return codes[hidden], *_decisions(model, X_train[hidden], n_classes)


def _decisions(model: Any, X: Any, n_classes: int) -> tuple[Codes, Any]:
    if not hasattr(model, "predict_proba"):
        return np.asarray(model.predict(X), dtype=np.int64), None
    posterior = align_posterior(model.predict_proba(X), model.classes_, np.arange(n_classes))
    return decide(posterior), posterior


def _n_iter(model: Any) -> int | None:
    n_iter = getattr(model, "n_iter_", None)
    return None if n_iter is None else int(np.max(n_iter))

"""One trial: fit a model on a training part, score it on the test part, write down what happened."""

from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from smatter.evaluate.metrics import align_posterior, class_table, decide, evaluate, judge
from smatter.evaluate.protocols import Budget, Protocol
from smatter.evaluate.splits import Rows, Split
from smatter.labels import UNLABELED, Codes, Labels


@dataclass(frozen=True)
class Trial:
    """What one fit has shown. The scores are those of the test part (inductive) unless said."""

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
    """A split of a collection and the training rows whose labels are shown."""

    X: Any
    labels: Labels
    split: Split
    shown: Rows

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
    """Fit a clone of the estimator on the shown labels and the unlabeled rest, and score it on the test part.

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
    decided, posterior = _answers(model, task.X[task.split.test], len(task.labels.classes))
    truth = task.labels.codes[task.split.test]
    n_classes = len(task.labels.classes)
    return Trial(
        scores=evaluate(truth, decided, posterior, n_classes),
        per_class=class_table(judge(truth, decided, n_classes), task.labels.classes.tolist()),
        n_train=len(codes),
        n_labeled=int((codes != UNLABELED).sum()),
        n_test=len(truth),
        fit_seconds=fit_seconds,
        n_iter=_n_iter(model),
        transductive=_transductive_scores(model, X_train, codes, task) if transductive else {},
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


def _answers(model: Any, X: Any, n_classes: int) -> tuple[Codes, Any]:
    if not hasattr(model, "predict_proba"):
        return np.asarray(model.predict(X), dtype=np.int64), None
    posterior = align_posterior(model.predict_proba(X), model.classes_, np.arange(n_classes))
    return decide(posterior), posterior


def _transductive_scores(model: Any, X_train: Any, codes: Codes, task: Task) -> dict[str, float]:
    hidden = np.flatnonzero((codes == UNLABELED) & (task.labels.codes[task.split.train] != UNLABELED))
    if len(hidden) == 0:
        return {}
    truth = task.labels.codes[task.split.train][hidden]
    n_classes = len(task.labels.classes)
    if hasattr(model, "posterior_"):
        posterior = align_posterior(model.posterior_[hidden], model.classes_, np.arange(n_classes))
        return evaluate(truth, decide(posterior), posterior, n_classes)
    decided, posterior = _answers(model, X_train[hidden], n_classes)
    return evaluate(truth, decided, posterior, n_classes)


def _n_iter(model: Any) -> int | None:
    n_iter = getattr(model, "n_iter_", None)
    return None if n_iter is None else int(np.max(n_iter))

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from smatter.errors import InputError
from smatter.evaluate.baselines import LabeledOnly
from smatter.evaluate.protocols import Protocol, Share
from smatter.evaluate.trials import Task, make_task, run_trial
from smatter.labels import encode_labels

rng = np.random.default_rng(0)
codes = np.arange(60) % 3
X = sp.csr_array(rng.poisson(np.where(codes[:, None] == np.arange(6) % 3, 3.0, 0.5)).astype(float))
labels = encode_labels(np.array(["ham", "news", "spam"])[codes])
protocol = Protocol(folds=3)


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers what it was given."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        Spy.seen = (X.shape[0], y.copy(), self.random_state)
        self.classes_ = np.unique(y[y >= 0])
        self.posterior_ = np.eye(3)[self.oracle]
        self.n_iter_ = 4
        return self

    def predict_proba(self, X):
        return np.full((X.shape[0], len(self.classes_)), 1 / len(self.classes_))


def test_the_model_sees_the_shown_labels_and_no_other():
    task = make_task(X, labels, protocol, Share(0.2), fold=1, start=0)
    Spy.oracle = labels.codes[task.split.train]
    trial = run_trial(Spy(), task, seed=11, transductive=True)
    n_rows, y, seed = Spy.seen
    assert (n_rows, seed) == (40, 11)
    shown = np.isin(task.split.train, task.shown)
    assert y[shown].tolist() == labels.codes[task.shown].tolist() and (y[~shown] == -1).all()
    assert (trial.n_train, trial.n_labeled, trial.n_test, trial.n_iter) == (40, 8, 20, 4)
    assert trial.scores["log_loss"] == pytest.approx(np.log(3))
    assert trial.transductive["micro_f"] == 1


def test_a_class_that_was_not_shown_is_scored_as_never_found():
    split = protocol.split(labels.codes, 0)
    shown = split.train[labels.codes[split.train] != 2]
    trial = run_trial(LabeledOnly(MultinomialNB()), Task(X, labels, split, shown))
    n_spam = int((labels.codes[split.test] == 2).sum())
    assert trial.per_class[2] == {"class": "spam", "precision": 0.0, "recall": 0.0, "f": 0.0, "rows": n_spam}
    assert trial.scores["log_loss"] > 5


def test_a_model_without_probabilities_is_scored_by_its_decisions():
    task = make_task(X, labels, protocol, Share(1.0), fold=0, start=0)
    trial = run_trial(LabeledOnly(LinearSVC()), task)
    assert trial.scores["micro_f"] > 0.8
    assert np.isnan(trial.scores["log_loss"])


def test_without_a_test_part_the_hidden_labels_are_judged():
    task = make_task(X, labels, Protocol("transductive"), Share(0.2), fold=0, start=0)
    Spy.oracle = labels.codes
    trial = run_trial(Spy(), task)
    assert (trial.n_train, trial.n_labeled, trial.n_test) == (60, 12, 48)
    assert trial.scores["micro_f"] == 1 and trial.scores == trial.transductive
    Spy.oracle = (labels.codes + 1) % 3
    assert run_trial(Spy(), task).scores["micro_f"] == 0


def test_without_a_test_part_and_with_every_label_shown_nothing_is_left():
    task = make_task(X, labels, Protocol("transductive"), Share(1.0), fold=0, start=0)
    with pytest.raises(InputError, match=r"No row is left to judge.*show fewer labels"):
        run_trial(LabeledOnly(MultinomialNB()), task)


def test_without_hidden_rows_there_is_nothing_transductive():
    task = make_task(X, labels, protocol, Share(1.0), fold=0, start=0)
    assert run_trial(LabeledOnly(MultinomialNB()), task, transductive=True).transductive == {}


def test_rows_without_a_true_label_train_and_are_never_judged():
    some = np.array(["ham", "news", "spam"], dtype=object)[codes]
    some[:15] = None
    partly = encode_labels(some)
    task = make_task(X, partly, protocol, Share(0.5), fold=0, start=0)
    assert set(range(15)) <= set(task.split.train) and not set(range(15)) & set(task.shown)
    trial = run_trial(LabeledOnly(MultinomialNB()), task, transductive=True)
    assert trial.n_train + trial.n_test == 60

"""Real text: 20 Newsgroups, both versions, one message in twenty labeled."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from smatter import ManyComponentNaiveBayes, NaiveBayes, NaiveBayesEM
from smatter.experiments.inputs import counts

pytestmark = [pytest.mark.data, pytest.mark.slow]
VERSIONS = ("20newsgroups", "20newsgroups-bydate")


@pytest.fixture(scope="module", params=VERSIONS)
def split(request):
    """Four fifths to train on, of which one in twenty labeled; one fifth to test on."""
    X, labels, _ = counts(request.param)
    shuffled = np.random.RandomState(0).permutation(len(labels))
    test, train = np.split(shuffled, [len(labels) // 5])
    y = labels[train].copy()
    y[round(0.05 * len(train)) :] = ""
    return X[train], y, X[test], labels[test].astype(str)


@pytest.fixture(scope="module")
def chosen(split):
    X, y, _, _ = split
    return NaiveBayesEM().fit(X, y)


def micro_f(model, split) -> float:
    _, _, unseen, truth = split
    return f1_score(truth, model.predict(unseen).astype(str), average="micro")


def test_defaults_reach_0_76(split, chosen):
    assert micro_f(chosen, split) >= 0.76
    assert chosen.unlabeled_weight_ > 0


def test_unlabeled_messages_are_worth_eight_points(split, chosen):
    X, y, _, _ = split
    assert micro_f(chosen, split) > micro_f(NaiveBayes(length_exponent="loo").fit(X, y), split) + 0.08


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_components_by_the_tree_do_not_hurt(split):
    X, y, _, _ = split
    options = {"length_exponent": 0.25, "smoothing": 0.1, "max_iter": 15, "random_state": 0}
    one, two = (ManyComponentNaiveBayes(n, **options).fit(X, y) for n in (1, 2))
    assert micro_f(two, split) > micro_f(one, split) - 0.02

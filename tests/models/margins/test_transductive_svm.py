"""Against exhaustive search over all labelings, and the rules of switching."""

import numpy as np
import pytest

from reference import margins as slow
from smatter import AnnealedS3VM, SemidefiniteTSVM, TransductiveSVM
from smatter.models.margins._switching import label_by_rank, squared_slack, switch_pairs

N_DRAWS = 12


def small_problem(seed):
    """Two labels a class and eight unlabeled rows, half of each class."""
    draw = np.random.RandomState(seed)
    truth = np.repeat([1, -1], 6)
    X = draw.normal(size=(12, 3)) + 0.9 * truth[:, np.newaxis]
    signs = np.where(np.arange(12) % 6 < 2, truth, 0)
    return X, signs


@pytest.fixture(scope="module")
def searched():
    """Each problem with the least objective over all its labelings."""
    problems = []
    for seed in range(N_DRAWS):
        X, signs = small_problem(seed)
        Z = slow.extended(X, 0.0, 1.0)
        cost = np.where(signs == 0, 0.5, 1.0)
        problems.append((X, signs, *slow.exhaustive_transduction(Z, signs, cost, 4)))
    return problems


@pytest.mark.parametrize(("model", "share"), [(TransductiveSVM, 0.5), (AnnealedS3VM, 0.75), (SemidefiniteTSVM, 0.5)])
def test_reaches_the_objective_of_exhaustive_search(model, share, searched):
    ratio = []
    for X, signs, best, _ in searched:
        y = np.where(signs == 0, -1, signs > 0)
        fitted = model(C=1.0, C_unlabeled=0.5, class_ratio=[0.5, 0.5], tol=1e-8, calibrate=False).fit(X, y)
        ratio.append(fitted.objective_[-1] / best)
    assert min(ratio) >= 1.0 - 1e-6, "nothing is below the exhaustive search"
    assert np.mean(np.array(ratio) < 1.0 + 1e-4) >= share
    assert np.median(ratio) < 1.02


def test_the_relaxation_is_a_lower_bound(searched):
    for X, signs, best, _ in searched[:3]:
        y = np.where(signs == 0, -1, signs > 0)
        fitted = SemidefiniteTSVM(C=1.0, C_unlabeled=0.5, class_ratio=[0.5, 0.5], n_vectors=None, calibrate=False).fit(
            X, y
        )
        assert fitted.objective_[0] <= best * (1.0 + 1e-6)
        assert fitted.objective_[0] > 0.5 * best


@pytest.mark.parametrize("seed", range(10))
def test_switching_leaves_no_gaining_pair(seed):
    draw = np.random.RandomState(seed)
    scores, cost = draw.normal(size=30), draw.uniform(0.5, 2.0, size=30)
    signs = label_by_rank(draw.normal(size=30), 12)

    def loss(labels):
        return float(cost @ squared_slack(labels * scores))

    switched = switch_pairs(scores, signs, cost)
    assert (switched > 0).sum() == 12
    assert loss(switched) <= loss(signs)
    for p in np.flatnonzero(switched > 0):
        for q in np.flatnonzero(switched < 0):
            other = switched.copy()
            other[p], other[q] = -1, 1
            assert loss(other) >= loss(switched) - 1e-8


def test_joachims_pairs_switch():
    """ξ_p > 0, ξ_q > 0 and ξ_p + ξ_q > 2; and no pair does that is in order already."""
    draw = np.random.RandomState(0)
    for positive_score, negative_score in draw.uniform(-2.0, 2.0, size=(200, 2)):
        slack_p, slack_q = max(0.0, 1.0 - positive_score), max(0.0, 1.0 + negative_score)
        switched = switch_pairs(np.array([positive_score, negative_score]), np.array([1, -1], np.int8), np.ones(2))
        if slack_p > 0 and slack_q > 0 and slack_p + slack_q > 2:
            assert switched[0] < 0
        if positive_score > negative_score:
            assert switched[0] > 0

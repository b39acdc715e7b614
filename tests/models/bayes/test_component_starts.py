"""The agglomerative tree by brute force, and what every start must give."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import bayes as slow
from smatter.models.bayes import _component_starts
from smatter.models.bayes._component_starts import STARTS, cut, merges, tree_start


def groups(clusters: np.ndarray) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(clusters == c).tolist()) for c in np.unique(clusters)}


@settings(max_examples=25, deadline=None)
@given(n=st.integers(1, 14), d=st.integers(2, 6), sparse=st.booleans(), seed=st.integers(0, 10_000))
def test_every_layer_is_that_of_brute_force(n, d, sparse, seed):
    X = np.random.RandomState(seed).gamma(0.5, size=(n, d)) + 1e-3
    history = merges(sp.csr_array(X) if sparse else X)
    for n_components, layer in zip(range(n, 0, -1), slow.agglomerate(X), strict=True):
        assert groups(cut(history, n, n_components)) == {frozenset(group) for group in layer}


def test_one_layer_deeper_splits_exactly_one_component():
    X = sp.csr_array(np.random.RandomState(0).poisson(1.0, (40, 12)).astype(float))
    deal = tree_start(lambda: X, np.random.RandomState(0))
    for n_components in range(1, 40):
        coarse, fine = (groups(deal(m).argmax(axis=1)) for m in (n_components, n_components + 1))
        kept = coarse & fine
        assert len(kept) == n_components - 1
        (split,), parts = coarse - kept, fine - kept
        assert len(parts) == 2 and frozenset().union(*parts) == split


def test_figure_2_1_of_the_thesis():
    """Six documents whose likeness makes the layers {1,2,3},{4},{5,6} and then {1,2,3,4},{5,6}."""
    angles = np.deg2rad([0, 1, 4, 12, 70, 73])
    history = merges(np.stack([np.cos(angles), np.sin(angles)], axis=1))
    assert groups(cut(history, 6, 3)) == {frozenset({0, 1, 2}), frozenset({3}), frozenset({4, 5})}
    assert groups(cut(history, 6, 2)) == {frozenset({0, 1, 2, 3}), frozenset({4, 5})}


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("start", list(STARTS))
@pytest.mark.parametrize("n_components", [1, 2, 7])
def test_rows_are_shared_out_wholly(start, sparse, n_components):
    X = np.random.RandomState(0).poisson(1.0, (7, 5)).astype(float)
    X[3] = 0
    deal = STARTS[start](lambda: sp.csr_array(X) if sparse else X, np.random.RandomState(0))
    shares = deal(n_components)
    assert shares.shape == (7, n_components)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares >= 0).all()
    if start == "tree":
        assert (shares.sum(axis=0) > 0).all()


def test_of_many_documents_a_sample_makes_the_tree(monkeypatch):
    monkeypatch.setattr(_component_starts, "TREE_ROWS", 20)
    random = np.random.RandomState(0)
    truth = np.arange(100) % 2
    X = sp.csr_array(random.poisson(np.array([[3, 0.2], [0.2, 3]]).repeat(5, axis=1)[truth]).astype(float))
    for n_components in range(1, 21):
        shares = tree_start(lambda: X, np.random.RandomState(1))(n_components)
        assert (shares.sum(axis=0) > 0).all(), "the sample's own clusters stay as they are cut"
    halves = tree_start(lambda: X, np.random.RandomState(1))(2).argmax(axis=1)
    assert max((halves == truth).mean(), (halves != truth).mean()) > 0.95


def test_kmeans_minimizes_the_sum_of_squares():
    """N eq. 2.12, against all partitions."""
    X = np.random.RandomState(1).rand(8, 2)
    found = STARTS["kmeans"](lambda: X, np.random.RandomState(0))(2).argmax(axis=1)

    def squares(clusters: np.ndarray) -> float:
        return sum(((X[clusters == c] - X[clusters == c].mean(axis=0)) ** 2).sum() for c in np.unique(clusters))

    partitions = [np.array([(code >> i) & 1 for i in range(8)]) for code in range(1, 255)]
    assert squares(found) == pytest.approx(min(squares(p) for p in partitions))

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import maximum_flow

from reference import graphs as slow
from reference.graph_figures import chain, grid, ring
from smatter import Mincut, RandomizedMincut
from smatter.errors import InputError, LabelWarning
from smatter.models.graphical._cuts import cut_weight, minimum_cut


def random_graph(seed, n=10, density=0.5):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    return W + W.T


def labels_of(seed, n, n_classes):
    y = np.full(n, -1)
    y[np.random.default_rng(seed).choice(n, n_classes, replace=False)] = np.arange(n_classes)
    return y


@given(st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_two_classes_are_cut_as_brute_force_cuts(seed):
    W, y = random_graph(seed), labels_of(seed, 10, 2)
    model = Mincut().fit_graph(W, y)
    assert slow.potts_energy(W, model.transduction_) == pytest.approx(slow.lowest_energy(W, y, 2), abs=1e-6)
    assert (model.transduction_[y >= 0] == y[y >= 0]).all()


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_the_cut_weighs_what_scipy_lets_flow(seed):
    W = np.rint(random_graph(seed, n=30, density=0.2) * 100)
    y = labels_of(seed, 30, 2)
    source, sink = int(np.flatnonzero(y == 1)[0]), int(np.flatnonzero(y == 0)[0])
    flow = maximum_flow(sp.csr_array(W, dtype=np.int32), source, sink).flow_value
    assert Mincut().fit_graph(W, y).objective_[-1] == pytest.approx(flow)


@given(st.integers(0, 10_000))
@settings(max_examples=20, deadline=None)
def test_expansion_falls_and_ends_within_twice_the_least(seed):
    W, y = random_graph(seed, n=9), labels_of(seed, 9, 3)
    model = Mincut(multiclass="alpha-expansion").fit_graph(W, y)
    least = slow.lowest_energy(W, y, 3)
    assert (np.diff(model.objective_) < 0).all()
    assert least - 1e-6 <= model.objective_[-1] <= 2 * least + 1e-6
    assert model.objective_[-1] == pytest.approx(slow.potts_energy(W, model.transduction_))
    states = model.transduction_
    for code in range(3):  # no expansion of any class is better: brute force over all of them
        moving = [i for i in range(9) if y[i] < 0 and states[i] != code]
        for choice in range(2 ** len(moving)):
            moved = states.copy()
            moved[[i for bit, i in enumerate(moving) if choice >> bit & 1]] = code
            assert slow.potts_energy(W, moved) >= model.objective_[-1] - 1e-6


def test_of_equal_cuts_the_one_nearest_to_the_second_class_is_taken():
    for W, y, _ in (chain(), grid(), ring()):
        assert (Mincut().fit_graph(W, y).transduction_ == 1).sum() == (y == 1).sum()


def test_the_balance_constraint_holds_the_shares():
    for W, y, _ in (chain(), grid(), ring()):
        states = Mincut(class_shares=[0.5, 0.5], slack=0.0).fit_graph(W, y).transduction_
        assert abs((states == 1).mean() - 0.5) <= 1 / len(y)
    W, y, _ = chain(20)
    states = Mincut(class_shares=[0.8, 0.2], slack=0.0).fit_graph(W, y).transduction_
    assert (states == 1).sum() == 4


def test_within_the_slack_the_cut_is_free():
    W, y, _ = chain(20)
    W[7, 8] = W[8, 7] = 0.1
    states = Mincut(class_shares=[0.5, 0.5], slack=0.25).fit_graph(W, y).transduction_
    assert states.tolist() == [0] * 8 + [1] * 12


def test_labels_apart_are_a_cut_of_weight_zero():
    W = np.zeros((4, 4))
    W[0, 1] = W[1, 0] = W[2, 3] = W[3, 2] = 1.0
    model = Mincut().fit_graph(W, [0, -1, -1, 1])
    assert model.transduction_.tolist() == [0, 0, 1, 1] and model.objective_[-1] == 0


def test_two_labels_that_only_a_zero_weight_joins_are_apart():
    graph = sp.csr_array(([1.0, 1.0, 0.0, 0.0], ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    assert Mincut().fit_graph(graph, [0, -1, 1]).transduction_.tolist() == [0, 0, 1]


def test_weights_of_any_size_are_cut_precisely():
    W, y = random_graph(5), labels_of(5, 10, 2)
    expected = Mincut().fit_graph(W, y).transduction_
    for scale in (1e-12, 1e12):
        assert (Mincut().fit_graph(W * scale, y).transduction_ == expected).all()


def test_a_cut_without_a_sink_is_all_that_the_source_reaches():
    pairs = sp.csr_array(np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 0]]))
    assert minimum_cut(pairs, np.array([1.0, 0, 0]), np.zeros(3)).tolist() == [True, True, False]


def test_everything_labeled():
    assert Mincut().fit_graph(random_graph(1, n=4), [0, 1, 2, 0]).transduction_.tolist() == [0, 1, 2, 0]


def test_cut_weight_is_the_potts_energy():
    W = random_graph(2)
    states = np.random.default_rng(0).integers(0, 3, 10)
    assert cut_weight(sp.csr_array(W), states) == pytest.approx(slow.potts_energy(W, states))


@pytest.mark.parametrize("shares", [[0.5], [0.5, -0.5], [np.nan, 1.0]])
def test_wrong_shares_are_refused(shares):
    W, y, _ = chain()
    with pytest.raises(InputError, match="one share above 0 for each of the 2 classes"):
        Mincut(class_shares=shares).fit_graph(W, y)


class TestRandomized:
    def test_the_probability_is_the_share_of_cuts(self):
        W, y, _ = chain()
        model = RandomizedMincut(n_cuts=400, min_share=0.0).fit_graph(W, y)
        # any of the 9 edges is the weakest as often as any other
        assert model.posterior_[:, 1] == pytest.approx(np.arange(10) / 9, abs=0.08)
        assert model.n_kept_cuts_.tolist() == [400]

    def test_without_noise_it_is_mincut(self):
        W, y = random_graph(3), labels_of(3, 10, 2)
        model = RandomizedMincut(noise=0.0, min_share=0.0).fit_graph(W, y)
        assert (model.transduction_ == Mincut().fit_graph(W, y).transduction_).all()

    def test_unbalanced_cuts_are_dropped(self):
        W, y, _ = chain(12)
        model = RandomizedMincut(n_cuts=200, min_share=0.5).fit_graph(W, y)
        assert 0 < model.n_kept_cuts_[0] < 200
        assert (model.posterior_[:3, 0] == 1).all() and (model.posterior_[-3:, 1] == 1).all()

    def test_it_says_when_no_cut_is_balanced(self):
        W, y = np.ones((40, 40)) - np.eye(40), np.full(40, -1)
        y[:2] = 0, 1
        with pytest.warns(LabelWarning, match="were unbalanced for the classes"):
            RandomizedMincut(n_cuts=3).fit_graph(W, y)

    def test_seeds(self):
        W, y, _ = grid()
        one = RandomizedMincut(random_state=1).fit_graph(W, y).posterior_
        assert (one == RandomizedMincut(random_state=1).fit_graph(W, y).posterior_).all()
        assert (one != RandomizedMincut(random_state=2).fit_graph(W, y).posterior_).any()

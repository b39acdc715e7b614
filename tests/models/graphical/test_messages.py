import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import graphs as slow
from reference.graph_figures import chain, grid, ring
from smatter import KNNGraph, LoopyBeliefPropagation, MaxSum, Mincut, SpanningTreeGraph
from smatter.errors import InputError
from smatter.labels import encode_labels
from smatter.models.graphical._base import GraphProblem
from smatter.models.graphical._ties import posterior_of, put_first
from smatter.models.graphical.loopy_belief_propagation import reverse_edges


@st.composite
def forests(draw):
    """Trees and forests of up to 12 vertices, weights with many ties, up to 3 classes."""
    n = draw(st.integers(3, 12))
    n_classes = draw(st.integers(2, 3 if n <= 10 else 2))
    W = np.zeros((n, n))
    for i in range(1, n):
        j = draw(st.integers(0, i - 1))
        W[i, j] = W[j, i] = draw(st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0, 0.3]))
    order = draw(st.permutations(range(n)))
    y = np.full(n, -1)
    n_labeled = draw(st.integers(n_classes, min(n, n_classes + 2)))
    y[order[:n_labeled]] = np.arange(n_labeled) % n_classes
    return W[np.ix_(order, order)], y, n_classes


@given(forests(), st.sampled_from(["influence", "first"]))
@settings(max_examples=150, deadline=None)
def test_max_sum_is_brute_force_on_every_small_forest(problem, tie_break):
    W, y, n_classes = problem
    model = MaxSum(tie_break=tie_break).fit_graph(W, y)
    assert slow.potts_energy(W, model.transduction_) == pytest.approx(slow.lowest_energy(W, y, n_classes))
    assert model.objective_[-1] == pytest.approx(-slow.lowest_energy(W, y, n_classes))
    assert (model.transduction_[y >= 0] == y[y >= 0]).all()


@given(forests())
@settings(max_examples=40, deadline=None)
def test_on_a_forest_the_beliefs_are_max_marginals(problem):
    W, y, n_classes = problem
    exact = slow.max_marginals(W, y, n_classes)
    exact = np.exp(exact - exact.max(axis=1, keepdims=True))
    free = y < 0
    flooded = LoopyBeliefPropagation(max_iter=50).fit_graph(W, y).posterior_
    traced = MaxSum().fit_graph(W, y).posterior_
    for posterior in (flooded, traced):
        # ties only share their mass anew: sorted probabilities agree unless best labels are tied
        alone = free & ((exact > 1 - 1e-9).sum(axis=1) == 1)
        expected = exact / exact.sum(axis=1, keepdims=True)
        assert posterior[alone] == pytest.approx(expected[alone], abs=1e-6)
        tied_mass = np.where(exact > 1 - 1e-9, posterior, 0).sum(axis=1)
        assert tied_mass[free] == pytest.approx(np.where(exact > 1 - 1e-9, expected, 0).sum(axis=1)[free], abs=1e-6)


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(2, 3))
@settings(max_examples=25, deadline=None)
def test_flooding_is_its_slow_twin_round_by_round(seed, rounds, n_classes):
    from smatter.kernels import graph_messages as kernels

    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((8, 8)) * (rng.random((8, 8)) < 0.5), 1)
    W = W + W.T
    y = np.full(8, -1)
    y[:n_classes] = np.arange(n_classes)
    graph = sp.csr_array(W)
    messages = np.zeros((graph.nnz, n_classes))
    sent, sums, change = np.empty_like(messages), np.zeros((8, n_classes)), np.zeros(8)
    for _ in range(rounds):
        arrays = (graph.indptr, graph.indices, graph.data)
        kernels.flood(arrays, reverse_edges(graph), y, 0.0, messages, sent, sums, change)
        messages, sent = sent, messages
    kernels.add_up(graph.indptr, messages, sums)
    assert sums == pytest.approx(slow.flooding(W, y, n_classes, rounds))


def test_the_reverse_of_an_edge_is_the_same_edge():
    graph = sp.csr_array(grid()[0])
    rows, columns = graph.tocoo().row, graph.tocoo().col
    reverse = reverse_edges(graph)
    assert (rows[reverse] == columns).all() and (columns[reverse] == rows).all()


class TestFigures:
    """The cut lands in the middle with the influence index; without it, and with mincut, beside a label."""

    def test_chain(self):
        W, y, places = chain()
        for model in (MaxSum(), LoopyBeliefPropagation()):
            assert model.fit_graph(W, y).transduction_.tolist() == [0] * 5 + [1] * 5
        tree = MaxSum(SpanningTreeGraph("euclidean")).fit(places, y)
        assert tree.transduction_.tolist() == [0] * 5 + [1] * 5
        for model in (MaxSum(tie_break="first"), LoopyBeliefPropagation(tie_break="first"), Mincut()):
            assert (model.fit_graph(W, y).transduction_ == 1).sum() == 1

    def test_grid(self):
        W, y, places = grid()
        middle = places[:, 0] == 4  # as far from the left as from the right: either side is right
        expected = (places[:, 0] > 4).astype(int)
        model = LoopyBeliefPropagation(max_iter=100).fit_graph(W, y)
        assert (model.transduction_ == expected)[~middle].all()
        rows = LoopyBeliefPropagation(KNNGraph(2, "euclidean"), max_iter=100).fit(places, y)
        assert (rows.transduction_ == expected)[~middle].mean() >= 0.9
        for plain in (LoopyBeliefPropagation(tie_break="first"), Mincut()):
            assert (plain.fit_graph(W, y).transduction_ == 1).sum() == 3

    def test_ring(self):
        W, y, places = ring()
        right = places[:, 0] < 0  # vertex 7 sits at −1
        for rounds in (20, 200):
            model = LoopyBeliefPropagation(max_iter=rounds).fit_graph(W, y)
            assert (model.transduction_ == right).all()
            plain = LoopyBeliefPropagation(max_iter=rounds, tie_break="first").fit_graph(W, y)
            assert (plain.transduction_ == 1).sum() == 1
        from_rows = LoopyBeliefPropagation(KNNGraph(2, "euclidean")).fit(places, y)
        assert (from_rows.transduction_ == right).all()
        assert (Mincut().fit_graph(W, y).transduction_ == 1).sum() == 1


def test_a_cycle_is_refused_by_max_sum():
    with pytest.raises(InputError, match=r"14 edges over 14 vertices in 1 components.*use LoopyBeliefPropagation"):
        MaxSum().fit_graph(*ring()[:2])


def test_the_influence_of_rows_is_the_sum_of_similarities():
    _, y, places = chain()
    builder = KNNGraph(2, "euclidean")
    W = builder.build(places)
    influence = GraphProblem(W, encode_labels(y), builder, places).influence()
    distance = np.abs(places[:, :1] - places[[0, 9], 0])
    assert influence == pytest.approx(1 / (1 + distance))


def test_damping_reaches_the_same_messages_where_they_settle():
    W, y, _ = chain()
    one = LoopyBeliefPropagation().fit_graph(W, y).posterior_
    assert LoopyBeliefPropagation(damping=0.5).fit_graph(W, y).posterior_ == pytest.approx(one, abs=1e-5)


def test_threads_do_not_change_the_messages():
    import numba

    rng = np.random.default_rng(0)
    W = np.triu(rng.random((100, 100)) * (rng.random((100, 100)) < 0.1), 1)
    y = np.where(rng.random(100) < 0.1, rng.integers(0, 2, 100), -1)
    many = LoopyBeliefPropagation().fit_graph(W + W.T, y).posterior_
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        one = LoopyBeliefPropagation().fit_graph(W + W.T, y).posterior_
    finally:
        numba.set_num_threads(before)
    assert (one == many).all()


def test_tied_labels_share_their_mass_by_influence():
    scores, influence = np.array([[0.0, 0.0, -1.0]]), np.array([[1.0, 3.0, 100.0]])
    posterior = posterior_of(scores, influence, 1e-9)
    mass = np.array([1.0, 1.0, np.exp(-1)]) / (2 + np.exp(-1))
    assert posterior == pytest.approx(np.array([[0.5 * mass[0], 1.5 * mass[0], mass[2]]]))
    assert put_first(posterior, np.array([0]))[0].argmax() == 0

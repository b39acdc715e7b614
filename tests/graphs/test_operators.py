import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from smatter.errors import InputError
from smatter.graphs import operators
from smatter.graphs.checks import check_graph
from smatter.graphs.solvers import solve_laplacian


def random_graph(seed, n=12, density=0.4):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    return W + W.T


@given(st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_operators_are_their_formulas(seed):
    W = random_graph(seed)
    d = W.sum(axis=1)
    inverse = np.where(d > 0, 1 / np.where(d > 0, d, 1), 0)
    S = np.sqrt(inverse)[:, None] * W * np.sqrt(inverse)
    graph = sp.csr_array(W)
    assert operators.laplacian(graph).toarray() == pytest.approx(np.diag(d) - W)
    assert operators.spreading_matrix(graph).toarray() == pytest.approx(S)
    assert operators.normalized_laplacian(graph).toarray() == pytest.approx(np.eye(12) - S)
    P = operators.transition_matrix(graph)
    assert P.sum(axis=1) == pytest.approx(np.ones(12))
    start = np.eye(12)[:, :3]
    assert operators.walk(P, start, 4) == pytest.approx(np.linalg.matrix_power(P.toarray(), 4).T @ start)


@given(st.integers(0, 1000), st.floats(0.05, 1.0))
@settings(max_examples=20, deadline=None)
def test_personalized_walk_is_the_fixed_point(seed, restart):
    graph = sp.csr_array(random_graph(seed, density=0.2))  # often with lonely vertices
    starts = np.random.default_rng(seed).dirichlet(np.ones(12), size=2).T
    p = operators.personalized_walk(graph, starts, restart)
    P = operators.transition_matrix(graph)
    assert p == pytest.approx(restart * starts + (1 - restart) * (P.T @ p), abs=1e-7)
    assert p.sum(axis=0) == pytest.approx([1, 1])


def test_stationary_distribution_of_an_undirected_graph_goes_with_the_degrees():
    W = random_graph(1, density=0.9)
    share = operators.stationary_distribution(operators.transition_matrix(sp.csr_array(W)), teleport=1e-5)
    assert share == pytest.approx(W.sum(axis=1) / W.sum(), abs=1e-4)


def test_directed_spreading_meets_the_undirected_one():
    W = sp.csr_array(random_graph(1, density=0.9))
    theta = operators.directed_spreading_matrix(W, teleport=1e-6).toarray()
    assert theta == pytest.approx(operators.spreading_matrix(W).toarray(), abs=1e-4)


@given(st.integers(0, 1000), st.integers(1, 5))
@settings(max_examples=20, deadline=None)
def test_solver_is_the_dense_solution(seed, width):
    W = random_graph(seed, n=30)
    B = np.random.default_rng(seed).normal(size=(30, width))
    B[:, 0] = 0
    diagonal = W.sum(axis=1) + 0.1
    F, residuals = solve_laplacian(sp.csr_array(W), diagonal, B, tol=1e-10)
    assert pytest.approx(np.linalg.solve(np.diag(diagonal) - W, B), abs=1e-6) == F
    assert residuals[-1] <= 1e-10


def test_solver_starts_where_it_is_told():
    W = random_graph(3, n=30)
    diagonal, B = W.sum(axis=1) + 0.1, np.ones((30, 2))
    F, first = solve_laplacian(sp.csr_array(W), diagonal, B, tol=1e-9)
    _, again = solve_laplacian(sp.csr_array(W), diagonal, B, tol=1e-8, start=F)
    assert len(again) == 1 < len(first)


def test_reordering_large_systems_changes_nothing(monkeypatch):
    W = random_graph(4, n=60, density=0.1)
    diagonal, B = W.sum(axis=1) + 0.1, np.random.default_rng(0).normal(size=(60, 6))
    plain, _ = solve_laplacian(sp.csr_array(W), diagonal, B, tol=1e-12)
    monkeypatch.setattr("smatter.graphs.solvers.LARGE", 10)
    F, _ = solve_laplacian(sp.csr_array(W), diagonal, B, tol=1e-12)
    assert pytest.approx(plain, abs=1e-9) == F
    _, residuals = solve_laplacian(sp.csr_array(W), diagonal, B, tol=1e-9, start=F)
    assert len(residuals) == 1


def test_solver_says_when_it_did_not_finish():
    W = sp.csr_array(random_graph(3, n=30))
    with pytest.warns(UserWarning, match="stopped after 2 iterations"):
        solve_laplacian(W, operators.degrees(W) + 1e-6, np.eye(30)[:, :2], max_iter=2)


def test_solver_gives_the_same_bits_on_one_thread():
    import numba

    W = random_graph(3, n=200, density=0.1)
    B = np.random.default_rng(0).normal(size=(200, 3))
    many, _ = solve_laplacian(sp.csr_array(W), W.sum(axis=1) + 0.1, B)
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        one, _ = solve_laplacian(sp.csr_array(W), W.sum(axis=1) + 0.1, B)
    finally:
        numba.set_num_threads(before)
    assert (one == many).all()


class TestCheckGraph:
    def test_loops_and_zero_weights_go(self):
        W = check_graph(sp.csr_array(([1.0, 0.0, 0.0, 2.0, 2.0], ([0, 0, 1, 1, 2], [0, 1, 0, 2, 1])), shape=(3, 3)))
        assert W.nnz == 2 and W[1, 2] == 2

    def test_the_given_matrix_stays_as_it_is(self):
        W = sp.csr_array(np.array([[1.0, 2.0], [2.0, 0.0]]))
        check_graph(W)
        assert W[0, 0] == 1

    def test_duplicates_are_summed(self):
        W = check_graph(sp.coo_array(([1.0, 1.0, 2.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2)))
        assert W[0, 1] == 2

    @pytest.mark.parametrize(
        ("W", "message"),
        [
            ([[0.0, 1.0, 0.0]], r"W has shape \(1, 3\)"),
            ([[0.0, -1.0], [-1.0, 0.0]], r"W\[0, 1\] is -1; a weight is a finite number of at least 0"),
            ([[0.0, np.nan], [np.nan, 0.0]], r"W\[0, 1\] is nan"),
            ([[0.0, np.inf], [np.inf, 0.0]], r"W\[0, 1\] is inf"),
            ([[0.0, 1.0], [2.0, 0.0]], r"W\[0, 1\] is 1 but W\[1, 0\] is 2; .* pass W.maximum\(W.T\)"),
        ],
    )
    def test_wrong_graphs_are_refused_by_the_edge(self, W, message):
        with pytest.raises(InputError, match=message):
            check_graph(W)

    def test_a_directed_graph_is_welcome_where_it_makes_sense(self):
        assert check_graph([[0.0, 1.0], [2.0, 0.0]], symmetric=False).nnz == 2

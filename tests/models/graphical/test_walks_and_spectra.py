import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from reference import graphs as slow
from smatter import KNNGraph, MarkovRandomWalk, SpectralGraphTransducer
from smatter.graphs.operators import degrees, transition_matrix
from smatter.labels import encode_labels
from smatter.models.graphical.markov_random_walk import _Walk, e_step, m_step
from smatter.models.graphical.spectral_graph_transducer import nearest_on_sphere, smooth_eigenvectors


def graph(seed, n=16, density=0.3):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1) + np.diag(np.full(n - 1, 0.1), 1)
    return W + W.T


def some_labels(seed, n=16, n_classes=2):
    y = np.full(n, -1)
    y[np.random.default_rng(seed).choice(n, 2 * n_classes, replace=False)] = np.arange(2 * n_classes) % n_classes
    return y


def steps(W, t):
    A = W + np.eye(len(W))
    return np.linalg.matrix_power(A / A.sum(axis=1, keepdims=True), t)


@given(st.integers(0, 1000), st.integers(1, 5), st.integers(2, 3))
@settings(max_examples=20, deadline=None)
def test_em_step_is_the_slow_one_without_the_power_of_the_matrix(seed, t, n_classes):
    W, y = graph(seed), some_labels(seed, n_classes=n_classes)
    Q = np.random.default_rng(seed).dirichlet(np.ones(n_classes), size=16)
    walk = _Walk(sp.csr_array(W), t, 1.0)
    responsibility, log_likelihood = e_step(walk, Q, encode_labels(y))
    A_t = steps(W, t)
    assert m_step(responsibility, Q) == pytest.approx(slow.walk_likelihood_step(A_t, y, Q))
    posterior = (A_t / A_t.sum(axis=0)).T @ Q
    assert walk.posterior(Q) == pytest.approx(posterior)
    labeled = np.flatnonzero(y >= 0)
    assert log_likelihood == pytest.approx(np.log(posterior[labeled, y[labeled]]).mean())


@given(st.integers(0, 1000))
@settings(max_examples=10, deadline=None)
def test_the_likelihood_never_falls(seed):
    model = MarkovRandomWalk(n_steps=3, tol=0.0, max_iter=40).fit_graph(graph(seed), some_labels(seed))
    assert (np.diff(model.objective_) >= -1e-12).all()


@given(st.integers(0, 1000))
@settings(max_examples=10, deadline=None)
def test_the_margin_rule_is_best_among_all_hard_assignments(seed):
    W, y = graph(seed, n=8), some_labels(seed, n=8)
    A_t = steps(W, 2)
    P0 = A_t / A_t.sum(axis=0)

    def average_margin(hard):
        Q = np.eye(2)[hard]
        P = P0.T @ Q
        sign = np.where(y == 1, 1, -1) * (y >= 0)
        return sum((sign * (P[:, 1] - P[:, 0]))[y == c].mean() for c in (0, 1))

    best = max(average_margin([(choice >> i) & 1 for i in range(8)]) for choice in range(256))
    model = MarkovRandomWalk(n_steps=2, estimate="margin").fit_graph(W, y)
    assert average_margin(model.class_given_start_.argmax(axis=1)) == pytest.approx(best)


def test_short_walks_know_the_neighborhood_and_long_ones_nothing():
    W, y = graph(4), some_labels(4)
    spread = [
        MarkovRandomWalk(n_steps=t, estimate="margin").fit_graph(W, y).posterior_.std(axis=0).max() for t in (1, 2000)
    ]
    assert spread[0] > 0.2 and spread[1] < 1e-6


@given(st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_the_least_on_the_sphere(seed):
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(4, 4))
    G, b = B @ B.T, rng.normal(size=4)
    w = nearest_on_sphere(G, b, 9.0)
    assert w @ w == pytest.approx(9.0)
    value = w @ G @ w - 2 * b @ w

    def on_sphere(v):
        v = 3 * v / np.linalg.norm(v)
        return v @ G @ v - 2 * b @ v

    found = min(minimize(on_sphere, rng.normal(size=4)).fun for _ in range(5))
    assert value <= found + 1e-6


def test_the_hard_case_on_the_sphere():
    w = nearest_on_sphere(np.diag([1.0, 5.0]), np.array([0.0, 4.0]), 4.0)
    assert w @ w == pytest.approx(4.0)
    assert w[1] == pytest.approx(1.0)


def test_eigenvectors_solve_the_generalized_problem():
    W = sp.csr_array(graph(2, n=30))
    V, stiffness = smooth_eigenvectors(W, 5)
    P = transition_matrix(W)
    A = (P + P.T).toarray()
    B = degrees(sp.csr_array(A))
    assert pytest.approx(np.eye(5), abs=1e-8) == (V.T * B) @ V
    assert pytest.approx(np.zeros(5), abs=1e-8) == V.T @ B
    LV = B[:, None] * V - A @ V
    ratio = np.einsum("id,id->d", V, LV)
    assert pytest.approx(ratio * (B[:, None] * V), abs=1e-7) == LV
    assert (np.diff(ratio) >= -1e-9).all() and stiffness.tolist() == [1, 4, 9, 16, 25]


def test_lanczos_finds_what_the_dense_solver_finds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    W = KNNGraph(8, "gaussian").build(X)
    V, _ = smooth_eigenvectors(W, 4)
    P = transition_matrix(W)
    A = P + P.T
    B = degrees(A)
    S = A.toarray() / np.sqrt(np.outer(B, B))
    values = np.linalg.eigvalsh(S)[::-1][1:5]
    ratio = np.einsum("id,id->d", V, (A @ V)) / np.einsum("id,id->d", V, B[:, None] * V)
    assert ratio == pytest.approx(values, abs=1e-4)


def test_the_transducer_holds_its_labels_and_cuts_where_it_is_thin():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(40, 2)), rng.normal(size=(20, 2)) + np.array([6.0, 0.0])])
    y = np.full(60, -1)
    y[[0, 1, 40]] = 0, 0, 1
    model = SpectralGraphTransducer(KNNGraph(8, "gaussian"), n_eigenvectors=10).fit(X, y)
    assert (model.transduction_ == np.repeat([0, 1], [40, 20])).mean() > 0.95

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import graphs as slow
from smatter import (
    ConditionalHarmonicMixing,
    DirectedLocalGlobalConsistency,
    HarmonicFunctions,
    LabelPropagation,
    LinearNeighborhoodPropagation,
    LocalGlobalConsistency,
)
from smatter.errors import InputError
from smatter.graphs.operators import directed_spreading_matrix
from smatter.models.graphical.label_propagation import dirichlet_energy


def connected_graph(seed, n=20, density=0.3):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1) + np.diag(np.full(n - 1, 0.1), 1)
    return W + W.T


def some_labels(seed, n=20, n_classes=3):
    y = np.full(n, -1)
    y[np.random.default_rng(seed).choice(n, 2 * n_classes, replace=False)] = np.arange(2 * n_classes) % n_classes
    return y


seeds = given(st.integers(0, 1000))
few = settings(max_examples=15, deadline=None)


@seeds
@few
def test_harmonic_is_the_linear_solve(seed):
    W, y = connected_graph(seed), some_labels(seed)
    expected = slow.harmonic(W, y)
    model = HarmonicFunctions(tol=1e-10).fit_graph(W, y)
    assert model.posterior_ == pytest.approx(expected, abs=1e-6)
    free = y < 0  # the harmonic property itself
    mean = (W @ model.posterior_) / W.sum(axis=1, keepdims=True)
    assert model.posterior_[free] == pytest.approx(mean[free], abs=1e-6)


@seeds
@few
def test_propagation_converges_to_the_harmonic_function_and_its_energy_falls(seed):
    W, y = connected_graph(seed), some_labels(seed)
    model = LabelPropagation(tol=1e-12, max_iter=20_000).fit_graph(W, y)
    assert model.posterior_ == pytest.approx(slow.harmonic(W, y), abs=1e-6)
    assert (np.diff(model.objective_) <= 1e-12).all()
    energy = dirichlet_energy(sp.csr_array(W), model.posterior_) / W.sum()
    assert energy == pytest.approx(model.objective_[-1])


def test_one_step_of_propagation_is_the_vote_of_the_neighbors():
    W, y = connected_graph(3), some_labels(3)
    start = np.where((y >= 0)[:, None], np.eye(3)[y], 1 / 3)
    expected = (W @ start) / W.sum(axis=1, keepdims=True)
    model = LabelPropagation(max_iter=1).fit_graph(W, y)
    assert model.posterior_[y < 0] == pytest.approx(expected[y < 0])
    assert model.n_iter_ == 1


@given(st.integers(0, 1000), st.sampled_from([0.0, 0.5, 0.99]))
@few
def test_consistency_is_the_closed_form(seed, gamma):
    W, y = connected_graph(seed), some_labels(seed)
    root = 1 / np.sqrt(W.sum(axis=1))
    F = slow.consistency(root[:, None] * W * root, y, gamma)
    model = LocalGlobalConsistency(gamma=gamma, tol=1e-12).fit_graph(W, y)
    if gamma:
        assert model.posterior_ == pytest.approx(F / F.sum(axis=1, keepdims=True), abs=1e-6)
    else:
        assert model.posterior_[y < 0] == pytest.approx(1 / 3)


@seeds
@few
def test_directed_consistency_is_the_closed_form(seed):
    rng = np.random.default_rng(seed)
    W = rng.random((20, 20)) * (rng.random((20, 20)) < 0.3)
    np.fill_diagonal(W, 0)
    y = some_labels(seed)
    theta = directed_spreading_matrix(sp.csr_array(W)).toarray()
    F = slow.consistency(theta, y, 0.9)
    model = DirectedLocalGlobalConsistency(gamma=0.9, tol=1e-12).fit_graph(W, y)
    known = F.sum(axis=1) > 1e-9
    assert model.posterior_[known] == pytest.approx((F / F.sum(axis=1, keepdims=True))[known], abs=1e-5)


@seeds
@few
def test_linear_neighborhood_propagation_is_the_closed_form(seed):
    rng = np.random.default_rng(seed)
    W = rng.random((20, 20)) * (rng.random((20, 20)) < 0.4) + np.roll(np.eye(20), 1, axis=1)
    np.fill_diagonal(W, 0)
    y = some_labels(seed)
    F = slow.consistency(W / W.sum(axis=1, keepdims=True), y, 0.9)
    model = LinearNeighborhoodPropagation(gamma=0.9, tol=1e-10).fit_graph(W, y)
    assert model.posterior_ == pytest.approx(F / F.sum(axis=1, keepdims=True), abs=1e-6)
    assert (np.diff(model.objective_) <= 1e-12).all()


@seeds
@few
def test_mixing_with_the_identity_is_harmonic(seed):
    W, y = connected_graph(seed), some_labels(seed)
    model = ConditionalHarmonicMixing(conditional="identity", tol=1e-12, max_iter=20_000).fit_graph(W, y)
    assert model.posterior_ == pytest.approx(slow.harmonic(W, y), abs=1e-6)


@seeds
@few
def test_mixing_is_a_fixed_point_of_its_links(seed):
    W, y = connected_graph(seed), some_labels(seed)
    C = np.random.default_rng(seed).dirichlet(np.ones(3), size=3).T
    model = ConditionalHarmonicMixing(conditional=C, tol=1e-12).fit_graph(W, y)
    mixed = (W / W.sum(axis=1, keepdims=True)) @ model.posterior_ @ C.T
    assert model.posterior_[y < 0] == pytest.approx(mixed[y < 0], abs=1e-6)


def test_links_are_counted_by_weight():
    y = np.array([0, 0, 1, 1, -1])
    W = np.zeros((5, 5))
    for i, j, weight in [(0, 1, 3.0), (2, 3, 3.0), (0, 2, 1.0), (3, 4, 2.0)]:
        W[i, j] = W[j, i] = weight
    model = ConditionalHarmonicMixing(n_bins=2, strength=1.0).fit_graph(W, y)
    weak, strong = model.conditionals_
    assert weak == pytest.approx(np.full((2, 2), 0.5))
    assert strong == pytest.approx(np.array([[3.5, 0.5], [0.5, 3.5]]) / 4)


class TestClassMass:
    def test_masses_meet_the_shares(self):
        W, y = connected_graph(5), some_labels(5)
        f = slow.harmonic(W, y)[y < 0]
        for given_shares, shares in [("labeled", np.full(3, 1 / 3)), ([1.0, 2.0, 5.0], np.array([1, 2, 5]) / 8)]:
            expected = f * shares / f.sum(axis=0)
            model = HarmonicFunctions(class_mass=given_shares, tol=1e-10).fit_graph(W, y)
            assert model.posterior_[y < 0] == pytest.approx(expected / expected.sum(axis=1, keepdims=True), abs=1e-6)
            assert (model.transduction_[y >= 0] == y[y >= 0]).all()

    @pytest.mark.parametrize("shares", [[1.0], [1.0, 0.0, 1.0], [1.0, np.inf, 1.0]])
    def test_wrong_shares_are_refused(self, shares):
        with pytest.raises(InputError, match="one share above 0 for each of the 3 classes"):
            HarmonicFunctions(class_mass=shares).fit_graph(connected_graph(5), some_labels(5))


@pytest.mark.parametrize("conditional", [np.eye(2), np.ones((3, 3)), -np.eye(3)])
def test_wrong_conditionals_are_refused(conditional):
    with pytest.raises(InputError, match="must be 3 × 3 with columns that sum to 1"):
        ConditionalHarmonicMixing(conditional=conditional).fit_graph(connected_graph(5), some_labels(5))


@pytest.mark.parametrize("gamma", [1.0, -0.1, "much"])
def test_gamma_is_below_one(gamma):
    with pytest.raises(InputError, match="gamma="):
        LocalGlobalConsistency(gamma=gamma).fit_graph(connected_graph(5), some_labels(5))

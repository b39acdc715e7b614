from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as some

from reference import active as slow
from smatter import (
    ClassEntropy,
    ClosestToHyperplane,
    CommitteeDisagreement,
    Density,
    Dual,
    ExpectedErrorReduction,
    HarmonicRisk,
    HistoryDivergence,
    KNNGraph,
    RandomChoice,
    RandomPool,
    SoftMislabelPLSA,
    VoteEntropy,
)
from smatter.active.catalog import read_strategy, strategies
from smatter.active.state import State
from smatter.active.strategy import best
from smatter.errors import InputError
from smatter.labels import Labels, encode_labels
from smatter.models.graphical.harmonic_functions import HarmonicFunctions

NEED_A_HYPERPLANE = {"ClosestToHyperplane"}
ALL = sorted(set(strategies()) - NEED_A_HYPERPLANE)


def some_posterior(n, K, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(K), size=n)


@pytest.mark.parametrize("name", ALL)
def test_every_strategy_gives_one_number_a_candidate_and_the_same_for_the_same_seed(state, name):
    values = strategies()[name]().utility(state)
    again = strategies()[name]().utility(replace(state, memory={}))
    assert values.shape == state.candidates.shape
    assert not np.isnan(values).any()
    assert (values > -np.inf).any()
    np.testing.assert_array_equal(values, again)


@pytest.mark.parametrize("name", sorted(set(ALL) - {"RandomChoice", "RandomPool", "CommitteeDisagreement"}))
def test_renaming_the_classes_changes_nothing(state, name):
    """Classes in another order are the same classes."""
    order = np.array([2, 0, 1])
    codes = np.where(state.labeled, np.argsort(order)[state.labels.codes], -1)
    renamed = replace(
        state,
        posterior=state.posterior[:, order],
        labels=Labels(codes, state.classes),
        history=(state.posterior[:, order],),
        memory={},
    )
    values, others = strategies()[name]().utility(state), strategies()[name]().utility(renamed)
    np.testing.assert_allclose(values, others, atol=1e-8)


@pytest.mark.parametrize("name", sorted(set(ALL) - {"RandomChoice", "RandomPool"}))
def test_a_part_of_the_candidates_is_ranked_as_among_all(state, name):
    part = state.candidates[::3]
    values = strategies()[name]().utility(state)
    np.testing.assert_allclose(strategies()[name]().utility(state.among(part)), values[::3], atol=1e-10)


def test_class_entropy_by_definition_and_in_its_limits(state):
    np.testing.assert_allclose(ClassEntropy().utility(state), slow.class_entropy(state.posterior[state.candidates]))
    uniform = replace(state, posterior=np.full_like(state.posterior, 1 / 3))
    np.testing.assert_allclose(ClassEntropy().utility(uniform), np.log(3))
    certain = replace(state, posterior=np.eye(3)[state.decided])
    assert not ClassEntropy().utility(certain).any()


def test_vote_entropy_by_hand(state):
    decisions = tuple(np.random.default_rng(t).integers(0, 3, 40) for t in range(7))
    values = VoteEntropy("rounds").utility(replace(state, decisions=decisions))
    np.testing.assert_allclose(values, [slow.vote_entropy(decisions, row) for row in state.candidates], atol=1e-12)


def test_vote_entropy_reads_the_iterations_of_an_aspect_model(collection, state):
    X, codes = collection
    y = np.where(np.arange(40) < 6, np.array(["b", "c", "d"])[codes], "").astype(object)
    model = SoftMislabelPLSA(aspects_per_class=1, max_iter=8).fit(X, y)
    model.label_history_ = np.random.default_rng(1).integers(-1, 3, model.label_history_.shape)  # livelier
    labels = encode_labels(y, ["a", "b", "c", "d"])  # the model has not met the first class
    wide = State(some_posterior(40, 4), labels, X=X, model=model)
    voters = [np.where(decided >= 0, decided + 1, -1) for decided in model.label_history_]
    values = VoteEntropy("iterations").utility(wide)
    np.testing.assert_allclose(values, [slow.vote_entropy(voters, row) for row in wide.candidates], atol=1e-12)
    assert values.max() > 0


def test_vote_entropy_without_any_vote_is_zero(state):
    assert not VoteEntropy("iterations").utility(state).any()


@given(some.integers(2, 6), some.integers(2, 5), some.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_divergence_to_the_mean_by_definition_and_within_its_bounds(members, K, seed):
    posteriors = tuple(some_posterior(6, K, seed + m) for m in range(members))
    posteriors[0][0] = np.eye(K)[0]
    bare = State(posteriors[-1], encode_labels([None] * 6, range(K)), history=posteriors)
    values = HistoryDivergence(members).utility(bare)
    np.testing.assert_allclose(values, [slow.divergence_to_mean(posteriors, row) for row in range(6)], atol=1e-12)
    assert (values >= 0).all()
    assert (values <= np.log(members) + 1e-12).all()


def test_history_divergence_is_zero_where_nothing_changed(state):
    assert not HistoryDivergence().utility(replace(state, history=())).any()
    np.testing.assert_allclose(
        HistoryDivergence().utility(replace(state, history=(state.posterior,) * 4)), 0, atol=1e-12
    )


@pytest.mark.parametrize(("mix", "sharpness"), [(0.5, 3.0), (0.2, 1.0), (0.9, 10.0)])
def test_density_by_all_pairs(state, mix, sharpness):
    values = Density(mix, sharpness).utility(state)
    expected = slow.density(state.X.toarray(), mix, sharpness)[state.candidates]
    np.testing.assert_allclose(values, expected, rtol=1e-10)


def test_density_takes_dense_rows_and_rows_without_words(state):
    X = state.X.toarray()
    np.testing.assert_allclose(Density().utility(replace(state, X=X, memory={})), Density().utility(state), rtol=1e-12)
    X[20] = 0
    values = Density().utility(replace(state, X=X, memory={}))
    assert np.isfinite(values).all()
    assert values[11] == values.min()


@pytest.mark.parametrize("loss", ["log", "zero_one"])
@pytest.mark.parametrize("smoothing", [0.1, 1.0])
def test_expected_error_reduction_by_refits(state, loss, smoothing):
    strategy = ExpectedErrorReduction(loss, smoothing=smoothing, length_exponent=1.0)
    X, codes = state.X.toarray(), state.labels.codes
    expected = [
        slow.expected_error_reduction(X, codes, state.posterior, row, smoothing=smoothing, zero_one=loss == "zero_one")
        for row in state.candidates
    ]
    np.testing.assert_allclose(strategy.utility(state), expected, atol=1e-10)


def test_expected_error_reduction_survives_long_documents(state):
    """Scores that are thousands apart neither overflow nor cancel."""
    values = ExpectedErrorReduction(length_exponent=1.0).utility(replace(state, X=state.X * 1e4, memory={}))
    assert np.isfinite(values).all()


def test_expected_error_reduction_looks_at_as_many_rows_as_it_is_told(state):
    values = ExpectedErrorReduction(pool=10, candidates=4).utility(state)
    assert np.isfinite(values).sum() == 4


@pytest.mark.parametrize("dense_rows", [6000, 0])
def test_harmonic_risk_by_refits(state, dense_rows):
    W = KNNGraph(4).build(state.X)
    strategy = HarmonicRisk(tie=1e-4, dense_rows=dense_rows)
    values = strategy.utility(replace(state, graph=W))
    expected = [-slow.harmonic_risk(W.toarray(), state.labels.codes, 3, row, 1e-4) for row in state.candidates]
    np.testing.assert_allclose(values, expected, atol=1e-6)


def test_harmonic_risk_follows_the_answers_without_a_new_inverse(state, collection):
    W, codes, known = KNNGraph(4).build(state.X), state.labels.codes.copy(), collection[1]
    strategy, memory = HarmonicRisk(tie=1e-4), {}
    for row in (30, 12, 25):
        now = replace(state, labels=Labels(codes.copy(), state.classes), graph=W, memory=memory, candidates=None)
        values = strategy.utility(now)
        expected = [-slow.harmonic_risk(W.toarray(), codes, 3, asked, 1e-4) for asked in now.candidates]
        np.testing.assert_allclose(values - values.mean(), np.subtract(expected, np.mean(expected)), atol=1e-7)
        codes[row] = known[row]
    inverse = next(value for key, value in memory.items() if "inverse" in key)
    assert (~inverse.alive).sum() == 2
    codes[12] = -1  # an answer is taken back
    now = replace(state, labels=Labels(codes.copy(), state.classes), graph=W, memory=memory, candidates=None)
    expected = [-slow.harmonic_risk(W.toarray(), codes, 3, asked, 1e-4) for asked in now.candidates]
    np.testing.assert_allclose(strategy.utility(now), expected, atol=1e-7)


def test_the_harmonic_function_behind_the_risk_is_that_of_the_model(state):
    W = KNNGraph(6).build(state.X)
    F = slow.harmonic(W.toarray(), state.labels.codes, 3, 1e-9)
    model = HarmonicFunctions(tol=1e-12).fit_graph(W, state.labels.codes)
    np.testing.assert_allclose(F, model.posterior_, atol=1e-6)


def test_harmonic_risk_asks_for_the_cluster_that_no_label_reaches():
    """Zhu et al. 2003: the answer decides a whole cluster; entropy alone would be content with one vertex."""
    n = 12
    W = np.zeros((n + 1, n + 1))
    W[:4, :4] = W[4:8, 4:8] = W[8:n, 8:n] = 1
    W[n, [0, 4]] = 1  # a vertex half way between the two labeled clusters
    np.fill_diagonal(W, 0)
    y = np.full(n + 1, -1)
    y[[1, 5]] = 0, 1
    bare = State(np.full((n + 1, 2), 0.5), encode_labels(y), graph=sp.csr_array(W))
    assert bare.candidates[HarmonicRisk().utility(bare).argmax()] in range(8, n)


def test_a_committee_of_many_labels_agrees(state, collection):
    """With ever more counts the Dirichlet distribution has no spread."""
    spread = CommitteeDisagreement(8, unlabeled_weight=0.0).utility(state)
    none = CommitteeDisagreement(8, unlabeled_weight=0.0, smoothing=1e9).utility(state)
    assert none.max() < 1e-3 * spread.max()
    assert (spread >= 0).all()


def test_members_are_drawn_anew_each_round(state):
    later = replace(state, decisions=state.decisions * 2)
    strategy = CommitteeDisagreement()
    assert not np.array_equal(strategy.utility(state), strategy.utility(later))


def test_hyperplane_takes_the_smallest_gap():
    class Model:
        def decision_function(self, X):
            return X[:, 0] if X.shape[1] == 1 else X

    two = State(
        some_posterior(3, 2), encode_labels([-1] * 3, [0, 1]), X=np.array([[-3.0], [0.5], [1.0]]), model=Model()
    )
    np.testing.assert_allclose(ClosestToHyperplane().utility(two), [1 / 4, 1 / 1.5, 1 / 2])
    X = np.array([[3.0, 1.0, 2.5], [9.0, 0.0, 1.0]])
    three = State(some_posterior(2, 3), encode_labels([-1] * 2, [0, 1, 2]), X=X, model=Model())
    np.testing.assert_allclose(ClosestToHyperplane().utility(three), [1 / 1.5, 1 / 9])


def test_dual_changes_sides_once(state):
    early, late = (0.5, 0.4, 0.3, 0.2, 0.1, 0.05), (0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.1)
    error = 1 - state.posterior[state.candidates].max(axis=1)
    density = Density().utility(state)
    before = Dual().utility(replace(state, residual_errors=early))
    np.testing.assert_allclose(before, density * error)
    after = Dual().utility(replace(state, residual_errors=late))
    np.testing.assert_allclose(after, 0.9 * error + 0.1 * density)


def test_a_random_pool_holds_what_it_says(state):
    pool = RandomPool(ClassEntropy(), 7).utility(state)
    inside = np.isfinite(pool)
    assert inside.sum() == 7
    np.testing.assert_array_equal(pool[inside], ClassEntropy().utility(state)[inside])
    everything = RandomPool(ClassEntropy(), 1000).utility(state)
    np.testing.assert_array_equal(everything, ClassEntropy().utility(state))


def test_a_product_multiplies_and_refuses_negative_factors(state):
    values = (ClassEntropy() * Density()).utility(state)
    np.testing.assert_allclose(values, ClassEntropy().utility(state) * Density().utility(state))
    with pytest.raises(InputError, match=r"utility of -.*must be 0 or more"):
        (ClassEntropy() * HarmonicRisk()).utility(state)


def test_then_lets_the_second_choose_among_the_best_of_the_first(state):
    shortlist = best(ClassEntropy().utility(state), 5, state)
    values = ClassEntropy().then(RandomChoice(), 5).utility(state)
    assert set(np.flatnonzero(np.isfinite(values))) == set(shortlist)
    with pytest.raises(InputError, match=r"shortlist=0 .*must be a whole number"):
        ClassEntropy().then(RandomChoice(), 0)


def test_ties_are_broken_by_the_seed(state):
    values = np.zeros(len(state.candidates))
    orders = {tuple(best(values, 5, replace(state, seed=seed))) for seed in range(5)}
    assert len(orders) == 5
    assert tuple(best(values, 5, state)) in orders


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: VoteEntropy("ever"), "votes='ever' of VoteEntropy must be 'rounds'"),
        (lambda: RandomPool(size=0), "size=0 of RandomPool"),
        (lambda: ExpectedErrorReduction("hinge"), "loss='hinge'"),
        (lambda: HistoryDivergence(1), "members=1"),
        (lambda: HarmonicRisk(graph=3), "graph=3 .*graph builder"),
        (lambda: Density(mix=0), "mix=0"),
    ],
)
def test_wrong_parameters_are_refused_at_once(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_what_is_missing_is_named(state):
    bare = replace(state, X=None)
    for strategy in (Density(), ExpectedErrorReduction(), HarmonicRisk(), CommitteeDisagreement()):
        with pytest.raises(InputError, match="needs X, but the state has none"):
            strategy.utility(bare)
    with pytest.raises(InputError, match="needs model"):
        ClosestToHyperplane().utility(state)
    with pytest.raises(InputError, match=r"no decision_function.*take a margin model"):
        ClosestToHyperplane().utility(replace(state, model=SoftMislabelPLSA()))


def test_the_state_refuses_a_posterior_of_another_shape():
    with pytest.raises(InputError, match=r"posterior has shape \(2, 3\) for 2 rows and 2 classes"):
        State(np.ones((2, 3)) / 3, encode_labels(["a", "b"]))


def test_strategies_are_read_from_text():
    assert str(read_strategy("classentropy > CommitteeDisagreement*density")) == (
        "ClassEntropy then CommitteeDisagreement * Density"
    )
    with pytest.raises(InputError, match=r"no strategy 'ClassEntropi'.*Did you mean ClassEntropy"):
        read_strategy("ClassEntropi")

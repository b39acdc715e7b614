import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from smatter.errors import InputError, LabelError
from smatter.evaluate.splits import choose_per_class, choose_share, k_folds, keep_labels, shuffled_split

seeds = st.integers(0, 2**32 - 1)
shares = st.floats(0.003, 1.0)


@st.composite
def codes(draw, smallest=-1):
    n = draw(st.integers(20, 200))
    values = draw(arrays(np.int64, n, elements=st.integers(smallest, 4)))
    values[:5] = np.arange(5)
    return values


def counts(chosen):
    return np.bincount(chosen, minlength=5)


@given(codes(), seeds, st.integers(2, 4), st.booleans())
def test_folds_are_disjoint_and_test_every_labeled_row_once(codes, seed, n_folds, stratified):
    splits = list(k_folds(codes, n_folds, seed=seed, stratified=stratified))
    tested = np.concatenate([split.test for split in splits])
    assert sorted(tested) == np.flatnonzero(codes != -1).tolist()
    for split in splits:
        assert sorted(np.concatenate([split.train, split.test])) == list(range(len(codes)))


@given(codes(), seeds)
def test_stratified_folds_hold_each_class_in_its_share(codes, seed):
    folds = [counts(codes[split.test]) for split in k_folds(codes, 4, seed=seed)]
    assert (np.ptp(folds, axis=0) <= 1).all()


@given(codes(), seeds, st.floats(0.2, 0.8), st.booleans())
def test_a_shuffled_split_has_its_share_and_leaves_nothing_out(codes, seed, share, stratified):
    split = shuffled_split(codes, share, seed=seed, stratified=stratified)
    n_labeled = (codes != -1).sum()
    assert (codes[split.train] != -1).sum() == int(share * n_labeled + 1e-9)
    assert (codes[split.test] != -1).all()
    assert sorted(np.concatenate([split.train, split.test])) == list(range(len(codes)))
    assert set(np.flatnonzero(codes == -1)) <= set(split.train)


@given(codes(smallest=0), seeds)
def test_a_stratified_shuffled_split_keeps_the_proportions_on_both_sides(codes, seed):
    split = shuffled_split(codes, 0.5, 0.25, seed=seed, stratified=True)
    assert (np.abs(counts(codes[split.train]) - 0.5 * counts(codes)) <= 2).all()
    assert (np.abs(counts(codes[split.test]) - 0.25 * counts(codes)) <= 2).all()
    assert not set(split.train) & set(split.test)


def test_the_sizes_of_nguyens_tables_come_out():
    for n, labeled in ((8870, (1064, 354, 106)), (8843, (1061, 353, 106)), (8144, (977, 325, 97))):
        codes = np.arange(n) % 2
        train = shuffled_split(codes, 0.4).train
        chosen = [len(choose_share(codes[train], share)) for share in (0.3, 0.1, 0.03)]
        assert tuple(chosen) == labeled


def test_the_sizes_of_kritharas_fold_come_out():
    split = shuffled_split(np.arange(20_000) % 20, 0.72, 0.2)
    assert (len(split.train), len(split.test)) == (14_400, 4_000)
    assert len(choose_share(np.arange(14_400) % 20, 0.01)) == 144


@given(codes(), shares, seeds, st.booleans(), st.booleans())
def test_a_share_has_its_size_and_only_labeled_rows(codes, share, seed, stratified, every_class):
    chosen = choose_share(codes, share, seed=seed, stratified=stratified, every_class=every_class)
    assert len(chosen) == max(1, int(share * (codes != -1).sum() + 1e-9))
    assert (codes[chosen] != -1).all() and len(set(chosen)) == len(chosen)


@given(codes(), shares, shares, seeds, st.booleans(), st.booleans())
def test_shares_are_nested_for_the_same_seed(codes, one, other, seed, stratified, every_class):
    small, large = (
        choose_share(codes, share, seed=seed, stratified=stratified, every_class=every_class)
        for share in sorted((one, other))
    )
    assert set(small) <= set(large)


@given(codes(), shares, seeds, st.booleans())
def test_every_class_is_there_when_the_budget_allows(codes, share, seed, stratified):
    chosen = choose_share(codes, share, seed=seed, stratified=stratified, every_class=True)
    assert len(np.unique(codes[chosen])) == min(5, len(chosen))


@given(codes(smallest=0), shares, seeds)
def test_a_stratified_share_keeps_the_proportions_to_within_rounding(codes, share, seed):
    chosen = choose_share(codes, share, seed=seed, stratified=True, every_class=False)
    expected = counts(codes) * len(chosen) / len(codes)
    assert (np.abs(counts(codes[chosen]) - expected) < 2).all()


def test_without_the_rule_a_rare_class_is_missed_at_random():
    codes = np.array([0] * 98 + [1] * 2)
    seen = [1 in codes[choose_share(codes, 0.1, seed=s, stratified=False, every_class=False)] for s in range(300)]
    # P(none of ten is one of the two) = (90·89)/(100·99)
    assert abs(np.mean(seen) - (1 - 90 * 89 / (100 * 99))) < 0.08


def test_a_purely_random_share_is_uniform_over_rows():
    codes = np.arange(20) % 3
    times = np.zeros(20)
    for seed in range(2000):
        times[choose_share(codes, 0.25, seed=seed, stratified=False, every_class=False)] += 1
    assert (np.abs(times / 2000 - 0.25) < 0.05).all()


@given(codes(), seeds)
def test_the_seed_decides(codes, seed):
    again = [choose_share(codes, 0.5, seed=seed) for _ in range(2)]
    assert again[0].tolist() == again[1].tolist()
    splits = [shuffled_split(codes, 0.6, seed=seed) for _ in range(2)]
    assert splits[0].train.tolist() == splits[1].train.tolist()
    draws = {tuple(choose_share(codes, 0.5, seed=other)) for other in range(20)}
    assert len(draws) > 3


@given(seeds, st.integers(1, 6), st.integers(1, 6))
def test_labels_per_class_are_that_many_and_nested(seed, one, other):
    codes = np.repeat([-1, 0, 1, 2], [5, 6, 20, 9])
    small, large = (choose_per_class(codes, n, seed=seed) for n in sorted((one, other)))
    assert np.bincount(codes[large]).tolist() == [max(one, other)] * 3
    assert set(small) <= set(large)


def test_more_labels_per_class_than_there_are_is_an_error():
    with pytest.raises(LabelError, match=r"n_per_class=3, but the class with code 1 has 2 .*lower n_per_class"):
        choose_per_class(np.array([0, 0, 0, 1, 1]), 3)


@pytest.mark.parametrize("share", [0, -0.1, 1.5, float("nan"), True, "half"])
def test_a_share_outside_of_its_range_is_an_error(share):
    with pytest.raises(InputError, match="must be a number above 0 and at most 1"):
        choose_share(np.array([0, 1]), share)


def test_other_bad_input_is_refused():
    with pytest.raises(InputError, match=r"train_share=0.1 .* of 4 labeled rows make 0 training and 4 test rows"):
        shuffled_split(np.array([0, 1, 0, 1]), 0.1)
    with pytest.raises(InputError, match=r"make 3 training and 3 test rows"):
        shuffled_split(np.array([0, 1, 0, 1]), 0.75, 0.75)
    with pytest.raises(InputError, match=r"seed=None must be a whole number"):
        choose_share(np.array([0, 1]), 0.5, seed=None)
    with pytest.raises(LabelError, match="no labeled row"):
        choose_share(np.array([-1, -1]), 0.5)
    with pytest.raises(InputError, match=r"n_per_class=0 must be a whole number"):
        choose_per_class(np.array([0, 1]), 0)


def test_keeping_labels_spells_unlabeled_as_the_labels_do():
    assert keep_labels([3, 4, 3], [0]).tolist() == [3, -1, -1]
    assert keep_labels(np.array(["a", "b", "a"]), [1, 2]).tolist() == [None, "b", "a"]
    assert keep_labels([True, False, None], [0, 2]).tolist() == [True, None, None]

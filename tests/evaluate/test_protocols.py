from itertools import pairwise

import numpy as np
import pytest

from smatter.errors import InputError
from smatter.evaluate.protocols import PerClass, Protocol, Share, percent

codes = np.arange(200) % 4
KINDS = [Protocol(folds=5, starts=3), Protocol("shuffled", folds=5, starts=3, train_share=0.6)]


@pytest.mark.parametrize("protocol", KINDS)
def test_the_seed_decides_splits_draws_and_model_seeds(protocol):
    def layout(protocol):
        split = protocol.split(codes, 1)
        drawn = protocol.draw(codes, split, Share(0.2), 1, 2)
        return split.test.tolist(), drawn.tolist(), protocol.model_seed(1, 2)

    other = Protocol(**{**protocol.__dict__, "seed": 1})
    assert layout(protocol) == layout(protocol)
    assert all(a != b for a, b in zip(layout(protocol), layout(other), strict=True))


@pytest.mark.parametrize("protocol", KINDS)
def test_starts_and_folds_draw_their_own_labels_inside_of_the_training_part(protocol):
    draws = set()
    for fold in range(5):
        split = protocol.split(codes, fold)
        for start in range(3):
            drawn = protocol.draw(codes, split, Share(0.1), fold, start)
            assert set(drawn) <= set(split.train)
            draws.add(tuple(drawn))
    assert len(draws) == 15


@pytest.mark.parametrize("protocol", KINDS)
def test_small_budgets_are_nested_in_large_ones(protocol):
    split = protocol.split(codes, 0)
    drawn = [set(protocol.draw(codes, split, budget, 0, 0)) for budget in percent(1, 5, 20, 100)]
    assert all(small < large for small, large in pairwise(drawn))
    assert drawn[-1] == set(split.train)
    few, more = (set(protocol.draw(codes, split, PerClass(n), 0, 0)) for n in (2, 7))
    assert few < more and len(more) == 28


def test_the_number_of_starts_and_of_random_splits_leaves_the_first_ones_as_they_are():
    short, long = (Protocol("shuffled", folds=n, starts=n, train_share=0.5) for n in (2, 9))
    assert short.split(codes, 1).test.tolist() == long.split(codes, 1).test.tolist()
    assert short.model_seed(1, 1) == long.model_seed(1, 1)


def test_the_ratio_for_the_corrected_test():
    assert Protocol(folds=5).test_to_train(codes) == pytest.approx(1 / 4)
    assert Protocol("shuffled", train_share=0.4).test_to_train(codes) == pytest.approx(1.5)
    assert Protocol("transductive").test_to_train(codes) == 1


def test_the_transductive_protocol_has_no_test_part_and_each_fold_draws_anew():
    protocol = Protocol("transductive", folds=5)
    splits = [protocol.split(codes, fold) for fold in range(5)]
    assert all(len(split.train) == 200 and len(split.test) == 0 for split in splits)
    draws = {tuple(protocol.draw(codes, split, Share(0.1), fold, 0)) for fold, split in enumerate(splits)}
    assert len(draws) == 5


def test_budgets_say_what_they_are():
    assert [str(budget) for budget in (*percent(0.3, 5, 100), PerClass(10))] == ["0.3%", "5%", "100%", "10 per class"]
    assert [budget.x for budget in (*percent(0.3, 5), PerClass(10))] == [0.3, 5, 10]


def test_bad_protocols_are_refused():
    with pytest.raises(InputError, match=r"kind='loo' must be 'k_fold' or 'shuffled' or 'transductive'"):
        Protocol("loo")
    with pytest.raises(InputError, match=r"starts=0 must be at least 1"):
        Protocol(starts=0)
    with pytest.raises(InputError, match=r"train_share=None, but kind='shuffled'"):
        Protocol("shuffled")

from dataclasses import replace

import numpy as np
import pytest

from smatter.active.batches import choose_batch
from smatter.active.strategy import NEVER
from smatter.errors import InputError


def cosine(X, rows):
    unit = X[rows] / np.linalg.norm(X[rows], axis=1, keepdims=True)
    return unit @ unit.T - np.eye(len(rows))


def test_one_question_is_the_best_row(state):
    values = np.arange(len(state.candidates), dtype=float)
    assert choose_batch(values, state).tolist() == [state.candidates[-1]]


def test_a_batch_spreads_over_the_predicted_classes(state):
    """Krithara 5.2: two rows of large entropy, but with different assigned labels."""
    values = (state.decided[state.candidates] == 0).astype(float)  # class 0 leads by far
    batch = choose_batch(values, state, 6, alike=1.1)
    assert np.bincount(state.decided[batch]).tolist() == [2, 2, 2]


def test_a_class_with_few_candidates_leaves_its_part_to_the_others(state):
    posterior = np.eye(3)[np.where(np.arange(40) == 39, 1, 0)]
    batch = choose_batch(np.arange(31.0), replace(state, posterior=posterior), 4, alike=1.1)
    assert len(batch) == 4
    assert np.bincount(posterior[batch].argmax(axis=1)).tolist() == [3, 1]


@pytest.mark.parametrize("dense", [True, False])
def test_a_batch_never_holds_near_copies(state, dense):
    X = state.X.toarray()
    X[10:30] = X[10] * np.arange(1, 21)[:, None]  # twenty copies of one document, longer and longer
    batch = choose_batch(np.arange(31, 0, -1.0), replace(state, X=X if dense else state.X.__class__(X)), 10, alike=0.9)
    assert sum(10 <= row < 30 for row in batch) <= 1
    assert cosine(X, batch).max() < 0.9


def test_a_batch_of_copies_only_is_smaller(state):
    X = np.ones((40, 3))
    assert len(choose_batch(np.zeros(31), replace(state, X=X), 5)) == 1


def test_rows_left_out_are_never_taken(state):
    values = np.full(31, NEVER)
    values[3] = 0.0
    assert choose_batch(values, state, 5).tolist() == [state.candidates[3]]
    assert choose_batch(np.full(31, NEVER), state, 5).tolist() == []


def test_bad_values_are_refused(state):
    values = np.zeros(31)
    values[2] = np.nan
    with pytest.raises(InputError, match="utility of row 11 is NaN"):
        choose_batch(values, state)
    with pytest.raises(InputError, match="size=0 must be a whole number"):
        choose_batch(np.zeros(31), state, 0)

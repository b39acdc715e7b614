import numpy as np
import pytest
from numba import config, njit
from numba.core.errors import TypingError

from reference import aspects as slow
from smatter.kernels import lanes


@njit
def _one(x, y, total):
    lanes.add_scaled(np.float32(2.0), x, total)
    return lanes.dot(x, y)


@njit
def _four(x, Y, rows, total):
    lanes.add_scaled_group((np.float32(1.0), np.float32(2.0), np.float32(3.0), np.float32(4.0)), Y, rows, 1, total)
    return lanes.dot_group(x, Y, rows, 1)


@pytest.mark.parametrize("length", [8, 16, 40])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_lanes_agree_with_plain_sums(length, index):
    rng = np.random.default_rng(length)
    x, Y = rng.random(length, dtype=np.float32), rng.random((9, length), dtype=np.float32)
    rows = np.array([0, 3, 3, 8, 5], dtype=index)
    total = np.ones(length, dtype=np.float32)
    assert _one(x, Y[0], total) == pytest.approx(slow.dot(x, Y[0]), rel=1e-6)
    np.testing.assert_allclose(total, 1 + 2 * x, rtol=1e-6)
    total[:] = 0
    np.testing.assert_allclose(_four(x, Y, rows, total), [slow.dot(x, Y[r]) for r in rows[1:]], rtol=1e-6)
    np.testing.assert_allclose(total, Y[3] + 2 * Y[3] + 3 * Y[8] + 4 * Y[5], rtol=1e-6)


def test_python_bodies_mean_the_same():
    rng = np.random.default_rng(0)
    x, Y = rng.random(8, dtype=np.float32), rng.random((9, 8), dtype=np.float32)
    rows, total = np.array([0, 3, 3, 8, 5], dtype=np.int32), np.zeros(8, dtype=np.float32)
    compiled = np.zeros(8, dtype=np.float32)
    lanes.add_scaled_group((1.0, 2.0, 3.0, 4.0), Y, rows, 1, total)
    np.testing.assert_allclose(lanes.dot_group(x, Y, rows, 1), _four(x, Y, rows, compiled), rtol=1e-6)
    np.testing.assert_allclose(total, compiled, rtol=1e-6)


@njit
def _part(x, Y, total):
    lanes.add_scaled_part(np.float32(3.0), Y, 2, 8, 16, total)
    return lanes.dot_part(x, Y, 2, 8, 16)


@pytest.mark.parametrize("run", [_part, getattr(_part, "py_func", _part)], ids=["compiled", "plain"])
def test_a_part_of_a_row(run):
    rng = np.random.default_rng(1)
    x, Y, total = rng.random(24, dtype=np.float32), rng.random((4, 24), dtype=np.float32), np.ones(24, np.float32)
    assert run(x, Y, total) == pytest.approx(slow.dot(x[8:16], Y[2, 8:16]), rel=1e-6)
    np.testing.assert_allclose(total, 1 + 3 * Y[2] * (np.arange(24) // 8 == 1), rtol=1e-6)


def test_rows_are_padded_to_whole_vectors():
    assert [lanes.padded(n) for n in (1, 8, 9, 40)] == [8, 8, 16, 40]


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="only compiled vectors need rows in one piece")
def test_a_transposed_matrix_is_refused():
    Y = np.ones((16, 8), dtype=np.float32).T
    with pytest.raises(TypingError, match="C-ordered"):
        _four(np.ones(8, dtype=np.float32), Y, np.zeros(5, dtype=np.int32), np.zeros(8, dtype=np.float32))

"""Scaled rows: the products, sparse and dense, and what may be left out of a sum."""

import numpy as np
import pytest
import scipy.sparse as sp

from smatter.models.bayes import _rows
from smatter.models.bayes._rows import Rows


@pytest.fixture(params=["sparse", "dense"])
def rows(request):
    random = np.random.RandomState(0)
    X = random.poisson(0.5, (9, 6)).astype(np.float64)
    return Rows(sp.csr_array(X) if request.param == "sparse" else X, random.rand(9))


def dense(rows: Rows) -> np.ndarray:
    X = rows.matrix()
    return X.toarray() if sp.issparse(X) else X


def test_products_are_those_of_the_scaled_matrix(rows):
    random = np.random.RandomState(1)
    table, weights = random.randn(6, 4), random.rand(9, 4)
    np.testing.assert_allclose(rows.dot(table), dense(rows) @ table, atol=1e-12)
    np.testing.assert_allclose(rows.sums(weights), weights.T @ dense(rows), atol=1e-12)


def test_tables_and_weights_may_lie_in_memory_as_they_like(rows):
    random = np.random.RandomState(1)
    table, weights = np.asfortranarray(random.randn(6, 4)), random.rand(18, 8)[::2, ::2]
    np.testing.assert_allclose(rows.dot(table), dense(rows) @ table, atol=1e-12)
    np.testing.assert_allclose(rows.sums(weights), weights.T @ dense(rows), atol=1e-12)


def test_selection_takes_the_scale_along(rows):
    np.testing.assert_allclose(dense(rows[np.array([4, 1])]), dense(rows)[[4, 1]])


def test_what_is_left_out_of_sums_does_not_change_a_digit(rows):
    random = np.random.RandomState(2)
    weights = np.exp(-random.exponential(30, size=(9, 4)))
    exact = rows.sums(weights)
    for smoothing in (1.0, 1e-3, 1e-12):
        np.testing.assert_array_equal(rows.sums(weights, smoothing) + smoothing, exact + smoothing)
    np.testing.assert_array_equal(rows.sums(weights, 0.0), exact)


def test_parts_cover_all_rows_in_order(rows, monkeypatch):
    monkeypatch.setattr(_rows, "_PART", 5)
    chosen = np.array([8, 2, 3, 0, 5])
    parts = list(rows.parts(chosen))
    assert np.concatenate(parts).tolist() == [0, 1, 2, 3, 4]
    assert len(parts) > 1
    assert [part.tolist() for part in rows.parts(np.array([], dtype=np.intp))] == [[]]

"""The product against loops over every entry."""

import numpy as np
import pytest
import scipy.sparse as sp

from reference.bayes import column_sums as slow_column_sums
from smatter.kernels.multinomial import column_sums


def sparse(n: int, d: int, seed: int, index: type) -> sp.csr_array:
    random = np.random.RandomState(seed)
    X = sp.csr_array(random.poisson(0.4, (n, d)).astype(np.float64))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    return X


def add_columns(X, scale, weights, negligible):
    out, active = np.zeros((X.shape[1], weights.shape[1])), np.empty(weights.shape[1], dtype=np.int64)
    column_sums((X.indptr, X.indices, X.data), scale, weights, negligible, active, out)
    return out


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize(("n", "d", "width"), [(7, 9, 1), (6, 4, 2), (5, 11, 20), (1, 1, 3), (0, 3, 2)])
def test_column_sums(n, d, width, index):
    X, random = sparse(n, d, width, index), np.random.RandomState(1)
    scale, weights = random.rand(n), random.dirichlet(np.full(width, 0.1), size=n).reshape(n, width)
    slow = slow_column_sums(X.toarray(), scale, weights, 0.0)
    np.testing.assert_allclose(add_columns(X, scale, weights, 0.0), slow, rtol=1e-12, atol=1e-12)


def test_negligible_weights_are_left_out_where_few_are_not():
    X, random = sparse(40, 30, 3, np.int32), np.random.RandomState(1)
    scale, weights = random.rand(40), random.dirichlet(np.full(30, 0.02), size=40)
    slow = slow_column_sums(X.toarray(), scale, weights, 0.01)
    np.testing.assert_allclose(add_columns(X, scale, weights, 0.01), slow, rtol=1e-12, atol=1e-12)


def test_many_and_few_components_add_up_alike():
    X, random = sparse(30, 20, 0, np.int32), np.random.RandomState(2)
    hard = np.eye(12)[random.randint(12, size=30)]
    soft = random.dirichlet(np.ones(12), size=30)
    for weights in (hard, soft):
        np.testing.assert_allclose(add_columns(X, np.ones(30), weights, 0.0), X.T @ weights, atol=1e-12)


def test_sums_are_added_to_what_is_there():
    X = sparse(4, 3, 0, np.int32)
    out, weights = np.ones((3, 2)), np.full((4, 2), 0.5)
    column_sums((X.indptr, X.indices, X.data), np.ones(4), weights, 0.0, np.empty(2, dtype=np.int64), out)
    np.testing.assert_allclose(out, 1.0 + X.T @ weights)

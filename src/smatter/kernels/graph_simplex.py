"""Weights on the simplex that rebuild each row from its neighbors (Wang & Zhang 2008, eq. 4)."""

import numba as nb
import numpy as np

_FLAGS = {"contract", "nsz"}


@nb.njit(cache=True, nogil=True, fastmath=_FLAGS)
def _gram(point, neighbors, queries, rows, dense, products, gram):
    """G_jk = (x − x_j)·(x − x_k), by way of the products of the rows."""
    q_indptr, q_indices, q_data = queries
    indptr, indices, data = rows
    k = neighbors.shape[0]
    own = 0.0
    for entry in range(q_indptr[point], q_indptr[point + 1]):
        dense[q_indices[entry]] = q_data[entry]
        own += q_data[entry] * q_data[entry]
    for b in range(k):
        products[b] = 0.0
        for entry in range(indptr[neighbors[b]], indptr[neighbors[b] + 1]):
            products[b] += data[entry] * dense[indices[entry]]
    for entry in range(q_indptr[point], q_indptr[point + 1]):
        dense[q_indices[entry]] = 0.0
    for a in range(k):
        start, end = indptr[neighbors[a]], indptr[neighbors[a] + 1]
        for entry in range(start, end):
            dense[indices[entry]] = data[entry]
        for b in range(a + 1):
            total = 0.0
            for entry in range(indptr[neighbors[b]], indptr[neighbors[b] + 1]):
                total += data[entry] * dense[indices[entry]]
            gram[a, b] = own - products[a] - products[b] + total
            gram[b, a] = gram[a, b]
        for entry in range(start, end):
            dense[indices[entry]] = 0.0


@nb.njit(cache=True, nogil=True, fastmath=_FLAGS)
def _minimize(gram, weights, gradient, tol):
    """Minimize wᵀGw over the simplex: move weight along the pair of coordinates that gains the most."""
    k = weights.shape[0]
    weights[:] = 1.0 / k
    gradient[:] = 0.0
    for a in range(k):
        for b in range(k):
            gradient[a] += gram[a, b] * weights[b]
    for _ in range(1000 * k):
        low, high = 0, -1
        for a in range(k):
            if gradient[a] < gradient[low]:
                low = a
            if weights[a] > 0.0 and (high < 0 or gradient[a] > gradient[high]):
                high = a
        gain = gradient[high] - gradient[low]
        if gain <= tol:
            break
        curvature = gram[low, low] + gram[high, high] - 2.0 * gram[low, high]
        step = weights[high]
        if curvature * step > gain:
            step = gain / curvature
        weights[low] += step
        weights[high] = 0.0 if step >= weights[high] else weights[high] - step
        for a in range(k):
            gradient[a] += step * (gram[a, low] - gram[a, high])


@nb.njit(cache=True, nogil=True, parallel=True, fastmath=_FLAGS)
def rebuild(queries, rows, neighbors, ridge, workspace, weights):
    """Fill the weights (queries × k) that rebuild each query; ``neighbors`` ends at the first −1 of its row.

    ``workspace`` (workers, columns of the rows) is 0 before and after. ``ridge`` times the mean diagonal of G is
    added to it, which makes the solution unique.
    """
    k = neighbors.shape[1]
    n_workers = workspace.shape[0]
    for worker in nb.prange(n_workers):
        gram, products, gradient = np.empty((k, k)), np.empty(k), np.empty(k)
        for i in range(worker, neighbors.shape[0], n_workers):
            weights[i] = 0.0
            m = 0
            while m < k and neighbors[i, m] >= 0:
                m += 1
            if m == 0:
                continue
            _gram(i, neighbors[i, :m], queries, rows, workspace[worker], products, gram)
            trace = 0.0
            for a in range(m):
                trace += gram[a, a]
            for a in range(m):
                gram[a, a] += ridge * trace / m + 1e-300
            _minimize(gram[:m, :m], weights[i, :m], gradient[:m], 1e-10 * trace / m)

"""The M-step's product over the non-zeros of CSR rows: Xᵀ R, where most of R is next to nothing.

One thread makes every sum in the order of the rows: the answer does not depend on the number of cores.
"""

from numba import njit

FLAGS = {"contract"}  # a product and a sum may become one instruction; the order of the sums is kept
FEW = 3  # up to a third of the components are added one by one; more of them, all in one vector


@njit(cache=True, nogil=True, fastmath=FLAGS)
def column_sums(rows, scale, weights, negligible, active, out):
    """out[w] += Σ_i scale[i] X[i, w] weights[i]; weights of at most ``negligible`` may be left out.

    ``rows`` is (indptr, indices, data); ``active`` is a buffer for the numbers of the components that are added.
    """
    indptr, indices, data = rows
    width = weights.shape[1]
    for i in range(len(indptr) - 1):
        count = 0
        for m in range(width):
            if weights[i, m] > negligible:
                active[count] = m
                count += 1
        if count * FEW > width:
            _add_all(indices, data, indptr[i], indptr[i + 1], scale[i], weights[i], out)
        else:
            for a in range(count):
                m = active[a]
                share = scale[i] * weights[i, m]
                for p in range(indptr[i], indptr[i + 1]):
                    out[indices[p], m] += data[p] * share


@njit(cache=True, nogil=True, fastmath=FLAGS)
def _add_all(indices, data, start, stop, scale, weights, out):
    for p in range(start, stop):
        count = scale * data[p]
        total = out[indices[p]]
        for m in range(len(weights)):
            total[m] += count * weights[m]

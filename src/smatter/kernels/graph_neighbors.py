"""The k most similar rows of a sparse matrix of unit rows, exactly, tile by tile through an inverted index.

One query's products with all rows of a tile are summed in one flat array that stays in the cache; only what beats the
worst of the k best so far enters their heap. No n × n block is ever held.
"""

import numba as nb

_FLAGS = {"contract", "nsz"}  # no reassociation: a pair gives the same sum in every tile and thread


@nb.njit(cache=True, nogil=True, inline="always")
def _worse(score, index, other_score, other_index):
    return score < other_score or (score == other_score and index > other_index)


@nb.njit(cache=True, nogil=True)
def _push(scores, indices, score, index):
    """Replace the root, which is the worst of the k best; of equal scores the smaller index is the better."""
    k = scores.shape[0]
    position = 0
    while True:
        child = 2 * position + 1
        if child >= k:
            break
        other = child + 1
        if other < k and _worse(scores[other], indices[other], scores[child], indices[child]):
            child = other
        if not _worse(scores[child], indices[child], score, index):
            break
        scores[position], indices[position] = scores[child], indices[child]
        position = child
    scores[position], indices[position] = score, index


@nb.njit(cache=True, nogil=True, fastmath=_FLAGS)
def _one_query(query, columns, offset, sums, best_indices, best_scores):
    """Sum the products of one query with a tile's rows and keep the best; ``sums`` is left at 0."""
    q_indices, q_data = query
    c_indptr, c_indices, c_data = columns
    for entry in range(q_indices.shape[0]):
        column, weight = q_indices[entry], q_data[entry]
        for position in range(c_indptr[column], c_indptr[column + 1]):
            sums[c_indices[position]] += weight * c_data[position]
    for j in range(sums.shape[0]):
        score = sums[j]
        if score >= best_scores[0] and _worse(best_scores[0], best_indices[0], score, j + offset):
            _push(best_scores, best_indices, score, j + offset)
        sums[j] = 0.0


@nb.njit(cache=True, nogil=True, parallel=True, fastmath=_FLAGS)
def most_similar(query, columns, offset, skip_self, workspace, out_indices, out_scores):
    """Merge the rows of one tile into the k best of each query.

    ``query`` is (indptr, indices, data) of the queries' CSR matrix, ``columns`` that of the tile's CSC matrix, and
    ``offset`` the number of the tile's first row. With ``skip_self`` query i is row i and no neighbor of its own.
    ``workspace`` (workers × rows of the tile) is 0 before and after. ``out_indices`` and ``out_scores`` (queries × k)
    are heaps; an empty place holds −1 and the score 0, so that rows without a positive product never enter.
    """
    indptr, indices, data = query
    n_workers = workspace.shape[0]
    for worker in nb.prange(n_workers):
        sums = workspace[worker]
        for i in range(worker, indptr.shape[0] - 1, n_workers):
            start, end = indptr[i], indptr[i + 1]
            if skip_self and offset <= i < offset + sums.shape[0]:
                sums[i - offset] = -1e300
            _one_query((indices[start:end], data[start:end]), columns, offset, sums, out_indices[i], out_scores[i])

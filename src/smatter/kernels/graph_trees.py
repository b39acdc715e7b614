"""Trees: Prim's maximum spanning tree on similarities made on the fly, and a breadth-first order of a forest."""

import numba as nb
import numpy as np

_FLAGS = {"contract", "nsz"}


@nb.njit(cache=True, nogil=True, fastmath=_FLAGS)
def _attach(newest, distances, in_tree, best_distance, parent):
    """Offer the newest vertex as parent to all others; return the nearest vertex outside of the tree."""
    nearest, smallest = -1, np.inf
    for j in range(distances.shape[0]):
        if in_tree[j]:
            continue
        if distances[j] < best_distance[j]:
            best_distance[j], parent[j] = distances[j], newest
        if best_distance[j] < smallest:
            nearest, smallest = j, best_distance[j]
    return nearest


@nb.njit(cache=True, nogil=True, fastmath=_FLAGS)
def prim_dense(X, distances, in_tree, best_distance, parent):
    """Fill ``parent`` of the minimum spanning tree of squared Euclidean distances; vertex 0 is the root (−1)."""
    n, d = X.shape
    parent[0], newest = -1, 0
    for _ in range(n - 1):
        in_tree[newest] = True
        for j in range(n):
            total = 0.0
            for column in range(d):
                gap = X[newest, column] - X[j, column]
                total += gap * gap
            distances[j] = total
        newest = _attach(newest, distances, in_tree, best_distance, parent)


@nb.njit(cache=True, nogil=True, fastmath=_FLAGS)
def prim_sparse(rows, columns, squares, distances, in_tree, best_distance, parent):
    """As ``prim_dense`` for a sparse X in CSR (``rows``) and CSC (``columns``) with the rows' squared norms."""
    indptr, indices, data = rows
    c_indptr, c_indices, c_data = columns
    n = squares.shape[0]
    parent[0], newest = -1, 0
    for _ in range(n - 1):
        in_tree[newest] = True
        for j in range(n):
            distances[j] = squares[newest] + squares[j]
        for entry in range(indptr[newest], indptr[newest + 1]):
            column, weight = indices[entry], 2.0 * data[entry]
            for position in range(c_indptr[column], c_indptr[column + 1]):
                distances[c_indices[position]] -= weight * c_data[position]
        newest = _attach(newest, distances, in_tree, best_distance, parent)


@nb.njit(cache=True, nogil=True)
def breadth_first(indptr, indices, order, parent, parent_edge):
    """Order the vertices of every component from its smallest vertex outwards.

    ``parent`` is −1 at roots and ``parent_edge`` the position of the edge from the parent in the CSR arrays.
    ``parent`` must hold −2 everywhere before.
    """
    filled = 0
    for root in range(order.shape[0]):
        if parent[root] != -2:
            continue
        parent[root], parent_edge[root] = -1, -1
        order[filled] = root
        head, filled = filled, filled + 1
        while head < filled:
            i = order[head]
            head += 1
            for edge in range(indptr[i], indptr[i + 1]):
                j = indices[edge]
                if parent[j] == -2:
                    parent[j], parent_edge[j] = i, edge
                    order[filled] = j
                    filled += 1

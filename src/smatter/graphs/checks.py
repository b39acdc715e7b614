"""A graph that the user brings, checked once at the door."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from smatter.errors import InputError
from smatter.validation import Matrix


def check_graph(W: Any, *, symmetric: bool = True) -> Matrix:
    """Return W as a CSR array of positive weights without a diagonal.

    A weight of 0 is no edge. The graph is simple, so that self-loops are dropped: a vertex tells itself nothing new
    (every Laplacian D − W is the same with and without them).

    Parameters
    ----------
    W : array or sparse matrix of shape (n, n)
        The weights, 0 or more.
    symmetric : bool, default True
        Refuse a graph whose edges do not weigh the same in both directions.

    Examples
    --------
    >>> check_graph([[5.0, 1.0], [1.0, 0.0]]).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0]]

    """
    graph = sp.csr_array(W if sp.issparse(W) else np.atleast_2d(np.asarray(W, dtype=np.float64)), dtype=np.float64)
    if graph.shape[0] != graph.shape[1]:
        raise InputError(f"W has shape {graph.shape}; a graph has one row and one column a vertex: pass n × n weights.")
    graph.sum_duplicates()
    _check_weights(graph)
    if symmetric:
        _check_symmetry(graph)
    return without_loops(graph)


def without_loops(W: Matrix) -> Matrix:
    """Return W without its diagonal and without edges of weight 0, sorted, and never W's own arrays."""
    edges = W.tocoo()
    keep = (edges.row != edges.col) & (edges.data != 0)
    small = np.int32 if max(W.shape[0], keep.sum()) < 2**31 else np.int64
    ends = (edges.row[keep].astype(small), edges.col[keep].astype(small))
    graph = sp.csr_array((edges.data[keep], ends), shape=W.shape)
    graph.sort_indices()
    return graph


def _check_weights(graph: Matrix) -> None:
    wrong = ~(graph.data >= 0) | np.isinf(graph.data)
    if wrong.any():
        edges = graph.tocoo()
        first = int(np.argmax(wrong))
        raise InputError(
            f"W[{edges.row[first]}, {edges.col[first]}] is {edges.data[first]:g}; a weight is a finite number of at "
            "least 0 that says how similar two vertices are: remove the edge, or turn distances into similarities."
        )


def _check_symmetry(graph: Matrix) -> None:
    gap = abs(graph - graph.T)
    if gap.nnz and gap.max() > 1e-8 * max(graph.max(), np.finfo(float).tiny):
        worst = int(np.argmax(gap.data))
        edges = gap.tocoo()
        i, j = int(edges.row[worst]), int(edges.col[worst])
        raise InputError(
            f"W[{i}, {j}] is {graph[i, j]:g} but W[{j}, {i}] is {graph[j, i]:g}; this model needs an undirected graph: "
            "pass W.maximum(W.T), or take a model for directed graphs."
        )

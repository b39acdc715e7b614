"""Connected components, and N's rule that each of them has a labeled vertex."""

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from smatter.validation import Matrix


def components(W: Matrix) -> NDArray[np.int32]:
    """Number the components of a graph, whatever the direction of its edges, vertex by vertex."""
    return np.asarray(connected_components(W, directed=False)[1])


def reached_from_labels(W: Matrix, labeled: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Say for each vertex whether its component has a labeled vertex."""
    component = components(W)
    with_label = np.zeros(component.max(initial=-1) + 1, dtype=bool)
    with_label[component[labeled]] = True
    return np.asarray(with_label[component])


def join(W: Matrix, labeled: NDArray[np.bool_], nearest_labeled: Matrix) -> Matrix:
    """Tie each component without a labeled vertex to one by the strongest edge there is.

    Parameters
    ----------
    W : sparse array of shape (n, n)
        The graph.
    labeled : array of bool of shape (n,)
        The labeled vertices.
    nearest_labeled : sparse array of shape (m, n)
        For each vertex of a component without a label, in order, the similarity to its nearest labeled vertex.

    """
    lonely = np.flatnonzero(~reached_from_labels(W, labeled))
    edges = nearest_labeled.tocoo()
    component = components(W)[lonely[edges.row]]
    strongest_last = np.lexsort((-edges.row, edges.data, component))
    last = np.flatnonzero(np.diff(component[strongest_last], append=-1))
    best = strongest_last[last]
    row, column, weight = lonely[edges.row[best]], edges.col[best], edges.data[best]
    bridges = sp.csr_array((weight, (row, column)), shape=W.shape)
    joined = sp.csr_array(W.maximum(bridges).maximum(bridges.T))
    joined.sort_indices()
    return joined

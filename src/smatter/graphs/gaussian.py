"""The complete graph with Gaussian weights, for small data."""

from typing import ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from smatter.errors import InputError
from smatter.graphs import _neighbors as near
from smatter.graphs._base import GraphBuilder
from smatter.validation import Matrix, Number, OneOf, Rules

MOST_ROWS = 10_000


class GaussianGraph(GraphBuilder):
    """All pairs of rows, W_ij = exp(−‖x_i − x_j‖² / 2σ²), W_ii = 0.

    Its memory is quadratic in the rows: more than 10,000 of them are refused.

    Parameters
    ----------
    bandwidth : float or None, default None
        σ; None takes half the median distance of all pairs.

    Examples
    --------
    >>> GaussianGraph(bandwidth=1.0).build([[0.0], [1.0]]).toarray().round(3).tolist()
    [[0.0, 0.607], [0.607, 0.0]]

    """

    rules: ClassVar[Rules] = {"bandwidth": (OneOf(None), Number(0, above=True))}
    similarity = "gaussian"

    def __init__(self, bandwidth: float | None = None) -> None:
        self.bandwidth = bandwidth

    def _edges(self, labeled: NDArray[np.bool_] | None) -> Matrix:
        n = self.rows_.shape[0]
        if n > MOST_ROWS:
            raise InputError(
                f"X has {n} rows, and a complete graph of them {n * (n - 1) // 2} edges; GaussianGraph takes at most "
                f"{MOST_ROWS} rows: use KNNGraph(similarity='gaussian')."
            )
        distances = near.pairwise(self.rows_, self.rows_, "euclidean")
        distances = np.minimum(distances, distances.T)
        if self.bandwidth_ is None:
            pairs = distances[np.triu_indices(n, 1)]
            self.bandwidth_ = float(0.5 * np.median(pairs[pairs > 0])) if (pairs > 0).any() else 1.0
        W = self._weigh(distances)
        np.fill_diagonal(W, 0.0)
        return sp.csr_array(W)

    def _votes(self) -> int:
        return int(self.rows_.shape[0])

"""Randomized mincuts (Blum, Lafferty, Rwebangira & Reddy 2004)."""

import warnings
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from smatter.errors import LabelWarning
from smatter.graphs._base import GraphBuilder
from smatter.graphs.components import reached_from_labels
from smatter.graphs.spanning_tree import KNNSpanningTreeGraph
from smatter.models.graphical._base import GRAPH_RULES, Array, GraphClassifier, GraphProblem, clamp, rows_to_one
from smatter.models.graphical._cuts import cut_between
from smatter.progress import Progress, report
from smatter.validation import SEED, Matrix, Number, Rules


class RandomizedMincut(GraphClassifier):
    """Many minimum cuts of the graph with noise on its edges; their majority, and its share as a probability.

    Each edge gets W_ij + noise · mean(W) · u with u uniform in [0, 1]. A cut that gives a side less than
    ``min_share`` of the vertices that its share of the labels promises is dropped. With more than two classes each is
    cut against the rest, and the shares of the cuts that claim a vertex are scaled to a sum of 1.

    Parameters
    ----------
    graph : graph builder or None, default None
        None is ``KNNSpanningTreeGraph(k=10)``: where paths between labels run through single edges, noise moves the
        cut; in a dense graph the least cut stays around the labels, whatever the noise.
    n_cuts : int, default 30
        Cuts a class.
    noise : float, default 1.0
        The largest noise, in mean weights.
    min_share : float, default 0.25
        What a side needs of its promised share.
    random_state : int, RandomState or None, default 0
        The seed of the noise.

    References
    ----------
    A. Blum, J. Lafferty, M. Rwebangira, R. Reddy. Semi-supervised learning using randomized mincuts. ICML 2004.

    Examples
    --------
    >>> chain = np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1)
    >>> model = RandomizedMincut(n_cuts=200).fit_graph(chain, [0, -1, -1, -1, -1, 1])
    >>> model.transduction_.tolist()
    [0, 0, 0, 1, 1, 1]

    """

    rules: ClassVar[Rules] = {
        **GRAPH_RULES,
        "n_cuts": Number(1, whole=True),
        "noise": Number(0),
        "min_share": Number(0, 1),
        "random_state": SEED,
    }

    def __init__(
        self,
        graph: GraphBuilder | None = None,
        *,
        n_cuts: int = 30,
        noise: float = 1.0,
        min_share: float = 0.25,
        random_state: Any = 0,
    ) -> None:
        self.graph = graph
        self.n_cuts = n_cuts
        self.noise = noise
        self.min_share = min_share
        self.random_state = random_state

    def _default_graph(self) -> GraphBuilder:
        return KNNSpanningTreeGraph()

    def _infer(self, problem: GraphProblem) -> tuple[Array, list[float]]:
        codes = problem.labels.codes
        random = check_random_state(self.random_state)
        sources = [1] if len(problem.prior) == 2 else list(range(len(problem.prior)))
        sums, kept = np.zeros((problem.n, len(sources))), np.zeros(len(sources), dtype=np.int64)
        spare = np.zeros_like(sums)
        for cut in range(self.n_cuts):
            W = self._disturbed(problem.W, random)
            for column, code in enumerate(sources):
                side = cut_between(W, codes == code, (codes >= 0) & (codes != code))
                spare[:, column] += side
                if self._is_balanced(side, problem.prior[code]):
                    sums[:, column] += side
                    kept[column] += 1
            report(Progress(type(self).__name__, cut + 1, self.n_cuts))
        self.n_kept_cuts_ = kept
        shares = np.where(kept > 0, sums / np.maximum(kept, 1), spare / self.n_cuts)
        if (kept == 0).any():
            self._warn(problem, [sources[column] for column in np.flatnonzero(kept == 0)])
        claims = np.column_stack([1 - shares[:, 0], shares[:, 0]]) if len(sources) == 1 else shares
        posterior = rows_to_one(claims, problem.prior)
        posterior[~reached_from_labels(problem.W, problem.labels.labeled)] = problem.prior
        return clamp(posterior, problem.labels), []

    def _disturbed(self, W: Matrix, random: np.random.RandomState) -> Matrix:
        upper = sp.triu(W, format="csr")
        upper.data = upper.data + self.noise * W.data.mean() * random.random_sample(upper.nnz) if W.nnz else upper.data
        return sp.csr_array(upper + upper.T)

    def _is_balanced(self, side: NDArray[np.bool_], prior: float) -> bool:
        share = side.mean()
        return bool(share >= self.min_share * prior and 1 - share >= self.min_share * (1 - prior))

    def _warn(self, problem: GraphProblem, codes: list[int]) -> None:
        classes = problem.labels.decode(codes).tolist()
        warnings.warn(
            f"All {self.n_cuts} cuts were unbalanced for the classes {classes[:5]}, and so all of them count: lower "
            "min_share, raise noise, label more rows, or use Mincut(class_shares='labeled').",
            LabelWarning,
            stacklevel=2,
        )

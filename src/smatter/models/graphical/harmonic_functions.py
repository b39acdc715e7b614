"""Gaussian fields and harmonic functions (Zhu, Ghahramani & Lafferty 2003)."""

from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from smatter.errors import InputError
from smatter.graphs._base import GraphBuilder
from smatter.graphs.components import reached_from_labels
from smatter.graphs.operators import degrees
from smatter.graphs.solvers import solve_laplacian
from smatter.models.graphical._base import GRAPH_RULES, Array, GraphClassifier, GraphProblem, clamp, rows_to_one
from smatter.validation import ARRAY, Number, OneOf, Rules


class HarmonicFunctions(GraphClassifier):
    """Every unlabeled vertex is the weighted mean of its neighbors.

    f minimizes E(f) = ½ Σ W_ij (f_i − f_j)² with f = y on the labeled vertices: f_u = −L_uu⁻¹ L_ul f_l with
    L = D − W. The energy goes to one system of equations for all classes, solved by conjugate gradients.
    A component without a labeled vertex gets the labeled shares of the classes.

    Parameters
    ----------
    graph : graph builder or None, default None
        None is ``KNNGraph(k=10)`` with cosine similarity.
    class_mass : {None, "labeled"} or array of shape (K,), default None
        Class-mass normalization: scale the classes so that their total mass over the unlabeled vertices is that of
        the labeled shares, or of the shares given in the order of ``classes_``.
    tol : float, default 1e-6
        The relative residual at which the solver stops.

    References
    ----------
    X. Zhu, Z. Ghahramani, J. Lafferty. Semi-supervised learning using Gaussian fields and harmonic functions. ICML
    2003.

    Examples
    --------
    >>> chain = np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1)
    >>> HarmonicFunctions().fit_graph(chain, [0, -1, -1, 1]).posterior_[:, 1].round(3).tolist()
    [0.0, 0.333, 0.667, 1.0]

    """

    rules: ClassVar[Rules] = {
        **GRAPH_RULES,
        "class_mass": (OneOf(None, "labeled"), ARRAY),
        "tol": Number(0, above=True),
    }

    def __init__(
        self, graph: GraphBuilder | None = None, *, class_mass: str | Array | None = None, tol: float = 1e-6
    ) -> None:
        self.graph = graph
        self.class_mass = class_mass
        self.tol = tol

    def _infer(self, problem: GraphProblem) -> tuple[Array, list[float]]:
        harmonic, residuals = harmonic_solution(problem, self.tol)
        if self.class_mass is not None:
            harmonic = self._scale_masses(harmonic, problem)
        return clamp(rows_to_one(harmonic, problem.prior), problem.labels), residuals

    def _scale_masses(self, harmonic: Array, problem: GraphProblem) -> Array:
        shares = problem.prior if isinstance(self.class_mass, str) else self._given_shares(len(problem.prior))
        mass = harmonic[~problem.labels.labeled].sum(axis=0)
        return harmonic * shares / np.where(mass > 0, mass, 1.0)

    def _given_shares(self, n_classes: int) -> Array:
        shares = np.asarray(self.class_mass, dtype=np.float64)
        if shares.shape != (n_classes,) or not (shares > 0).all() or not np.isfinite(shares).all():
            raise InputError(
                f"class_mass={self.class_mass!r} must hold one share above 0 for each of the {n_classes} classes, in "
                "the order of classes_: correct it."
            )
        return shares / shares.sum()


def harmonic_solution(problem: GraphProblem, tol: float) -> tuple[Array, list[float]]:
    """f_u = −L_uu⁻¹ L_ul f_l of every class (n × K), f_l = y; the prior where no label reaches."""
    targets, labeled = problem.labels.one_hot(), problem.labels.labeled
    free = np.flatnonzero(~labeled & reached_from_labels(problem.W, labeled))
    solution = np.where(labeled[:, None], targets, problem.prior)
    if not len(free):
        return solution, [0.0]
    to_all = problem.W[free]
    right = to_all[:, np.flatnonzero(labeled)] @ targets[labeled]
    among = sp.csr_array(to_all[:, free])
    solution[free], residuals = solve_laplacian(among, degrees(problem.W)[free], right, tol=tol)
    return solution, residuals

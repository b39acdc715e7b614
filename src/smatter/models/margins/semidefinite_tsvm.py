"""The transductive support vector machine as a semidefinite program over label matrices."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smatter.errors import InputError
from smatter.models.margins._base import MARGIN_RULES, MarginClassifier
from smatter.models.margins._dual import DualSolver
from smatter.models.margins._problem import BinaryProblem, BinarySolution, Path, finish
from smatter.models.margins._relaxation import collapse, solve_full, solve_restricted, spectral_basis
from smatter.models.margins._switching import label_by_rank, solve_and_switch
from smatter.validation import Number, OneOf, Rules

MAX_ROWS, MAX_FULL_ROWS = 2000, 80
_GAP, _MAX_CUTS = 0.03, 60  # of the cutting planes: the labels that they round to are settled long before


class SemidefiniteTSVM(MarginClassifier):
    """Transductive support vector machine by semidefinite relaxation; needs the extra ``sdp``.

    The label matrix Γ = y yᵀ of the objective of :class:`TransductiveSVM` is relaxed to Γ ⪰ 0 with ones on its diagonal
    and its labeled part as it is known; the mean of the unlabeled labels is 2 r − 1. That is convex,

        min_Γ max_{α ≥ 0}  αᵀ1 − ½ αᵀ (K∘Γ + D) α,    D_ii = 1/(2 C_i),

    but has u² unknowns. The spectral restriction looks for Γ among the ``n_vectors`` smoothest directions of a labeling
    on the graph of similarities, Γ = V M Vᵀ: then M is tiny, and cutting planes solve the program. The rows that Γ ties
    to the labeled ones most become the positive ones; from there pairs are switched as in :class:`TransductiveSVM`.

    Parameters
    ----------
    C, C_unlabeled : float, None or "cv", default 10.0 and None
        Costs of a labeled and of an unlabeled row; None lets all unlabeled rows weigh as much as all labeled ones.
    class_ratio, ratio_strength : None, "uniform" or array; float, default None and inf
        Share of each class among the unlabeled rows, and how many labeled rows it is worth as a prior.
    kernel : "linear", "rbf" or callable, default "linear"
        Linear machines work on X alone; a kernel is for a few thousand rows.
    calibrate : bool, default True
        Fit the temperature of ``predict_proba`` on cross-validated scores of the labeled rows.
    tol, max_iter, n_jobs : float, int, int or None, default 1e-4, 500 and None
        Relative duality gap of a convex problem, the most such problems, and threads over the classes.
    n_vectors : int or None, default 5
        Directions of the spectral restriction. None solves the whole relaxation, for a few dozen rows.

    References
    ----------
    De Bie & Cristianini, Convex methods for transduction, NIPS 2003; Semi-supervised learning using semi-definite
    programming, in Chapelle, Schölkopf & Zien (eds.), MIT Press 2006.

    Examples
    --------
    >>> X = [[3.0, 0.2], [2.5, 0.4], [2.0, 0.1], [0.2, 3.0], [0.3, 2.2], [0.1, 2.4]]
    >>> SemidefiniteTSVM().fit(X, ["a", None, None, "b", None, None]).transduction_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']

    """

    rules: ClassVar[Rules] = {**MARGIN_RULES, "n_vectors": (OneOf(None), Number(2, whole=True))}

    def __init__(
        self,
        C: float | str = 10.0,
        *,
        C_unlabeled: float | str | None = None,
        class_ratio: ArrayLike | str | None = None,
        ratio_strength: float = np.inf,
        kernel: str | Callable[[Any, Any], NDArray[np.float64]] = "linear",
        calibrate: bool = True,
        n_vectors: int | None = 5,
        tol: float = 1e-4,
        max_iter: int = 500,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            C,
            C_unlabeled=C_unlabeled,
            class_ratio=class_ratio,
            ratio_strength=ratio_strength,
            kernel=kernel,
            calibrate=calibrate,
            tol=tol,
            max_iter=max_iter,
            n_jobs=n_jobs,
        )
        self.n_vectors = n_vectors

    def _solve(self, problem: BinaryProblem) -> BinarySolution:
        path, solver = Path(problem.reports_as), DualSolver(problem.rows)
        used = np.flatnonzero(problem.cost > 0.0)
        self._refuse_too_many(len(used))
        ties, bounds, closed = self._relax(problem, used)
        for bound in bounds:
            path.add(bound)
        path.stage = 1
        signs = label_by_rank(ties, problem.n_positive)
        cost = problem.cost[problem.unlabeled]
        solution, _, converged = solve_and_switch(problem, solver, signs, cost, path, problem.tol)
        if not closed and problem.max_iter >= _MAX_CUTS:
            remedy = f"lower n_vectors={self.n_vectors}"
        else:
            remedy = "" if converged and closed else f"raise max_iter={problem.max_iter}"
        return finish(problem.rows, solution, path, remedy)

    def _relax(self, problem: BinaryProblem, used: NDArray[np.intp]) -> tuple[NDArray[np.float64], list[float], bool]:
        """Return how strongly each unlabeled row is tied to the positive label, and the way there."""
        features = problem.rows.matrix[used]
        similarity = np.asarray((features @ features.T).toarray())
        K = similarity + problem.rows.intercept**2
        D, R = 0.5 / problem.cost[used], collapse(problem.signs[used])
        n_unlabeled = len(problem.unlabeled)
        balance = 2.0 * problem.n_positive - n_unlabeled
        if self.n_vectors is None:
            G, value = solve_full(K, D, R, balance)
            return G[0, 1:], [value], True
        V = spectral_basis(similarity, R, self.n_vectors)
        G, path, closed = solve_restricted(
            (K, D, R, V), balance, max(problem.tol, _GAP), min(problem.max_iter, _MAX_CUTS)
        )
        return G[0, 1:], path, closed

    def _refuse_too_many(self, n_rows: int) -> None:
        limit = MAX_FULL_ROWS if self.n_vectors is None else MAX_ROWS
        if n_rows > limit:
            raise InputError(
                f"SemidefiniteTSVM got {n_rows} rows with n_vectors={self.n_vectors}; its label matrix has their "
                f"square, and the limit is {limit}: pass fewer rows"
                + (", set n_vectors=5," if self.n_vectors is None else "")
                + " or use AnnealedS3VM."
            )

"""The semi-supervised support vector machine by deterministic annealing: labels are soft until it is cold."""

import numpy as np
from scipy.special import expit, xlogy

from smatter.models.margins._base import MarginClassifier
from smatter.models.margins._dual import DualSolver
from smatter.models.margins._problem import BinaryProblem, BinarySolution, Path, finish
from smatter.models.margins._rows import Vector
from smatter.models.margins._switching import label_by_rank, solve_and_switch, squared_slack

_HOT, _COLD, _COOLING = 4.0, 0.03, 1.5
_STILL = 1e-3  # mean change of p at which a temperature is done
_MAX_TURNS = 10
_COARSE = 1e-3  # relative duality gap while the labels are soft


class AnnealedS3VM(MarginClassifier):
    """Semi-supervised support vector machine trained by deterministic annealing.

    The label of unlabeled row j is positive with probability p_j, and at temperature T the objective is

        ½‖w‖² + C Σ ξ_i² + Σ C* [ p_j ℓ(f_j) + (1 − p_j) ℓ(−f_j) + T (p_j log p_j + (1 − p_j) log(1 − p_j)) ]

    with ℓ(t) = max(0, 1 − t)² and the constraint (1/u) Σ p_j = r. For fixed w the minimum is
    p_j = σ((ℓ(−f_j) − ℓ(f_j) − ν)/T), ν chosen for the constraint; for fixed p it is a support vector machine. Each
    turn lowers the objective. From T = 4 on, where it is nearly convex, T falls by factors of 1.5 until the labels are
    hard; then pairs are switched as in :class:`TransductiveSVM`.

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

    References
    ----------
    Sindhwani, Keerthi & Chapelle, Deterministic annealing for semi-supervised kernel machines, ICML 2006.

    Examples
    --------
    >>> X = [[3.0, 0.2], [2.5, 0.4], [2.0, 0.1], [0.2, 3.0], [0.3, 2.2], [0.1, 2.4]]
    >>> AnnealedS3VM().fit(X, ["a", None, None, "b", None, None]).transduction_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']

    """

    def _solve(self, problem: BinaryProblem) -> BinarySolution:
        path, solver = Path(problem.reports_as), DualSolver(problem.rows)
        cost = problem.cost[problem.unlabeled]
        share = problem.n_positive / len(cost)
        probability, temperature = np.full(len(cost), share), _HOT
        while temperature > _COLD:
            for _ in range(_MAX_TURNS):
                losses = problem.losses(cost * probability, cost * (1.0 - probability))
                solution = solver.solve(losses, tolerance=max(problem.tol, _COARSE))
                path.add(solution.objective - temperature * float(cost @ entropy(probability)))
                before = probability
                gain = label_gain(solution.scores[problem.unlabeled])
                probability = soft_labels(gain, share, temperature)
                cut_short = len(path.objectives) >= problem.max_iter
                if np.abs(probability - before).mean() < _STILL or cut_short:
                    break
            temperature, path.stage = temperature / _COOLING, path.stage + 1
        signs = label_by_rank(solution.scores[problem.unlabeled], problem.n_positive)
        solution, _, converged = solve_and_switch(problem, solver, signs, cost, path, problem.tol)
        remedy = "" if converged and not cut_short else f"raise max_iter={problem.max_iter}"
        return finish(problem.rows, solution, path, remedy)


def label_gain(scores: Vector) -> Vector:
    """Return ℓ(−f) − ℓ(f): what a positive label saves against a negative one."""
    return squared_slack(-scores) - squared_slack(scores)


def soft_labels(gain: Vector, share: float, temperature: float) -> Vector:
    """Return p_j = σ((gain_j − ν)/T) with the mean ``share``; ν by bisection."""
    reach = temperature * 40.0
    low, high = gain.min() - reach, gain.max() + reach
    for _ in range(60):
        middle = 0.5 * (low + high)
        if expit((gain - middle) / temperature).mean() > share:
            low = middle
        else:
            high = middle
    return np.asarray(expit((gain - 0.5 * (low + high)) / temperature))


def entropy(probability: Vector) -> Vector:
    """Return −p log p − (1 − p) log(1 − p)."""
    return np.asarray(-xlogy(probability, probability) - xlogy(1.0 - probability, 1.0 - probability))

"""Dual coordinate descent for squared hinge losses: a row's dual variables are set to their best value in turn."""

import numpy as np
from numba import njit

_FLAGS = {"reassoc", "contract", "nsz", "arcp"}


@njit(cache=True, nogil=True)
def _next_random(state, below):
    """Draw a whole number below the bound from a multiplicative congruential generator (Lehmer's, modulus 2³¹ − 1)."""
    state[0] = (state[0] * 48271) % 2147483647
    return state[0] % below


@njit(cache=True, nogil=True, fastmath=_FLAGS)
def squared_norms(indptr, values, intercept, out):
    """Write ‖x_i‖² with the constant feature."""
    for row in range(out.shape[0]):
        total = intercept * intercept
        for position in range(indptr[row], indptr[row + 1]):
            total += values[position] * values[position]
        out[row] = total


@njit(cache=True, nogil=True, fastmath=_FLAGS)
def dual_descent(rows, costs, duals, norms, order, limits, random_state, report, weights):
    """Sweep over the rows until no projected gradient is beyond limits[0], at most limits[1] times.

    Minimizes ½‖Σ_i (α_i − β_i) x_i‖² + Σ α_i²/4 positive_i + β_i²/4 negative_i − Σ α_i + β_i over α, β ≥ 0, with
    ``costs`` = (positive, negative), ``duals`` = (α, β) and ``weights`` = Σ (α_i − β_i) x_i kept up to date. Rows that
    are surely at their bound are left out of the sweeps and looked at again at the end (Hsieh et al., ICML 2008).
    ``report`` receives the largest violation of the last sweep over all rows and the number of sweeps.
    """
    indptr, indices, values, _, intercept = rows
    positive, negative = costs
    alpha, beta = duals
    last = weights.shape[0] - 1
    n_rows = 0
    for row in range(positive.shape[0]):
        if positive[row] > 0.0 or negative[row] > 0.0:
            order[n_rows] = row
            n_rows += 1
    n_active, bound_before, sweeps, violation = n_rows, np.inf, 0, 0.0
    while sweeps < limits[1]:
        sweeps += 1
        highest, lowest = -np.inf, np.inf
        for place in range(n_active):
            other = place + _next_random(random_state, n_active - place)
            order[place], order[other] = order[other], order[place]
        place = 0
        while place < n_active:
            row = order[place]
            score = intercept * weights[last]
            for position in range(indptr[row], indptr[row + 1]):
                score += values[position] * weights[indices[position]]
            moved, idle = 0.0, True
            if positive[row] > 0.0:
                gradient = score - 1.0 + 0.5 * alpha[row] / positive[row]
                if alpha[row] > 0.0 or gradient <= bound_before:
                    idle = False
                    projected = gradient if alpha[row] > 0.0 else min(gradient, 0.0)
                    highest, lowest = max(highest, projected), min(lowest, projected)
                    new = max(alpha[row] - gradient / (norms[row] + 0.5 / positive[row]), 0.0)
                    moved = new - alpha[row]
                    alpha[row] = new
            if negative[row] > 0.0:
                gradient = -(score + moved * norms[row]) - 1.0 + 0.5 * beta[row] / negative[row]
                if beta[row] > 0.0 or gradient <= bound_before:
                    idle = False
                    projected = gradient if beta[row] > 0.0 else min(gradient, 0.0)
                    highest, lowest = max(highest, projected), min(lowest, projected)
                    new = max(beta[row] - gradient / (norms[row] + 0.5 / negative[row]), 0.0)
                    moved -= new - beta[row]
                    beta[row] = new
            if moved != 0.0:
                for position in range(indptr[row], indptr[row + 1]):
                    weights[indices[position]] += moved * values[position]
                weights[last] += moved * intercept
            if idle:
                n_active -= 1
                order[place], order[n_active] = order[n_active], order[place]
            else:
                place += 1
        violation = max(highest - lowest, max(highest, -lowest)) if n_active > 0 else 0.0
        if violation <= limits[0]:
            if n_active == n_rows:
                break
            n_active, bound_before = n_rows, np.inf
        else:
            bound_before = highest if highest > 0.0 else np.inf
    report[0] = violation
    report[1] = sweeps

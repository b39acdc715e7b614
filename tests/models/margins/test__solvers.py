"""The two convex solvers: against each other, against a general method, and against liblinear."""

import numpy as np
import pytest
from scipy.optimize import minimize as general_minimize
from sklearn.svm import LinearSVC

from reference import margins as slow
from smatter.models.margins._dual import DualSolver
from smatter.models.margins._newton import Losses, minimize, squared_hinge
from smatter.models.margins._rows import as_rows


@pytest.fixture
def data():
    draw = np.random.RandomState(0)
    X = draw.normal(size=(60, 20)) * (draw.uniform(size=(60, 20)) < 0.3)
    signs = np.where(X @ draw.normal(size=20) + draw.normal(size=60) > 0.3, 1, -1)
    return X, signs, draw


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_both_solve_liblinears_problem(data, C):
    X, signs, _ = data
    losses = squared_hinge(C * (signs > 0), C * (signs < 0))
    rows = as_rows(X)
    rival = LinearSVC(C=C, tol=1e-10, max_iter=100_000).fit(X, signs)
    expected = np.append(rival.coef_, rival.intercept_)
    for solution in (DualSolver(rows).solve(losses, tolerance=1e-12), minimize(rows, losses, tolerance=1e-12)):
        np.testing.assert_allclose(solution.weights, expected, atol=2e-4)
        assert solution.converged


def test_a_row_may_be_positive_and_negative_at_once(data):
    X, _, draw = data
    positive, negative = draw.uniform(size=(2, 60)) * (draw.uniform(size=(2, 60)) < 0.7)
    losses, rows = squared_hinge(positive, negative), as_rows(X)
    weights, objective = slow.squared_hinge_minimum(slow.extended(X, 0.0, 1.0), positive, negative)
    for solution in (DualSolver(rows).solve(losses, tolerance=1e-12), minimize(rows, losses, tolerance=1e-12)):
        np.testing.assert_allclose(solution.objective, objective, rtol=1e-8)
        np.testing.assert_allclose(solution.weights, weights, atol=1e-5)
        assert -1e-9 <= solution.objective - objective <= solution.gap + 1e-9


def test_knees_linear_terms_and_balance(data):
    X, _, draw = data
    positive, negative = draw.uniform(size=(2, 60))
    terms = positive, negative, 0.3 * draw.normal(size=60), np.full(60, 0.1)
    unlabeled = np.arange(60) >= 10
    rows = as_rows(X).balanced(unlabeled, 0.25)
    Z = slow.extended(X, X[unlabeled].mean(axis=0), 0.0)
    solution = minimize(rows, Losses(*terms), tolerance=1e-13)
    general = general_minimize(slow.objective, solution.weights, args=(Z, 0.25, terms), method="BFGS")
    assert solution.objective <= general.fun + 1e-9
    np.testing.assert_allclose(solution.scores[unlabeled].mean(), 0.25, atol=1e-12)
    weights, bias = rows.unconstrained(solution.weights)
    np.testing.assert_allclose(X @ weights + bias, solution.scores, atol=1e-10)


def test_a_warm_start_ends_where_a_cold_one_does(data):
    X, signs, draw = data
    rows, solver = as_rows(X), DualSolver(as_rows(X))
    for _ in range(10):
        signs = signs * np.where(draw.uniform(size=60) < 0.1, -1, 1)
        cost = draw.uniform(0.1, 10.0)
        losses = squared_hinge(cost * (signs > 0), cost * (signs < 0))
        warm, cold = solver.solve(losses, tolerance=1e-10), DualSolver(rows).solve(losses, tolerance=1e-10)
        np.testing.assert_allclose(warm.weights, cold.weights, atol=1e-4)


def test_too_few_newton_steps_say_so(data):
    X, signs, _ = data
    losses = squared_hinge(100.0 * (signs > 0), 100.0 * (signs < 0))
    assert not minimize(as_rows(X), losses, tolerance=1e-15, max_iter=1).converged

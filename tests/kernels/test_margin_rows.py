import numpy as np
import pytest

from reference import margins as slow
from smatter.kernels.margin_losses import exact_step, loss_derivatives, loss_values
from smatter.kernels.margin_rows import (
    curvature_diagonal,
    curvature_product,
    newton_direction,
    row_combination,
    row_products,
)
from smatter.models.margins._rows import Rows, as_rows


@pytest.fixture(params=[1.0, 0.0], ids=["intercept", "balanced"])
def case(request):
    draw = np.random.RandomState(3)
    X = draw.normal(size=(30, 12)) * (draw.uniform(size=(30, 12)) < 0.4)
    mean = np.zeros(12) if request.param else X[10:].mean(axis=0)
    rows = Rows(as_rows(X).matrix, mean, intercept=request.param, offset=0.3)
    return rows, slow.extended(X, mean, request.param), draw


def test_products_and_combinations(case):
    rows, Z, draw = case
    vector, coefficient = draw.normal(size=13), draw.normal(size=30) * (draw.uniform(size=30) < 0.5)
    product, combination = np.empty(30), np.zeros(13)
    row_products(rows.arrays, vector, product)
    row_combination(rows.arrays, coefficient, combination)
    np.testing.assert_allclose(product, Z @ vector, atol=1e-12)
    np.testing.assert_allclose(combination, Z.T @ coefficient, atol=1e-12)


def test_curvature(case):
    rows, Z, draw = case
    vector, curvature = draw.normal(size=13), draw.uniform(size=30) * (draw.uniform(size=30) < 0.5)
    out = np.empty(13)
    curvature_product(rows.arrays, curvature, vector, out)
    hessian = np.eye(13) + Z.T @ (curvature[:, np.newaxis] * Z)
    np.testing.assert_allclose(out, hessian @ vector, atol=1e-12)
    if rows.intercept:
        curvature_diagonal(rows.arrays, curvature, out)
        np.testing.assert_allclose(out, np.diag(hessian), atol=1e-12)


def test_newton_direction_solves_the_system(case):
    rows, Z, draw = case
    curvature, gradient = draw.uniform(size=30), draw.normal(size=13)
    direction = np.empty(13)
    newton_direction(rows.arrays, curvature, np.ones(13), gradient, np.empty((3, 13)), 1e-24, 200, direction)
    hessian = np.eye(13) + Z.T @ (curvature[:, np.newaxis] * Z)
    np.testing.assert_allclose(direction, np.linalg.solve(hessian, -gradient), atol=1e-8)


@pytest.fixture
def terms():
    draw = np.random.RandomState(5)
    positive, negative = draw.uniform(size=(2, 40)) * (draw.uniform(size=(2, 40)) < 0.6)
    knee = np.where(draw.uniform(size=40) < 0.5, np.inf, draw.uniform(0.05, 1.0, size=40))
    return positive, negative, draw.normal(size=40), knee


def test_losses_and_derivatives(terms):
    scores = np.random.RandomState(6).normal(scale=1.5, size=40)
    values, slope, curvature, moved = np.empty((4, 40))
    loss_values(scores, *terms, values)
    loss_derivatives(scores, *terms, slope, curvature)
    np.testing.assert_allclose(values, slow.losses(scores, *terms), atol=1e-12)
    step = 1e-6
    forward, backward = slow.losses(scores + step, *terms), slow.losses(scores - step, *terms)
    np.testing.assert_allclose(slope, (forward - backward) / (2 * step), atol=1e-6)
    loss_derivatives(scores + step, *terms, moved, np.empty(40))
    np.testing.assert_allclose(curvature, (moved - slope) / step, atol=1e-5)


@pytest.mark.parametrize("seed", range(20))
def test_exact_step_is_the_minimum_along_the_line(terms, seed):
    draw = np.random.RandomState(seed)
    scores, change = draw.normal(scale=1.5, size=(2, 40))
    weights, direction = draw.normal(size=(2, 13))

    def along(step):
        moved = weights + step * direction
        return 0.5 * moved @ moved + slow.losses(scores + step * change, *terms).sum()

    if along(1e-6) > along(0.0):  # the search is for directions of descent
        direction, change = -direction, -change
    found = np.empty(1)
    exact_step(scores, change, terms, np.array([weights @ direction, direction @ direction]), found)
    steps = np.linspace(0.0, 10.0, 2001)
    assert along(found[0]) <= min(along(step) for step in steps) + 1e-9

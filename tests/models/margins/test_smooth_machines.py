"""The machines with smooth or ramp-like losses: their losses, their constraint, and the best of many restarts."""

from functools import partial

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import check_grad, minimize
from scipy.stats import norm

from reference.margins_data import two_gaussians
from smatter import ConcaveConvexTSVM, ContinuationS3VM, GradientTSVM, HatLossS3VM
from smatter.models.margins.concave_convex_tsvm import KNEE, round_hinge, tangent
from smatter.models.margins.continuation_s3vm import blurred_bell, blurred_hinge
from smatter.models.margins.gradient_tsvm import bells

BALANCED = [GradientTSVM, ContinuationS3VM, ConcaveConvexTSVM, HatLossS3VM]


@pytest.mark.parametrize("model", BALANCED)
@pytest.mark.parametrize("ratio", [0.5, 0.2])
def test_the_mean_score_is_what_the_ratio_says(model, ratio):
    X, y, _ = two_gaussians(np.random.RandomState(0))
    fitted = model(class_ratio=[1.0 - ratio, ratio], calibrate=False).fit(X, y)
    np.testing.assert_allclose(fitted.decision_function(X)[y < 0].mean(), 2.0 * ratio - 1.0, atol=1e-9)


@pytest.mark.parametrize("spread", [0.1, 1.0])
@pytest.mark.parametrize("score", [-1.5, 0.2, 1.3])
def test_blurred_losses_are_the_convolutions(spread, score):
    def blurred(loss):
        return quad(lambda xi: loss(score + spread * xi) * norm.pdf(xi), -9, 9, limit=200)[0]

    variance, at = np.array([spread**2]), np.array([score])
    np.testing.assert_allclose(blurred_bell(at, variance)[0], blurred(lambda f: np.exp(-3 * f * f)), rtol=1e-7)
    np.testing.assert_allclose(
        blurred_hinge(at, variance)[0], blurred(lambda m: max(0.0, m) ** 2), rtol=1e-6, atol=1e-12
    )


def test_no_blur_is_the_sharp_loss():
    at = np.linspace(-2, 2, 9)
    np.testing.assert_allclose(blurred_bell(at, np.zeros(9))[0], bells(at)[0])
    np.testing.assert_allclose(blurred_hinge(at, np.zeros(9))[0], np.maximum(0, at) ** 2)


@pytest.mark.parametrize(
    "loss",
    [bells, partial(blurred_bell, variance=0.3), partial(blurred_hinge, variance=np.full(1, 0.3))],
    ids=["bell", "blurred bell", "blurred hinge"],
)
@pytest.mark.parametrize("at", [-1.2, 0.0, 0.7])
def test_derivatives(loss, at):
    assert check_grad(lambda f: loss(f)[0][0], lambda f: loss(f)[1], np.array([at])) < 1e-6


def test_the_ramp_is_flat_beyond_its_ends_and_its_tangent_fits():
    f = np.array([-5.0, -3.0, 2.0, 3.0])
    ramp = round_hinge(1.0 - f) - round_hinge(-0.3 - f)
    np.testing.assert_allclose(ramp, [1.3, 1.3, 0.0, 0.0])
    at, step = np.linspace(-1, 1, 41) + 0.013, 1e-7
    slope = (round_hinge(-0.3 - at - step) - round_hinge(-0.3 - at + step)) / (2 * step)
    np.testing.assert_allclose(tangent(at, -0.3), -slope, atol=1e-5)
    assert KNEE == 0.1


@pytest.mark.parametrize(("model", "share"), [(GradientTSVM, 0.7), (ContinuationS3VM, 0.7)])
def test_reaches_the_best_of_many_restarts(model, share):
    """The objective of both, written out densely and searched from forty places."""
    reached = []
    for seed in range(8):
        draw = np.random.RandomState(seed)
        X, y, _ = two_gaussians(draw, n_per_class=12, distance=2.0)
        unlabeled = y < 0
        Z, signs = X - X[unlabeled].mean(axis=0), np.where(unlabeled, 0, 2 * y - 1)

        def objective(w, Z=Z, signs=signs, unlabeled=unlabeled):
            f = Z @ w
            labeled = np.where(signs != 0, np.maximum(0, 1 - signs * f) ** 2, 0).sum()
            return 0.5 * w @ w + 2.0 * labeled + 0.5 * np.exp(-3 * f[unlabeled] ** 2).sum()

        best = min(minimize(objective, 3.0 * draw.normal(size=2), method="BFGS").fun for _ in range(40))
        fitted = model(C=2.0, C_unlabeled=0.5, class_ratio="uniform", tol=1e-8, calibrate=False).fit(X, y)
        found = objective(fitted.coef_.ravel())
        assert found >= best * (1 - 1e-5)
        np.testing.assert_allclose(found, fitted.objective_[-1], rtol=1e-6)
        reached.append(found <= best * (1 + 1e-3))
    assert np.mean(reached) >= share

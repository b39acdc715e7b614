import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import multivariate_normal, norm
from sklearn.gaussian_process import GaussianProcessClassifier

from reference.margins_data import two_gaussians
from smatter import NullCategoryProcess
from smatter.errors import InputError, LabelError, NotConvergedWarning
from smatter.models.margins._null_category import Evidence, propagate


@pytest.mark.parametrize(("right", "left"), [(1.0, 0.0), (0.0, 1.0), (0.5, 0.5)])
@pytest.mark.parametrize(("mean", "variance"), [(0.3, 2.0), (-1.2, 0.1), (0.0, 1.0)])
def test_moments_are_the_integrals(right, left, mean, variance):
    evidence = Evidence(np.array([right]), np.array([left]), 0.5, 0.04)
    log_Z, slope, bend = evidence.moments(np.array([mean]), np.array([variance]))

    def likelihood(f):
        return right * norm.cdf((f - 0.5) / 0.2) + left * norm.cdf(-(f + 0.5) / 0.2)

    reach = 10 * np.sqrt(variance)
    moments = [
        quad(
            lambda f, k=k: f**k * likelihood(f) * norm.pdf(f, mean, np.sqrt(variance)),
            mean - reach,
            mean + reach,
            limit=400,
            points=[-0.5, 0.5],
        )[0]
        for k in range(3)
    ]
    np.testing.assert_allclose(np.exp(log_Z), moments[0], rtol=1e-6)
    new_mean = moments[1] / moments[0]
    np.testing.assert_allclose(mean + variance * slope, new_mean, atol=1e-6)
    np.testing.assert_allclose(variance - variance**2 * bend, moments[2] / moments[0] - new_mean**2, atol=1e-6)


def test_evidence_of_labeled_rows_is_near_the_integral():
    K = np.array([[4.0, 2.0, -1.0], [2.0, 4.0, 0.5], [-1.0, 0.5, 4.0]])
    evidence = Evidence(np.array([1.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]), 0.5, 0.5)
    posterior, _, converged = propagate(K, evidence, 1e-8, 500)
    draw = multivariate_normal(np.zeros(3), K, seed=0).rvs(400_000)
    scale = np.sqrt(0.5)
    exact = (
        norm.cdf((draw[:, 0] - 0.5) / scale)
        * norm.cdf((draw[:, 1] - 0.5) / scale)
        * norm.cdf(-(draw[:, 2] + 0.5) / scale)
    ).mean()
    assert converged
    np.testing.assert_allclose(posterior.log_evidence, np.log(exact), atol=0.02)


def test_unlabeled_rows_move_the_boundary_between_the_clouds():
    right, alone = [], []
    for seed in range(5):
        X, y, truth = two_gaussians(np.random.RandomState(seed), n_per_class=40, n_labeled=2, distance=5.0)
        right.append((NullCategoryProcess().fit(X, y).transduction_ == truth).mean())
        labeled = y >= 0
        alone.append((GaussianProcessClassifier().fit(X[labeled], y[labeled]).predict(X) == truth).mean())
    assert np.mean(right) > 0.97
    assert np.mean(right) >= np.mean(alone)


def test_a_linear_kernel_on_sparse_rows_and_new_rows():
    X, y, truth = two_gaussians(np.random.RandomState(1), n_per_class=30)
    fitted = NullCategoryProcess(kernel="linear", amplitude=4.0).fit(X, y)
    assert fitted.amplitude_ == 4.0
    np.testing.assert_allclose(fitted.predict_proba(X), fitted.posterior_)
    assert (fitted.predict(X + 0.01) == truth).mean() > 0.9


def test_bad_input():
    X, y, _ = two_gaussians(np.random.RandomState(0), n_per_class=10)
    with pytest.raises(LabelError, match="Only binary classification is supported"):
        NullCategoryProcess().fit(X, np.arange(20) % 3)
    with pytest.raises(InputError, match="noise=0"):
        NullCategoryProcess(noise=0).fit(X, y)
    with pytest.raises(InputError, match="its limit 3000"):
        NullCategoryProcess().fit(np.zeros((3001, 1)), np.arange(3001) % 2)
    with pytest.warns(NotConvergedWarning, match="raise max_iter=1"):
        NullCategoryProcess(max_iter=1).fit(X, y)
    X[y < 0] = 0.0
    assert np.isfinite(NullCategoryProcess().fit(np.column_stack([X, X]), y).posterior_).all()

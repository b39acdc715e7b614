"""Gaussian components against loops, closed forms and the slides' two Gaussians."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB
from threadpoolctl import threadpool_limits

from models.bayes.collections import partly
from reference import bayes as slow
from smatter import GaussianMixtureEM
from smatter.errors import InputError, LabelError
from smatter.models.bayes._gaussians import SHAPES

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def clouds(n: int = 60, d: int = 3, n_classes: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.RandomState(seed)
    truth = np.arange(n) % n_classes
    mixing = np.eye(d) + 0.4 * random.randn(n_classes, d, d)
    X = np.einsum("nij,nj->ni", mixing[truth], random.randn(n, d)) + 2.5 * random.randn(n_classes, d)[truth]
    return X, truth


@pytest.mark.parametrize("shape", list(SHAPES))
@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_loops_say_the_same(shape, weight):
    X, truth = clouds()
    y = partly(truth, 3)
    model = GaussianMixtureEM(covariance=shape, unlabeled_weight=weight, smoothing=0.7, tol=0.0, max_iter=5).fit(X, y)
    weights = np.where(y == -1, weight, 1.0)
    prior, means, covariances, R, objective = slow.gaussian_em(X, y.tolist(), weights, shape, 0.7, model.n_iter_)
    np.testing.assert_allclose(model.objective_, objective, rtol=1e-9)
    np.testing.assert_allclose(model.posterior_, R, atol=1e-8)
    np.testing.assert_allclose(model.component_prior_, prior, atol=1e-9)
    np.testing.assert_allclose(model.means_, means, atol=1e-8)
    ours = model.covariances_ if shape == "full" else np.stack([np.diag(v) for v in model.covariances_])
    np.testing.assert_allclose(ours, covariances, atol=1e-8)


@settings(max_examples=40, deadline=None)
@given(
    shape=st.sampled_from(list(SHAPES)),
    weight=st.sampled_from([0.0, 0.2, 1.0]),
    smoothing=st.sampled_from([1e-3, 1.0, 20.0]),
    per_class=st.integers(1, 3),
    seed=st.integers(0, 10_000),
)
def test_the_objective_never_falls(shape, weight, smoothing, per_class, seed):
    X, truth = clouds(seed=seed)
    model = GaussianMixtureEM(
        per_class,
        covariance=shape,
        unlabeled_weight=weight,
        smoothing=smoothing,
        tol=0.0,
        max_iter=25,
        random_state=seed,
    )
    model.fit(X, partly(truth, 4, seed=seed), sample_weight=np.random.RandomState(seed).randint(1, 3, len(X)))
    assert (np.diff(model.objective_) >= -1e-8 * np.abs(model.objective_[1:])).all()
    np.testing.assert_allclose(model.posterior_.sum(axis=1), 1.0)


def test_the_slides_two_gaussians():
    """One class, one Gaussian, one dimension: mean and standard deviation of each come back from few labels."""
    random = np.random.RandomState(0)
    truth = np.arange(4000) % 2
    X = np.where(truth == 0, random.normal(-1.5, 1.0, 4000), random.normal(2.0, 0.6, 4000))[:, None]
    model = GaussianMixtureEM().fit(X, partly(truth, 2))
    np.testing.assert_allclose(model.means_.ravel(), [-1.5, 2.0], atol=0.06)
    np.testing.assert_allclose(np.sqrt(model.covariances_.ravel()), [1.0, 0.6], atol=0.05)
    np.testing.assert_allclose(model.component_prior_, [0.5, 0.5], atol=0.03)
    assert (model.transduction_ == truth).mean() > 0.975
    alone = GaussianMixtureEM(unlabeled_weight=0.0).fit(X, partly(truth, 2))
    assert (model.transduction_ == truth).mean() >= (alone.transduction_ == truth).mean()


def test_all_labeled_and_hardly_smoothed_is_gaussian_naive_bayes():
    X, truth = clouds(120)
    theirs = GaussianNB(var_smoothing=0).fit(X, truth)
    ours = GaussianMixtureEM(covariance="diagonal", smoothing=1e-12).fit(X, truth)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-8)
    np.testing.assert_allclose(ours.covariances_, theirs.var_, rtol=1e-8)


def test_full_covariances_all_labeled_in_closed_form():
    X, truth = clouds(120)
    model = GaussianMixtureEM(smoothing=1e-12).fit(X, truth)
    for c in range(3):
        np.testing.assert_allclose(model.covariances_[c], np.cov(X[truth == c].T, bias=True), rtol=1e-6, atol=1e-9)


def test_a_class_of_two_clouds_needs_two_components():
    random = np.random.RandomState(0)
    cloud = np.arange(600) % 3
    X = random.randn(600, 2) + np.array([[-6, 0], [6, 0], [0, 0]])[cloud]
    truth = (cloud == 2).astype(int)
    y = partly(truth, 10)
    two = GaussianMixtureEM(2, random_state=0).fit(X, y)
    assert two.component_class_.tolist() == [0, 0, 1, 1]
    assert (two.transduction_ == truth).mean() > 0.98


def test_no_more_components_than_labeled_rows():
    X, truth = clouds()
    y = partly(truth, 3)
    y[np.flatnonzero(y == 1)[1:]] = -1
    assert GaussianMixtureEM(5, random_state=0).fit(X, y).component_class_.tolist() == [0, 0, 0, 1, 2, 2, 2]


def test_whole_weights_are_repetitions():
    X, truth = clouds()
    y, weights = partly(truth, 6), np.arange(60) // 2 % 3
    repeated = np.repeat(np.arange(60), weights)
    for shape in SHAPES:
        weighted = GaussianMixtureEM(covariance=shape, tol=0.0, max_iter=10).fit(X, y, sample_weight=weights)
        copied = GaussianMixtureEM(covariance=shape, tol=0.0, max_iter=10).fit(X[repeated], y[repeated])
        np.testing.assert_allclose(weighted.predict_proba(X), copied.predict_proba(X), atol=1e-8)


def test_the_order_of_rows_features_and_class_names_does_not_matter():
    X, truth = clouds()
    y, random = partly(truth, 4), np.random.RandomState(0)
    rows, columns = random.permutation(60), random.permutation(3)
    names = np.array(["c", "b", "a", ""])[y]
    for shape in SHAPES:
        straight = GaussianMixtureEM(covariance=shape).fit(X, y).posterior_
        turned = GaussianMixtureEM(covariance=shape).fit(X[rows][:, columns], names[rows]).posterior_
        np.testing.assert_allclose(turned[:, ::-1], straight[rows], atol=1e-7)


def test_scale_and_place_of_features_do_not_matter():
    X, truth = clouds()
    y = partly(truth, 4)
    straight = GaussianMixtureEM().fit(X, y).posterior_
    for factor, shift in ((1e-6, 0.0), (1e6, 0.0), (np.array([1.0, 1e5, 1e-5]), 0.0), (1.0, 1e5)):
        np.testing.assert_allclose(GaussianMixtureEM().fit(X * factor + shift, y).posterior_, straight, atol=1e-5)


@pytest.mark.parametrize("shape", list(SHAPES))
def test_constant_and_copied_features(shape):
    X, truth = clouds()
    y = partly(truth, 4)
    plain = GaussianMixtureEM(covariance=shape).fit(X, y)
    for constant in (0.0, 1 / 3, 1e9 / 3):
        with_constant = GaussianMixtureEM(covariance=shape).fit(np.column_stack([X, np.full(60, constant)]), y)
        np.testing.assert_allclose(with_constant.posterior_, plain.posterior_, atol=1e-12)
        assert with_constant.varying_.tolist() == [0, 1, 2]
    nothing = GaussianMixtureEM(covariance=shape).fit(np.ones((60, 2)), y)
    np.testing.assert_allclose(nothing.predict_proba(np.ones((1, 2)))[0], nothing.component_prior_)
    copied = GaussianMixtureEM(covariance=shape).fit(np.column_stack([X, X]), y)
    assert np.isfinite(copied.posterior_).all()


def test_a_warm_start_goes_on_to_the_same_solution():
    X, truth = clouds()
    y = partly(truth, 2)
    cold = GaussianMixtureEM(2, tol=1e-10, max_iter=500, random_state=0).fit(X, y)
    warm = GaussianMixtureEM(2, tol=1e-10, max_iter=1, warm_start=True, random_state=0)
    for _ in range(cold.n_iter_ + 1):
        warm.fit(X, y)
    np.testing.assert_allclose(warm.posterior_, cold.posterior_, atol=1e-4)
    changed = warm.set_params(max_iter=500, covariance="diagonal").fit(X, y)
    anew = GaussianMixtureEM(2, tol=1e-10, max_iter=500, covariance="diagonal", random_state=0).fit(X, y)
    np.testing.assert_array_equal(changed.posterior_, anew.posterior_)


def test_the_same_seed_the_same_answer_on_any_number_of_threads():
    X, truth = clouds(300)
    y = partly(truth, 30)
    first = GaussianMixtureEM(3, random_state=5).fit(X, y)
    with threadpool_limits(1, user_api="openmp"):
        np.testing.assert_array_equal(GaussianMixtureEM(3, random_state=5).fit(X, y).posterior_, first.posterior_)


def test_one_label_a_class_all_labeled_and_weightless_classes():
    X, truth = clouds()
    one = GaussianMixtureEM(3).fit(X, partly(truth, 1))
    assert np.isfinite(one.posterior_).all()
    weights = np.where(truth == 2, 0.0, 1.0)
    for y in (partly(truth, 5), truth):
        model = GaussianMixtureEM(2, random_state=0).fit(X, y, sample_weight=weights)
        assert np.isfinite(model.posterior_).all() and np.isfinite(model.predict_proba(X)).all()
    np.testing.assert_array_equal(GaussianMixtureEM().fit(X, truth).posterior_, slow.one_hot(truth, 3))


def test_running_out_of_iterations_is_said():
    X, truth = clouds()
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        GaussianMixtureEM(max_iter=2, tol=0.0).fit(X, partly(truth, 3))


@pytest.mark.parametrize(
    ("options", "X", "y", "message"),
    [
        ({}, np.empty((0, 3)), [], "0 sample"),
        ({}, [[1, 2], [3, 4]], [-1, -1], "no labeled row"),
        ({}, [[1, 2], [3, 4]], [1, -1], "one class only"),
        ({}, [[1, np.nan], [3, 4]], [0, 1], "contains NaN"),
        ({}, [[1, 1e200], [3, -1e200]], [0, 1], "Column 1 of X holds values up to 1e.200"),
        ({}, [["a", "b"], ["c", "d"]], [0, 1], "holds text .*must be numbers"),
        ({}, [[1, 2], [3, 4]], [0, 1, 1], "inconsistent numbers of samples"),
        ({}, sp.csr_array(np.eye(2)), [0, 1], "X is sparse with 2 columns"),
        ({"components_per_class": 0}, [[1, 2], [3, 4]], [0, 1], "components_per_class=0"),
        ({"covariance": "tied"}, [[1, 2], [3, 4]], [0, 1], "covariance='tied'"),
        ({"smoothing": 0}, [[1, 2], [3, 4]], [0, 1], "smoothing=0.*above 0"),
        ({"unlabeled_weight": 2}, [[1, 2], [3, 4]], [0, 1], "unlabeled_weight=2"),
    ],
)
def test_bad_input(options, X, y, message):
    with pytest.raises((InputError, LabelError, ValueError), match=message):
        GaussianMixtureEM(**options).fit(X, y)

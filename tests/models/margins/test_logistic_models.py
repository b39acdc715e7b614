"""The two logistic models: their supervised limit, their derivatives, and what the paper says they find."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import check_grad
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression

from reference.margins_data import two_gaussians
from smatter import EntropyMinimization, MislabelLogistic
from smatter.errors import InputError, LabelError, NotConvergedWarning
from smatter.models.margins.entropy_minimization import entropy_loss, ratio_loss
from smatter.models.margins.mislabel_logistic import imperfect_loss, m_step_alpha


def drawn(n_classes, n_rows=300, n_labeled=60, seed=0, scale=2.0):
    draw = np.random.RandomState(seed)
    X = draw.normal(size=(n_rows, 4))
    P = softmax(scale * X @ draw.normal(size=(4, n_classes)), axis=1)
    truth = (draw.uniform(size=(n_rows, 1)) > P.cumsum(axis=1)).sum(axis=1)
    y = truth.copy()
    y[n_labeled:] = -1
    return X, y, truth, draw


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "model",
    [EntropyMinimization(C=3.0, C_unlabeled=0.0, tol=1e-8), MislabelLogistic(3.0, unlabeled_weight=0.0, tol=1e-8)],
)
def test_without_weight_on_unlabeled_rows_it_is_logistic_regression(model, n_classes):
    X, y, _, _ = drawn(n_classes)
    rival = LogisticRegression(C=3.0, tol=1e-10, max_iter=10_000).fit(X[y >= 0], y[y >= 0])
    model.fit(sp.csr_array(X), y)
    np.testing.assert_allclose(model.coef_, rival.coef_, atol=1e-4)
    np.testing.assert_allclose(model.predict_proba(X), rival.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("name", ["entropy", "ratio", "imperfect"])
def test_derivatives(name):
    draw = np.random.RandomState(1)
    cost, alpha = draw.uniform(size=6), draw.dirichlet(np.ones(3), size=6)
    ratio = np.array([0.2, 0.3, 0.5])
    losses = {
        "entropy": lambda s: entropy_loss(s, cost),
        "ratio": lambda s: ratio_loss(s, cost, ratio),
        "imperfect": lambda s: imperfect_loss(s, alpha, cost),
    }
    loss = losses[name]
    for _ in range(5):
        at = draw.normal(size=18)
        error = check_grad(lambda s: loss(s.reshape(6, 3))[0], lambda s: loss(s.reshape(6, 3))[1].ravel(), at)
        assert error < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_recovers_the_mislabel_matrix_that_drew_the_labels(seed):
    X, y, truth, draw = drawn(3, n_rows=6000, n_labeled=1500, seed=seed, scale=4.0)
    alpha = np.array([[0.7, 0.1, 0.2], [0.2, 0.8, 0.05], [0.1, 0.1, 0.75]])
    noisy = (draw.uniform(size=(len(truth), 1)) > alpha.T[truth].cumsum(axis=1)).sum(axis=1)
    fitted = MislabelLogistic(C=10.0, tol=1e-6).fit(X, y, noisy_labels=np.where(y < 0, noisy, -1))
    np.testing.assert_allclose(fitted.mislabel_matrix_, alpha, atol=0.05)
    np.testing.assert_allclose(fitted.mislabel_matrix_.sum(axis=0), 1.0)
    trusting = LogisticRegression(C=10.0).fit(X, np.where(y < 0, noisy, y))
    assert (fitted.predict(X) == truth).mean() >= (trusting.predict(X) == truth).mean() - 0.005


def test_m_steps_never_lower_the_likelihood():
    X, y, truth, draw = drawn(3, seed=5)
    noisy = np.where(draw.uniform(size=300) < 0.3, draw.randint(3, size=300), truth)
    fitted = MislabelLogistic(tol=1e-9, max_iter=30).fit(X, y, noisy_labels=np.where(y < 0, noisy, -1))
    assert (np.diff(fitted.objective_) >= -1e-6 * np.abs(fitted.objective_[:-1])).all()
    scores, alpha = draw.normal(size=(50, 3)), draw.dirichlet(np.ones(3), size=3).T
    imperfect, ones = draw.randint(3, size=50), np.ones(50)
    before, _ = imperfect_loss(scores, alpha[imperfect], ones)
    after, _ = imperfect_loss(scores, m_step_alpha(scores, alpha, imperfect, ones)[imperfect], ones)
    assert after <= before


def test_entropy_needs_the_ratio_to_stay_off_one_class():
    X, y, truth = two_gaussians(np.random.RandomState(0), n_labeled=1, distance=5.0)
    held = EntropyMinimization().fit(X, y)
    assert (held.transduction_ == truth).mean() > 0.97
    np.testing.assert_allclose(held.posterior_[y < 0].mean(axis=0), 0.5, atol=0.05)


def test_entropy_falls_as_its_cost_rises():
    X, y, _, _ = drawn(3)
    doubt = []
    for cost in (0.0, 0.1, 1.0):
        P = EntropyMinimization(C=1.0, C_unlabeled=cost).fit(X, y).posterior_[y < 0]
        doubt.append(-(P * np.log(np.maximum(P, 1e-300))).sum())
    assert doubt[0] > doubt[1] > doubt[2]


@pytest.mark.parametrize("model", [EntropyMinimization, MislabelLogistic])
def test_bad_input(model):
    X, y, _, _ = drawn(3)
    with pytest.raises(InputError, match="C=0"):
        model(C=0).fit(X, y)
    with pytest.warns(NotConvergedWarning, match="raise max_iter=1"):
        model(max_iter=1, tol=1e-12).fit(X, y)
    X[y < 0] = 1.0
    assert np.isfinite(model().fit(np.column_stack([X, X]), y).posterior_).all()


def test_bad_noisy_labels():
    X, y, _, _ = drawn(3)
    with pytest.raises(InputError, match="noisy_labels has 2 entries"):
        MislabelLogistic().fit(X, y, noisy_labels=[0, 1])
    with pytest.raises(LabelError, match="not among the 3 known classes"):
        MislabelLogistic().fit(X, y, noisy_labels=np.full(len(y), 7))
    with pytest.raises(InputError, match="class_ratio"):
        EntropyMinimization(class_ratio=[0.5, 0.5]).fit(X, y)

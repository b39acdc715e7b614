import numpy as np
import pytest

import smatter
from smatter.errors import LabelError
from smatter.models.aspects import _choice


def two_topics_in_one_class(rng, n=120):
    P = rng.dirichlet(np.full(40, 0.1), size=3)
    topic = np.arange(n) % 3
    X = np.array([rng.multinomial(40, P[t]) for t in topic], dtype=float)
    return X, np.where(topic == 2, "b", "a")


@pytest.mark.parametrize("how", ["cv", "heterogeneity", "aic"])
def test_every_way_of_choosing_makes_a_model(how):
    X, y = two_topics_in_one_class(np.random.default_rng(0))
    model = smatter.PLSA(how).fit(X, y)
    assert (model.predict(X) == y).mean() > 0.95
    assert np.bincount(model.aspect_class_).min() >= 1


def test_the_class_of_two_topics_is_split():
    X, y = two_topics_in_one_class(np.random.default_rng(1))
    model = smatter.PLSA("heterogeneity").fit(X, y)
    assert np.bincount(model.aspect_class_)[0] > np.bincount(model.aspect_class_)[1] or len(model.aspect_class_) == 4


def test_heterogeneity_is_the_mean_divergence():
    rng = np.random.default_rng(2)
    X, D, W = rng.poisson(2, (5, 6)) + 1.0, rng.dirichlet(np.ones(2), size=5), rng.dirichlet(np.ones(6), size=2).T
    shares = X / X.sum(axis=1, keepdims=True)
    expected = [
        sum(D[x, a] * (shares[x] * np.log(shares[x] / W[:, a])).sum() for x in range(5)) / D[:, a].sum()
        for a in range(2)
    ]
    np.testing.assert_allclose(_choice.heterogeneity(X, D, W), expected)


def test_cross_validation_needs_two_labels_of_a_class():
    with pytest.raises(LabelError, match="at least 2 labeled documents"):
        smatter.PLSA("cv").fit(np.eye(4), ["a", "a", "b", ""])

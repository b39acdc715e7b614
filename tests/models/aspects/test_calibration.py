import numpy as np
import pytest

import smatter
from smatter.models.aspects import _calibration


def test_sharpening_keeps_rows_that_sum_to_one():
    shares = np.random.default_rng(0).dirichlet(np.ones(4), size=10)
    np.testing.assert_allclose(_calibration.sharpen(shares, 1.0), shares)
    np.testing.assert_allclose(_calibration.sharpen(shares, 7.0).sum(axis=1), 1)
    np.testing.assert_array_equal(_calibration.sharpen(shares, 7.0).argmax(axis=1), shares.argmax(axis=1))


def test_the_exponent_that_made_the_labels_is_found():
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.full(3, 5.0), size=4000)
    true = _calibration.sharpen(shares, 6.0)
    codes = (true.cumsum(axis=1) < rng.random((4000, 1))).sum(axis=1)
    assert _calibration.fit_exponent(shares, codes) == pytest.approx(6.0, rel=0.15)


def test_a_document_left_out_does_not_see_its_own_words():
    """A word that one labeled document alone has may not speak for the class of that document."""
    X = np.array([[5, 1, 0, 1], [5, 1, 0, 0], [0, 1, 5, 0], [0, 1, 5, 0]], dtype=float)
    model = smatter.PLSA(1, smoothing=0.01).fit(X, [0, 0, 1, 1])
    assert model.predict_proba(np.array([[0, 0, 0, 3.0]])).argmax() == 0
    assert 0.25 <= model.exponent_ <= 512

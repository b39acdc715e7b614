"""What the issue asks of real collections at 5 % labeled, with the settings that come."""

import numpy as np
import pytest

from smatter import SoftMislabelPLSA
from smatter.experiments.inputs import counts

pytestmark = [pytest.mark.data, pytest.mark.slow]
DRAWS = 3  # one draw of labels moves the accuracy by a point


def calibration_error(posterior, right, bins=15):
    """Σ over bins of confidence of |accuracy − mean confidence|, weighted by the documents of a bin."""
    sure = posterior.max(axis=1)
    of_bin = np.minimum((sure * bins).astype(int), bins - 1)
    return sum(abs((sure - right)[of_bin == i].sum()) for i in range(bins)) / len(right)


@pytest.mark.parametrize(("name", "least"), [("20newsgroups", 0.80), ("webkb", 0.77), ("reuters", 0.88)])
def test_accuracy_and_calibration(name, least):
    counted = counts(name)
    truth = counted.labels.astype(str)
    results = []
    for draw in range(DRAWS):
        rng = np.random.default_rng(draw)
        new = rng.random(len(truth)) < 0.2
        y = np.where(rng.random(len(truth)) < 0.05, truth, None)
        model = SoftMislabelPLSA(2).fit(counted.X[~new], y[~new])
        posterior = model.predict_proba(counted.X[new])
        right = model.classes_[posterior.argmax(axis=1)] == truth[new]
        results.append((right.mean(), calibration_error(posterior, right)))
    accuracy, error = np.mean(results, axis=0)
    assert accuracy >= least
    assert error <= 0.05

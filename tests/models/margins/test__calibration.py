import numpy as np
import pytest
from scipy.special import softmax

from smatter.models.margins._calibration import fit_temperature


@pytest.mark.parametrize("temperature", [0.2, 1.0, 4.0])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_recovers_the_temperature_that_drew_the_labels(temperature, n_classes):
    draw = np.random.RandomState(0)
    scores = temperature * 2.0 * draw.normal(size=(20_000, n_classes))
    P = softmax(scores / temperature, axis=1)
    codes = (draw.uniform(size=(len(P), 1)) > P.cumsum(axis=1)).sum(axis=1)
    given = scores[:, 1] - scores[:, 0] if n_classes == 2 else scores
    np.testing.assert_allclose(fit_temperature(given, codes), temperature, rtol=0.05)


def test_rows_all_on_their_side_leave_it_above_zero():
    codes = np.repeat([0, 1], 5)
    assert fit_temperature(np.where(codes == 1, 1.0, -1.0), codes) > 0.1

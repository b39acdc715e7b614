import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from smatter.models.margins.annealed_s3vm import entropy, label_gain, soft_labels


@pytest.mark.parametrize("temperature", [0.01, 0.5, 10.0])
def test_soft_labels_meet_the_ratio_and_are_the_minimum(temperature):
    draw = np.random.RandomState(0)
    scores = draw.normal(size=200)
    gain = label_gain(scores)
    p = soft_labels(gain, 0.3, temperature)
    np.testing.assert_allclose(p.mean(), 0.3, atol=1e-6)

    def cost(probability):
        return float(-probability @ gain - temperature * entropy(probability).sum())

    for _ in range(20):  # moves along the constraint only raise it
        room = np.minimum(p, 1.0 - p)
        direction = (draw.normal(size=200)) * room
        direction -= room * direction.sum() / room.sum()
        step = minimize_scalar(lambda s, d=direction: cost(p + s * d), bounds=(-1e-3, 1e-3), method="bounded")
        assert step.fun >= cost(p) - 1e-6

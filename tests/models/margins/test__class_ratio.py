import numpy as np
import pytest

from smatter.labels import encode_labels
from smatter.models.margins._class_ratio import resolve_class_ratio

LABELS = encode_labels([0, 0, 0, 1, *[-1] * 20])
ONES = np.ones(24)


@pytest.mark.parametrize(
    ("ratio", "strength", "expected"),
    [
        (None, np.inf, [0.75, 0.25]),
        ("uniform", np.inf, [0.5, 0.5]),
        ([0.9, 0.1], np.inf, [0.9, 0.1]),
        ("uniform", 4.0, [5 / 8, 3 / 8]),
        ([0.25, 0.75], 0.0, [0.75, 0.25]),
    ],
)
def test_given_estimated_or_from_a_prior(ratio, strength, expected):
    np.testing.assert_allclose(resolve_class_ratio(ratio, strength, LABELS, ONES), expected)


def test_weights_count():
    weights = ONES.copy()
    weights[3] = 3.0
    np.testing.assert_allclose(resolve_class_ratio(None, np.inf, LABELS, weights), [0.5, 0.5])

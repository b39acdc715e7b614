import numpy as np
import pytest

from smatter.kernels import aspects as kernels


@pytest.mark.parametrize("x", [1e-30, 1e-8, 0.3, 0.99, 1.0, 1.5, 7e4])
def test_logarithm(x):
    assert kernels.log_of(np.float32(x)) == pytest.approx(np.log(np.float32(x)), rel=3e-7, abs=1e-7)


def test_logarithm_without_the_jit():
    body = getattr(kernels.log_of, "py_func", kernels.log_of)
    assert body(np.float32(0.3)) == pytest.approx(np.log(0.3), rel=1e-6)

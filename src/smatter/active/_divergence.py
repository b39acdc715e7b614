"""Disagreement of several posteriors about the same rows."""

from collections.abc import Sequence

import numpy as np

from smatter.active.state import Floats


def divergence_to_mean(posteriors: Sequence[Floats]) -> Floats:
    """1/k Σ_m KL(P_m(y|x) ‖ P̄(y|x)) of each row, P̄ the mean of the k posteriors; between 0 and log k.

    >>> sure = np.array([[1.0, 0.0]])
    >>> divergence_to_mean([sure, sure[:, ::-1]]).round(4).tolist()
    [0.6931]
    """
    mean = np.mean(posteriors, axis=0)
    log_mean = _log(mean)
    total = np.zeros(len(mean))
    for P in posteriors:
        total += np.einsum("ij,ij->i", P, _log(P) - log_mean)
    return np.maximum(total / len(posteriors), 0.0)


def _log(P: Floats) -> Floats:
    return np.log(np.maximum(P, np.finfo(np.float64).tiny))

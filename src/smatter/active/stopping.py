"""When to stop asking. A rule looks at a session and gives its reason to stop, or None."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from smatter.active.session import Session
from smatter.active.state import Floats
from smatter.errors import InputError, LabelError
from smatter.evaluate.curves import learning_curve, summarize
from smatter.evaluate.protocols import Protocol, Share
from smatter.labels import Codes
from smatter.validation import Number, Rules, check_parameters


class StoppingRule:
    """Base of the rules."""

    rules: ClassVar[Rules] = {}

    def __post_init__(self) -> None:
        check_parameters(self, self.rules)

    def reason(self, session: Session) -> str | None:
        """Say why to stop, or None to go on."""
        raise NotImplementedError


@dataclass(frozen=True)
class LabelBudget(StoppingRule):
    """So many labels and no more.

    Examples
    --------
    >>> LabelBudget(100)
    LabelBudget(labels=100)

    """

    rules: ClassVar[Rules] = {"labels": Number(1, whole=True)}
    labels: int

    def reason(self, session: Session) -> str | None:
        """Stop when the labels are there, or nothing is left to ask."""
        if not len(session.open_rows):
            return "every row has been answered"
        if session.n_labels >= self.labels:
            return f"{session.n_labels} labels are there, of a budget of {self.labels}"
        return None


@dataclass(frozen=True)
class StablePredictions(StoppingRule):
    """The decisions about all rows hardly change any more: Cohen's κ between models ``step`` rounds apart.

    Parameters
    ----------
    agreement : float, default 0.99
        The mean κ from which on to stop.
    step : int, default 10
        Rounds between two models that are compared; neighbors always agree.
    comparisons : int, default 3
        How many of the latest comparisons the mean is of.

    References
    ----------
    M. Bloodgood and K. Vijay-Shanker, A method for stopping active learning based on stabilizing predictions and the
    need for user-adjustable stopping, CoNLL 2009.

    Examples
    --------
    >>> StablePredictions(agreement=0.999)
    StablePredictions(agreement=0.999, step=10, comparisons=3)

    """

    rules: ClassVar[Rules] = {
        "agreement": Number(0, 1),
        "step": Number(1, whole=True),
        "comparisons": Number(1, whole=True),
    }
    agreement: float = 0.99
    step: int = 10
    comparisons: int = 3

    def reason(self, session: Session) -> str | None:
        """Stop when the latest models agree."""
        looked_at = session.decisions[:: -self.step][: self.comparisons + 1]
        if len(looked_at) <= self.comparisons:
            return None
        mean = float(np.mean([cohen_kappa(now, before) for now, before in pairwise(looked_at)]))
        if mean < self.agreement:
            return None
        rounds = self.step * self.comparisons
        return f"the decisions of the last {rounds} rounds agree (κ = {mean:.4f}, of {self.agreement:g})"


def cohen_kappa(first: Codes, second: Codes) -> float:
    """Agreement beyond chance, (p_o − p_e) / (1 − p_e); 1 where both decide everything alike.

    >>> cohen_kappa(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))
    0.5
    """
    K = int(max(first.max(), second.max())) + 1
    observed = float((first == second).mean())
    chance = float(np.bincount(first, minlength=K) @ np.bincount(second, minlength=K)) / len(first) ** 2
    return 1.0 if observed == 1.0 else (observed - chance) / (1.0 - chance)


@dataclass(frozen=True)
class Gain:
    """What the next labels will bring: the expected gain and a 90 % interval."""

    next_labels: int
    expected: float
    low: float
    high: float


@dataclass(frozen=True)
class SmallGain(StoppingRule):
    """The next n labels are not expected to be worth it, even at the upper end of the interval.

    F against labels is measured on held-out labels of the session, then extrapolated; see :func:`extrapolate`. Rows
    that were asked are harder than others: F is too low there, its gain is what counts.

    Parameters
    ----------
    next_labels : int, default 50
        n.
    gain : float, default 0.01
        The gain of F from which on n more labels are worth it.
    at_least : int, default 40
        Labels before the first look.
    every : int, default 10
        Labels between two looks, each of which fits the model fifteen times.

    Examples
    --------
    >>> SmallGain(next_labels=100)
    SmallGain(next_labels=100, gain=0.01, at_least=40, every=10)

    """

    rules: ClassVar[Rules] = {
        "next_labels": Number(1, whole=True),
        "gain": Number(0),
        "at_least": Number(10, whole=True),
        "every": Number(1, whole=True),
    }
    next_labels: int = 50
    gain: float = 0.01
    at_least: int = 40
    every: int = 10

    def reason(self, session: Session) -> str | None:
        """Stop when the upper end of the interval is below the gain."""
        if session.model is None or session.n_labels < self.at_least or session.n_labels % self.every:
            return None
        curve = held_out_curve(session.model, session.X, session.y, seed=session.seed)
        if curve is None:
            return None
        found = extrapolate(*curve, self.next_labels)
        if found.high >= self.gain:
            return None
        return (
            f"{self.next_labels} more labels are expected to raise F by {found.expected:.4f} ({found.low:.4f} to "
            f"{found.high:.4f}), less than {self.gain:g}"
        )


_SHARES = (0.4, 0.55, 0.7, 0.85, 1.0)


def held_out_curve(model: Any, X: Any, y: ArrayLike, *, seed: int = 0) -> tuple[list[float], list[float]] | None:
    """F on held-out labels when the model is shown 40 … 100 % of the others; None where the labels are too few.

    All rows without a label take part in each of the fits, as they do in the session.
    """
    protocol = Protocol(folds=3, seed=seed)
    try:
        records = learning_curve({"model": clone(model)}, X, y, [Share(s) for s in _SHARES], protocol=protocol)
    except LabelError:
        return None
    points = summarize(records, "micro_f")
    labels = [float(np.mean([r["n_labeled"] for r in records if r["x"] == point.x])) for point in points]
    return labels, [point.mean for point in points]


def extrapolate(labels: ArrayLike, scores: ArrayLike, next_labels: int, *, draws: int = 4000) -> Gain:
    """Extrapolate F(n) = a − b n^(−c) and return what the next labels bring, with a 90 % interval.

    For each c of a grid, a and b follow by least squares; the grid is weighted by the likelihood, and what is drawn
    from all of it (b not below 0) gives the interval.

    Parameters
    ----------
    labels, scores : array-like of length of at least 4
        The learning curve so far.
    next_labels : int
        How many more there would be.
    draws : int, default 4000
        From the posterior, with a fixed seed.

    Examples
    --------
    >>> n = np.array([20, 40, 60, 80, 100])
    >>> round(extrapolate(n, 0.9 - 2 / n, 100).expected, 3)
    0.01

    """
    n, f = np.asarray(labels, dtype=np.float64), np.asarray(scores, dtype=np.float64)
    if len(n) != len(f) or len(n) < 4 or (n <= 0).any() or len(np.unique(n)) < 3 or not np.isfinite(f).all():
        raise InputError(
            f"A learning curve of {len(n)} numbers and {len(f)} scores cannot be extrapolated; it needs four points at "
            "least, with labels above 0: measure more often."
        )
    fits = [_least_squares(n, f, c) for c in _POWERS]
    freedom = len(n) - 2
    errors = np.array([fit[2] for fit in fits])
    weights = (errors / errors.min()) ** (-0.5 * freedom)
    random = np.random.default_rng(0)
    chosen = random.choice(len(_POWERS), draws, p=weights / weights.sum())
    slope, spread = np.array([fit[0] for fit in fits])[chosen], np.array([fit[1] for fit in fits])[chosen]
    variance = errors[chosen] / random.chisquare(freedom, draws)
    b = np.maximum(slope + np.sqrt(variance) * spread * random.standard_normal(draws), 0.0)
    last = n.max()
    gains = b * (last ** -_POWERS[chosen] - (last + next_labels) ** -_POWERS[chosen])
    low, high = np.quantile(gains, [0.05, 0.95])
    return Gain(next_labels, float(gains.mean()), float(low), float(high))


_POWERS = np.geomspace(0.1, 2.0, 40)
_LEAST_ERROR = 1e-12  # the sum of squares of a perfect fit


def _least_squares(n: Floats, f: Floats, c: float) -> tuple[float, float, float]:
    """Return b, its standard error in units of σ, and the sum of squared residuals."""
    z = -(n**-c)
    centered = z - z.mean()
    square = float(centered @ centered)
    b = float(centered @ f) / square
    residuals = f - f.mean() - b * centered
    return b, 1.0 / np.sqrt(square), float(residuals @ residuals) + _LEAST_ERROR

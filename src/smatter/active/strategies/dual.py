"""I12: from dense regions to the boundary, when the first cease to pay (DUAL)."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from smatter.active.state import Floats, State
from smatter.active.strategies.density import Density
from smatter.active.strategy import Strategy
from smatter.validation import Number, Rules


@dataclass(frozen=True)
class Dual(Strategy):
    """Density-weighted uncertainty first, then a mixture that leans to uncertainty as the residual error falls.

    With e(x) = 1 − max_y P(y|x), the expected error on a row, and ε its mean over the unlabeled rows, the utility is
    p(x) e(x) until a question lowers ε by less than ``threshold``; from then on (1 − ε) e(x) + ε p(x).

    Parameters
    ----------
    threshold : float, default 0.001
        The fall of ε a round, averaged over ``window`` rounds, below which density no longer pays.
    window : int, default 5
        Rounds to average over: ε goes up and down.
    density : Strategy, default Density()
        p(x), between 0 and 1.

    References
    ----------
    P. Donmez, J. Carbonell and P. Bennett, Dual strategy active learning, ECML 2007. The density there is a mixture of
    Gaussians; here it is one for documents.

    Examples
    --------
    >>> Dual().switched((0.5, 0.4, 0.3, 0.2, 0.1, 0.0)), Dual().switched((0.5, 0.4, 0.4, 0.4, 0.4, 0.5))
    (False, True)

    """

    rules: ClassVar[Rules] = {"threshold": Number(0), "window": Number(1, whole=True)}
    threshold: float = 0.001
    window: int = 5
    density: Strategy = field(default_factory=Density)

    def utility(self, state: State) -> Floats:
        """Return p e before the switch, (1 − ε) e + ε p after it."""
        error = np.maximum(1.0 - state.posterior[state.candidates].max(axis=1), 0.0)
        density = self.density.utility(state)
        if not self.switched(state.residual_errors):
            return density * error
        residual = state.residual_errors[-1]
        return (1.0 - residual) * error + residual * density

    def switched(self, residual_errors: tuple[float, ...]) -> bool:
        """Say whether ε has once fallen too slowly; there is no way back."""
        values = np.asarray(residual_errors)
        if len(values) <= self.window:
            return False
        falls = (values[: -self.window] - values[self.window :]) / self.window
        return bool((falls < self.threshold).any())

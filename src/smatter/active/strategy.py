"""What every query strategy shares: it may be multiplied with another, or cut a shortlist for another."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from smatter.active.state import State
from smatter.errors import InputError
from smatter.validation import Number, Rules, check_parameters

Floats = NDArray[np.float64]


class Strategy:
    """A rule that says which rows to ask about.

    A subclass writes ``utility`` and states its parameter ``rules``. Strategies compose: ``a * b`` asks for rows that
    are good by both, ``a.then(b, n)`` lets b choose among the n best of a.
    """

    rules: ClassVar[Rules] = {}

    def __post_init__(self) -> None:
        check_parameters(self, self.rules)

    def utility(self, state: State) -> Floats:
        """One finite number for each row of ``state.candidates``; larger is asked first."""
        raise NotImplementedError

    def __mul__(self, other: "Strategy") -> "Strategy":
        return Product(self, other)

    def then(self, other: "Strategy", shortlist: int = 50) -> "Strategy":
        """Let another strategy choose among the best rows of this one."""
        return Then(self, other, shortlist)

    def __str__(self) -> str:
        return type(self).__name__


@dataclass(frozen=True)
class Product(Strategy):
    """a(x) · b(x): both must be 0 or more everywhere.

    Examples
    --------
    >>> from smatter import ClassEntropy, Density
    >>> print(ClassEntropy() * Density())
    ClassEntropy * Density

    """

    first: Strategy
    second: Strategy

    def utility(self, state: State) -> Floats:
        """The product of both utilities."""
        return self._factor(self.first, state) * self._factor(self.second, state)

    @staticmethod
    def _factor(strategy: Strategy, state: State) -> Floats:
        values = strategy.utility(state)
        if values.size and values.min() < 0:
            raise InputError(
                f"{strategy} gives a utility of {values.min():g}; factors of a product must be 0 or more, for the "
                f"order of negative ones would turn around: write {strategy}().then(...) in place of the product."
            )
        return values

    def __str__(self) -> str:
        return f"{self.first} * {self.second}"


@dataclass(frozen=True)
class Then(Strategy):
    """b among the ``shortlist`` best rows of a; the others are not asked in this round.

    Examples
    --------
    >>> from smatter import ClassEntropy, ExpectedErrorReduction
    >>> print(ClassEntropy().then(ExpectedErrorReduction(), shortlist=100))
    ClassEntropy then ExpectedErrorReduction

    """

    rules: ClassVar[Rules] = {"shortlist": Number(1, whole=True)}
    first: Strategy
    second: Strategy
    shortlist: int = 50

    def utility(self, state: State) -> Floats:
        """The second strategy's utility on the shortlist."""
        return on_part(self.second, state, best(self.first.utility(state), self.shortlist, state))

    def __str__(self) -> str:
        return f"{self.first} then {self.second}"


NEVER = -np.inf  # the utility of a row that is left out for now


def best(values: Floats, n: int, state: State) -> NDArray[np.intp]:
    """Positions of the n largest values, best first; ties in an order that the seed and the round decide."""
    shuffled = state.random(_TIES).permutation(len(values))
    order = np.argsort(-values[shuffled], kind="stable")
    order = shuffled[order]
    return order[values[order] > NEVER][:n]


_TIES = 1


def on_part(strategy: Strategy, state: State, positions: NDArray[np.intp]) -> Floats:
    """Ask a strategy about some of the candidates only; the others get ``NEVER``."""
    values = np.full(len(state.candidates), NEVER)
    part = np.sort(positions)
    values[part] = strategy.utility(state.among(state.candidates[part]))
    return values

"""Finds the query strategies by walking their folder, and reads them from a line of text."""

from difflib import get_close_matches
from importlib import import_module

from smatter.active.strategy import Strategy
from smatter.errors import InputError
from smatter.registry import public_names


def strategies() -> dict[str, type[Strategy]]:
    """Return every strategy by its name.

    >>> "ClassEntropy" in strategies()
    True
    """
    found = {
        name: getattr(import_module(module), name)
        for name, module in public_names().items()
        if module.startswith("smatter.active.strategies.")
    }
    return {name: found[name] for name in sorted(found) if issubclass(found[name], Strategy)}


def read_strategy(text: str) -> Strategy:
    """Make a strategy from its name, in any case; ``A*B`` is a product, ``A>B`` lets B choose among the best of A.

    >>> print(read_strategy("committeedisagreement*density"))
    CommitteeDisagreement * Density
    """
    first, sign, rest = text.partition(">")
    if sign:
        return read_strategy(first).then(read_strategy(rest))
    factors = [_named(name.strip()) for name in text.split("*")]
    product = factors[0]
    for factor in factors[1:]:
        product = product * factor
    return product


def _named(name: str) -> Strategy:
    known = strategies()
    by_lower = {own.lower(): own for own in known}
    if name.lower() not in by_lower:
        close = get_close_matches(name.lower(), by_lower, n=1, cutoff=0.5)
        meant = f" Did you mean {by_lower[close[0]]}?" if close else ""
        raise InputError(f"There is no strategy {name!r}; there are {', '.join(known)}: choose one.{meant}")
    return known[by_lower[name.lower()]]()

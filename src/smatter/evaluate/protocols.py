"""How an evaluation is laid out: its splits, its label budgets, its repeats, all of it decided by one seed."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

import numpy as np

from smatter.errors import InputError
from smatter.evaluate.splits import Rows, Split, choose_per_class, choose_share, k_folds, shuffled_split
from smatter.labels import Codes

_DRAW, _MODEL, _SPLIT = range(3)  # what a seed is for: two uses never share one


@dataclass(frozen=True, order=True)
class Share:
    """A label budget: this share of the training rows keeps its label."""

    share: float

    @property
    def x(self) -> float:
        """Where the budget stands on the axis of a learning curve."""
        return 100 * self.share

    def __str__(self) -> str:
        return f"{100 * self.share:.10g}%"


@dataclass(frozen=True, order=True)
class PerClass:
    """A label budget: this many training rows of each class keep their label."""

    rows: int

    @property
    def x(self) -> float:
        """Where the budget stands on the axis of a learning curve."""
        return float(self.rows)

    def __str__(self) -> str:
        return f"{self.rows} per class"


Budget = Share | PerClass


def percent(*values: float) -> tuple[Share, ...]:
    """Return budgets from shares in percent.

    >>> [str(budget) for budget in percent(0.3, 1, 100)]
    ['0.3%', '1%', '100%']
    """
    return tuple(Share(round(value / 100, 12)) for value in values)


@dataclass(frozen=True)
class Protocol:
    """Splits × starts. Each start of each fold draws its own labels and gives the model its own seed.

    The draw depends on fold and start alone: every method sees the same rows with the same labels (so that tests may
    be paired), and the labels of a small budget are among those of any larger one.

    Parameters
    ----------
    kind : {"k_fold", "shuffled", "transductive"}
        K disjoint test parts; independent random splits with ``train_share`` and ``test_share``; or no test part: all
        rows train, those whose label is not shown are judged, and a fold is one more draw of labels.
    folds, starts : int
        How many splits, and how many repeats on each.
    train_share, test_share : float, optional
        Of the random splits; ``test_share`` None tests all that does not train.
    stratified_folds : bool
        Keep the classes' proportions in the split.
    stratified, every_class : bool
        As in :func:`smatter.evaluate.splits.choose_share`.
    seed : int
        Decides everything.

    Examples
    --------
    >>> protocol = Protocol("shuffled", folds=5, starts=5, train_share=0.4)
    >>> codes = np.arange(100) % 2
    >>> split = protocol.split(codes, fold=0)
    >>> len(split.train), len(protocol.draw(codes, split, Share(0.1), fold=0, start=0))
    (40, 4)

    """

    kind: str = "k_fold"
    folds: int = 10
    starts: int = 1
    train_share: float | None = None
    test_share: float | None = None
    stratified_folds: bool = True
    stratified: bool = True
    every_class: bool = True
    seed: int = 0

    def __post_init__(self) -> None:
        if self.kind not in _KINDS:
            raise InputError(f"kind={self.kind!r} must be {' or '.join(map(repr, sorted(_KINDS)))}: change kind.")
        for name in ("folds", "starts"):
            if getattr(self, name) < 1:
                raise InputError(f"{name}={getattr(self, name)} must be at least 1: change {name}.")
        if self.kind == "shuffled" and self.train_share is None:
            raise InputError("train_share=None, but kind='shuffled' needs a number above 0 and at most 1: set it.")

    def split(self, codes: Codes, fold: int) -> Split:
        """Return the training and test rows of a fold."""
        return _KINDS[self.kind](self, codes, fold)

    def draw(self, codes: Codes, split: Split, budget: Budget, fold: int, start: int) -> Rows:
        """Return the rows of the training part that keep their labels, as positions in the collection."""
        seed = self._seed(_DRAW, fold, start)
        trained = codes[split.train]
        if isinstance(budget, PerClass):
            return split.train[choose_per_class(trained, budget.rows, seed=seed)]
        chosen = choose_share(
            trained, budget.share, seed=seed, stratified=self.stratified, every_class=self.every_class
        )
        return split.train[chosen]

    def model_seed(self, fold: int, start: int) -> int:
        """Return the ``random_state`` of the model in this fold and start."""
        return self._seed(_MODEL, fold, start)

    def test_to_train(self, codes: Codes) -> float:
        """Return n_test/n_train, which the corrected resampled t-test needs."""
        split = self.split(codes, 0)
        return (len(split.test) or len(split.train)) / len(split.train)

    def _seed(self, purpose: int, fold: int, start: int) -> int:
        sequence = np.random.SeedSequence([self.seed, purpose, fold, start])
        return int(sequence.generate_state(1)[0])

    def _k_fold(self, codes: Codes, fold: int) -> Split:
        folds = k_folds(codes, self.folds, seed=self.seed, stratified=self.stratified_folds)
        return next(islice(folds, fold, None))

    def _shuffled(self, codes: Codes, fold: int) -> Split:
        assert self.train_share is not None
        seed = self._seed(_SPLIT, fold, 0)
        return shuffled_split(codes, self.train_share, self.test_share, seed=seed, stratified=self.stratified_folds)

    def _transductive(self, codes: Codes, fold: int) -> Split:
        return Split(np.arange(len(codes)), np.arange(0))


_KINDS: dict[str, Callable[[Protocol, Codes, int], Split]] = {
    "k_fold": Protocol._k_fold,
    "shuffled": Protocol._shuffled,
    "transductive": Protocol._transductive,
}

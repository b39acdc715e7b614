"""Who trains, who tests, and which training rows keep their labels.

Everything here works on label codes (``smatter.labels``). Rows that have no label to begin with always train: they can
be neither tested nor chosen. Every function takes a whole-number seed and gives the same rows for the same seed.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smatter.errors import InputError, LabelError
from smatter.labels import UNLABELED, Codes, encode_labels
from smatter.model_selection import LabeledKFold

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Split:
    """The positions of the training and of the test rows, both sorted."""

    train: Rows
    test: Rows


def k_folds(codes: Codes, n_folds: int = 10, *, seed: int = 0, stratified: bool = True) -> Iterator[Split]:
    """Yield the K splits of a K-fold cross-validation over the labeled rows.

    >>> [split.test.tolist() for split in k_folds(np.array([0, 1, 0, 1]), 2)]
    [[2, 3], [0, 1]]
    """
    folds = LabeledKFold(n_folds, stratified=stratified, random_state=_as_seed(seed))
    placeholder = np.empty((len(codes), 0))
    for train, test in folds.split(placeholder, codes):
        yield Split(train, test)


def shuffled_split(
    codes: Codes, train_share: float, test_share: float | None = None, *, seed: int = 0, stratified: bool = False
) -> Split:
    """Draw one random split of the labeled rows; ``test_share`` None takes all that do not train.

    The training part has ⌊train_share · n⌋ of the n labeled rows. Shares that sum to less than 1 leave rows out.

    >>> split = shuffled_split(np.zeros(10, dtype=int), 0.6)
    >>> len(split.train), len(split.test)
    (6, 4)
    """
    _check_share("train_share", train_share)
    labeled = np.flatnonzero(codes != UNLABELED)
    n_train = _floor_of(train_share, len(labeled))
    n_test = len(labeled) - n_train if test_share is None else _floor_of(test_share, len(labeled))
    if min(n_train, n_test) < 1 or n_train + n_test > len(labeled):
        raise InputError(
            f"train_share={train_share} and test_share={test_share} of {len(labeled)} labeled rows make {n_train} "
            f"training and {n_test} test rows; each part needs one at least and both together fit into the rows: "
            "change the shares."
        )
    order = labeled[_labeling_order(codes[labeled], seed=seed, stratified=stratified, every_class=False)]
    train = np.concatenate([order[:n_train], np.flatnonzero(codes == UNLABELED)])
    # Stratified: the end of a proportional order is proportional too, so the test part may be cut from its end.
    return Split(np.sort(train), np.sort(order[len(order) - n_test :]))


def choose_share(
    codes: Codes, share: float, *, seed: int = 0, stratified: bool = True, every_class: bool = True
) -> Rows:
    """Choose the rows that keep their label: ⌊share · n⌋ of the n labeled rows, one at least.

    The choice is the beginning of one random order, which depends on the seed alone. So the rows of a small share are
    among those of any larger one, and a learning curve is smooth.

    Parameters
    ----------
    codes : array of int
        The codes of the training rows; those that are unlabeled already are never chosen.
    share : float
        Above 0, at most 1.
    seed : int, default 0
        The seed of the order.
    stratified : bool, default True
        Keep the classes' proportions in every beginning of the order, to within rounding.
    every_class : bool, default True
        Begin with one row of every class. A budget smaller than the number of classes holds as many classes as rows.

    Examples
    --------
    >>> codes = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    >>> codes[choose_share(codes, 0.5)].tolist()
    [0, 0, 0, 1]

    """
    _check_share("share", share)
    labeled = _labeled_rows(codes)
    n_chosen = max(1, _floor_of(share, len(labeled)))
    order = _labeling_order(codes[labeled], seed=seed, stratified=stratified, every_class=every_class)
    return np.sort(labeled[order[:n_chosen]])


def choose_per_class(codes: Codes, n_per_class: int, *, seed: int = 0) -> Rows:
    """Choose ``n_per_class`` labeled rows of every class; nested like those of :func:`choose_share`.

    >>> codes = np.array([0, 0, 0, 1, 1])
    >>> codes[choose_per_class(codes, 2)].tolist()
    [0, 0, 1, 1]
    """
    if isinstance(n_per_class, bool) or not isinstance(n_per_class, (int, np.integer)) or n_per_class < 1:
        raise InputError(f"n_per_class={n_per_class!r} must be a whole number of at least 1: change n_per_class.")
    labeled = _labeled_rows(codes)
    counts = np.bincount(codes[labeled])
    short = [code for code in np.unique(codes[labeled]) if counts[code] < n_per_class]
    if short:
        raise LabelError(
            f"n_per_class={n_per_class}, but the class with code {short[0]} has {counts[short[0]]} labeled training "
            "rows; each class must have that many: lower n_per_class or leave the class out."
        )
    order = labeled[_shuffle(len(labeled), seed)]
    rank = _rank_in_class(codes[order])
    return np.sort(order[rank < n_per_class])


def keep_labels(y: ArrayLike, rows: ArrayLike) -> NDArray[Any]:
    """Return a copy of ``y`` in which all rows but ``rows`` are unlabeled: −1 in whole numbers, None otherwise.

    >>> keep_labels(["ham", "spam", "ham"], [1]).tolist()
    [None, 'spam', None]
    """
    labels = encode_labels(y)
    whole = labels.classes.dtype.kind in "iu"
    kept = np.full(len(labels.codes), UNLABELED if whole else None, dtype=np.int64 if whole else object)
    chosen = np.asarray(rows, dtype=np.intp)
    chosen = chosen[labels.labeled[chosen]]
    kept[chosen] = labels.decode(labels.codes[chosen])
    return kept


def _labeling_order(codes: Codes, *, seed: int, stratified: bool, every_class: bool) -> Rows:
    """Return the random order in which rows get their labels; every beginning of it keeps what was asked."""
    shuffled = _shuffle(len(codes), seed)
    rank = _rank_in_class(codes[shuffled])
    key = np.zeros(len(codes))
    if stratified:
        # The i-th of n rows of a class stands at (i + ½)/n of the way: then every beginning is in proportion.
        key = (rank + 0.5) / np.bincount(codes)[codes[shuffled]]
    if every_class:
        key[rank == 0] = -1.0
    return shuffled[np.argsort(key, kind="stable")]


def _rank_in_class(codes: Codes) -> NDArray[np.int64]:
    """How many earlier rows have the same code."""
    by_class = np.argsort(codes, kind="stable")
    counts = np.bincount(codes)
    first = np.concatenate([[0], np.cumsum(counts)[:-1]])
    rank = np.empty(len(codes), dtype=np.int64)
    rank[by_class] = np.arange(len(codes)) - np.repeat(first, counts)
    return rank


def _shuffle(n: int, seed: int) -> Rows:
    return np.random.default_rng(_as_seed(seed)).permutation(n)


def _as_seed(seed: int) -> int:
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InputError(f"seed={seed!r} must be a whole number of at least 0: resolve it once and pass it down.")
    return int(seed)


def _labeled_rows(codes: Codes) -> Rows:
    labeled = np.flatnonzero(codes != UNLABELED)
    if len(labeled) == 0:
        raise LabelError("The training part has no labeled row; at least one label must be there to be kept: add some.")
    return labeled


def _floor_of(share: float, n: int) -> int:
    return math.floor(share * n + 1e-9)  # 0.29 · 100 is 28.999999999999996 in floating point


def _check_share(name: str, share: float) -> None:
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share <= 1:
        raise InputError(f"{name}={share!r} must be a number above 0 and at most 1 (5 % is 0.05): change {name}.")

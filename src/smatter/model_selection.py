"""Cross-validation that knows of unlabeled rows: they always train, only labeled rows are held out and scored."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import get_scorer
from sklearn.utils import _safe_indexing, check_random_state

from smatter.errors import InputError, LabelError
from smatter.labels import UNLABELED, Codes, encode_labels


class LabeledKFold:
    """K folds over the labeled rows; the unlabeled ones are in every training part and in no test part.

    Each fold holds every class in its share, as far as the counts allow. So ``GridSearchCV(model, grid,
    cv=LabeledKFold())`` and ``cross_val_score`` work as they are, with any scorer: it never meets an unlabeled row.

    Parameters
    ----------
    n_splits : int, default 5
        The number of folds, at least 2.
    stratified : bool, default True
        Spread each class evenly over the folds.
    random_state : int, RandomState or None, default 0
        The seed of the shuffling.

    Examples
    --------
    >>> y = ["a", "b", None, "a", "b", None]
    >>> for train, test in LabeledKFold(2).split(y, y):
    ...     print(train.tolist(), test.tolist())
    [0, 1, 2, 5] [3, 4]
    [2, 3, 4, 5] [0, 1]

    """

    def __init__(
        self, n_splits: int = 5, *, stratified: bool = True, random_state: int | np.random.RandomState | None = 0
    ) -> None:
        if isinstance(n_splits, bool) or not isinstance(n_splits, (int, np.integer)) or n_splits < 2:
            raise InputError(f"n_splits={n_splits!r} must be a whole number of at least 2: change n_splits.")
        self.n_splits = int(n_splits)
        self.stratified = stratified
        self.random_state = random_state

    def __repr__(self) -> str:
        return (
            f"LabeledKFold(n_splits={self.n_splits}, stratified={self.stratified}, random_state={self.random_state!r})"
        )

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def split(self, X: Any, y: ArrayLike, groups: Any = None) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Yield the positions of the training and of the test rows, fold by fold."""
        codes = encode_labels(y).codes
        n_labeled = int((codes != UNLABELED).sum())
        if n_labeled < self.n_splits:
            raise LabelError(
                f"{n_labeled} labeled rows cannot make {self.n_splits} folds; each fold tests at least one: "
                "lower n_splits or label more rows."
            )
        fold = self._assign(codes)
        for held_out in range(self.n_splits):
            yield np.flatnonzero(fold != held_out), np.flatnonzero(fold == held_out)

    def _assign(self, codes: Codes) -> NDArray[np.int64]:
        """Deal shuffled labeled rows out to the folds, class after class, like cards; −1 for the unlabeled."""
        shuffled = check_random_state(self.random_state).permutation(np.flatnonzero(codes != UNLABELED))
        if self.stratified:
            shuffled = shuffled[np.argsort(codes[shuffled], kind="stable")]
        fold = np.full(len(codes), -1, dtype=np.int64)
        fold[shuffled] = np.arange(len(shuffled)) % self.n_splits
        return fold


class _LabeledScorer:
    """Judges the labeled rows of a test part and drops the others."""

    def __init__(self, scorer: Callable[..., float]) -> None:
        self._scorer = scorer

    def __call__(self, estimator: Any, X: Any, y: ArrayLike) -> float:
        """Score the estimator on the rows that have a label."""
        labels = encode_labels(y)
        rows = np.flatnonzero(labels.labeled)
        if len(rows) == 0:
            raise LabelError(
                f"None of the {len(labels.codes)} test rows has a label; a score needs one at least: use LabeledKFold, "
                "which holds out labeled rows only."
            )
        return float(self._scorer(estimator, _safe_indexing(X, rows), labels.decode(labels.codes[rows])))

    def __repr__(self) -> str:
        return f"labeled_scorer({self._scorer!r})"


def labeled_scorer(scoring: str | Callable[..., float] = "accuracy") -> _LabeledScorer:
    """Make a scorer that never meets an unlabeled row, so that any cross-validation works on partly labeled data.

    With :class:`LabeledKFold` no such scorer is needed; with a splitter of scikit-learn, which also holds out unlabeled
    rows, it is.

    Parameters
    ----------
    scoring : str or callable, default "accuracy"
        A name that scikit-learn knows, or a function of ``(estimator, X, y)``.

    Examples
    --------
    >>> from sklearn.model_selection import KFold, cross_val_score
    >>> from sklearn.semi_supervised import SelfTrainingClassifier
    >>> from sklearn.naive_bayes import MultinomialNB
    >>> X, y = np.tile([[3, 0], [0, 3], [2, 1]], (4, 1)), [0, 1, -1] * 4
    >>> model = SelfTrainingClassifier(MultinomialNB())
    >>> cross_val_score(model, X, y, cv=KFold(2), scoring=labeled_scorer("f1_macro")).tolist()
    [1.0, 1.0]

    """
    return _LabeledScorer(get_scorer(scoring))

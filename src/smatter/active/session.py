"""Ask and tell: which row next, and what the answer was. No input or output: whoever talks to people drives it."""

from concurrent.futures import Executor
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from smatter.active._refitting import Refitting
from smatter.active._trace import Trace
from smatter.active.answers import Ledger, Receipt
from smatter.active.batches import choose_batch
from smatter.active.state import Floats, State
from smatter.active.strategies.class_entropy import ClassEntropy
from smatter.active.strategies.random_choice import RandomChoice
from smatter.active.strategy import Strategy
from smatter.errors import InputError
from smatter.labels import UNLABELED


class Session:
    """Ask for the rows that a strategy wants labeled, tell the answers, and the model follows.

    ``ask`` never waits for the model where an ``executor`` is given: it answers from the last one, and the new one is
    swapped in when it is ready. Without an executor the model is fitted in ``ask``, and the same seed asks the same
    questions. Until two classes have a label there is no model; questions are then random.

    Re-fitting is warm (``warm_start``) where the model can; whenever the labels are a tenth more than at the last fit
    from scratch, the next one is from scratch: EM that goes on from an early solution stays near it, and so do settings
    that a model chose from few labels.

    An answer is a label, perhaps of a class never seen before; a set of possible labels; ``Answer.SKIP`` (asked again
    when nothing else is left); ``Answer.UNSURE`` (never asked again). A later answer for the same row replaces the
    earlier one. A row need not have been asked. A row with several possible labels trains no model; its posterior is
    kept to them.

    Parameters
    ----------
    model : classifier
        Anything that fits labels with gaps and then has ``posterior_`` or ``predict_proba``; it is cloned.
    X : matrix of shape (n, d)
        All rows, labeled or not.
    y : array-like of shape (n,)
        The labels so far, unlabeled rows as in every model.
    strategy : Strategy, default ClassEntropy()
        What ranks the rows.
    executor : concurrent.futures.Executor, optional
        A thread pool in which models are fitted.
    seed : int, default 0
        Decides whatever is random.

    Examples
    --------
    >>> from smatter import NaiveBayesEM, Session
    >>> X = np.array([[4, 0, 0], [0, 4, 0], [3, 1, 0], [1, 3, 0], [2, 2, 1]])
    >>> session = Session(NaiveBayesEM(), X, ["sun", "rain", None, None, None])
    >>> row = int(session.ask()[0])
    >>> session.tell(row, "snow").new_class, session.classes.tolist()
    (True, ['rain', 'snow', 'sun'])

    """

    def __init__(
        self,
        model: Any,
        X: Any,
        y: ArrayLike,
        strategy: Strategy | None = None,
        *,
        executor: Executor | None = None,
        seed: int = 0,
    ) -> None:
        self.X = sp.csr_array(X) if sp.issparse(X) else np.asarray(X)
        self._ledger = Ledger(y)
        if self.X.ndim != 2 or self.X.shape[0] != len(self._ledger.codes) or not self.X.shape[0]:
            raise InputError(
                f"X has shape {self.X.shape} and y {len(self._ledger.codes)} labels; there must be a row at least, and "
                "one label a row (unlabeled is -1, None, '' or NaN): pass both for the same rows."
            )
        self.strategy = ClassEntropy() if strategy is None else strategy
        self.seed = seed
        self._refitting = Refitting(model, self.X, executor)
        self._trace = Trace()
        self._memory: dict[Any, Any] = {}

    # --- asking and telling -----------------------------------------------------------------------------------------

    def ask(self, n: int = 1) -> NDArray[np.intp]:
        """Return the n rows to ask about, the best first; fewer where fewer are left, none where all have an answer.

        Rows stay open until they are told: asking twice asks the same.
        """
        state = self.state()
        if not len(state.candidates):
            return np.empty(0, dtype=np.intp)
        strategy = self.strategy if self.model is not None else RandomChoice()
        rows = choose_batch(strategy.utility(state), state, n)
        self._ledger.asked.update(rows.tolist())
        return rows

    def tell(self, row: int, answer: Any) -> Receipt:
        """Take the answer for a row; say what became of it."""
        receipt = self._ledger.record(row, answer)
        if receipt.new_class:
            self._trace.widen(self.classes)
        self._take(self._refitting.start(self._ledger.y))
        return receipt

    def wait(self) -> Self:
        """Wait until the model knows all answers."""
        self._take(self._refitting.finish(self._ledger.y))
        return self

    # --- what is known ----------------------------------------------------------------------------------------------

    def state(self) -> State:
        """Return what a strategy looks at, with the newest model that is there."""
        self._take(self._refitting.newest(self._ledger.y))
        labels = self._ledger.labels
        return State(
            posterior=self._posterior(),
            labels=labels,
            candidates=self._ledger.open_rows,
            X=self.X,
            graph=getattr(self.model, "graph_", None),
            model=self.model,
            history=tuple(self._trace.posteriors),
            decisions=tuple(self._trace.decisions),
            residual_errors=tuple(self._trace.residual_errors),
            seed=self.seed,
            memory=self._memory,
        )

    @property
    def model(self) -> Any:
        """The last fitted model; None until two classes have a label."""
        return self._refitting.model

    @property
    def classes(self) -> NDArray[Any]:
        """All classes that have been named, sorted."""
        return self._ledger.classes

    @property
    def y(self) -> NDArray[Any]:
        """The labels so far, −1 or None where there is none."""
        return self._ledger.y

    @property
    def n_labels(self) -> int:
        """How many rows have a label."""
        return int((self._ledger.codes != UNLABELED).sum())

    @property
    def receipts(self) -> list[Receipt]:
        """Every answer in the order in which it came."""
        return list(self._ledger.receipts)

    @property
    def decisions(self) -> list[NDArray[np.int64]]:
        """The decided codes of all rows after each fit."""
        return list(self._trace.decisions)

    @property
    def open_rows(self) -> NDArray[np.intp]:
        """The rows that may be asked."""
        return self._ledger.open_rows

    # --- inside -----------------------------------------------------------------------------------------------------

    def _take(self, ready: list[Any]) -> None:
        """Remember what each newly fitted model says."""
        for model in ready:
            posterior = posterior_of(model, self.X)
            self._trace.add(posterior, model.classes_, self.classes, self._ledger.codes == UNLABELED)

    def _posterior(self) -> Floats:
        """What the last model says, kept to what has been answered since."""
        n, K = self.X.shape[0], len(self.classes)
        P = self._trace.posteriors[-1].copy() if self._trace.posteriors else np.full((n, K), 1.0 / max(K, 1))
        told = np.flatnonzero(self._ledger.codes != UNLABELED)
        P[told] = 0.0
        P[told, self._ledger.codes[told]] = 1.0
        for row, possible in self._ledger.possible.items():
            inside = np.array([label in possible for label in self.classes.tolist()])
            if inside.any():
                kept = np.where(inside, np.maximum(P[row], 1e-12), 0.0)
                P[row] = kept / kept.sum()
        return P


def posterior_of(model: Any, X: Any) -> Floats:
    """P(class | row) of all rows."""
    if hasattr(model, "posterior_"):
        return np.asarray(model.posterior_)
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(X))
    raise InputError(
        f"{type(model).__name__} has neither posterior_ nor predict_proba; questions need probabilities: choose a "
        "model that has them, or calibrate this one."
    )

"""The estimator that all aspect models share: start, EM loop, fold-in, posteriors. A variant fills in the hooks."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from smatter.labels import UNLABELED, Codes, Labels, encode_labels
from smatter.models.aspects import _calibration, _layout, _starts
from smatter.models.aspects._corpus import Corpus, Floats, Workers, build_corpus, only_labeled, workers
from smatter.models.aspects._em import Allowed, Solution, Step, Table, fold_in, rows_to_one
from smatter.models.aspects._explain import Explanations
from smatter.models.aspects._priors import Prior, Smoothing
from smatter.models.base import SemiSupervisedClassifier
from smatter.progress import Progress, report
from smatter.validation import (
    SEED,
    TRUTH,
    Instance,
    Matrix,
    Number,
    OneOf,
    Rules,
    check_matrix,
    check_parameters,
    check_weights,
)

_DECISION_ITERATIONS = 1  # a decision is one step of the fold-in: more steps cost time and bring nothing


class AspectModel(Explanations, SemiSupervisedClassifier):
    """P(w, x) = P(x) Σ_α P(w|α) P(α|x), where every aspect belongs to a class through P(y|α)."""

    nonnegative: ClassVar[bool] = True
    learns_from_unlabeled: ClassVar[bool] = True
    sklearn_exceptions: ClassVar[dict[str, str]] = {
        f"check_sample_weight_equivalence_on_{kind}_data": "sums are in float32: a document of weight 2 equals two "
        "copies to 1e-5, not to 1e-7"
        for kind in ("dense", "sparse")
    }
    rules: ClassVar[Rules] = {
        "aspects_per_class": (
            Number(1, whole=True),
            Instance((list, tuple, np.ndarray), "a list of one whole number a class"),
            OneOf(*_layout.CHOICES),
        ),
        "free_aspects": Number(0, whole=True),
        "max_iter": Number(1, whole=True),
        "tol": Number(0),
        "smoothing": Number(0),
        "count_exponent": Number(0, 1, above=True),
        "unlabeled_weight": Number(0, 1, above=True),
        "temperature": Number(0, 10, above=True),
        "n_init": Number(1, whole=True),
        "random_state": SEED,
        "warm_start": TRUTH,
    }

    def __init__(
        self,
        aspects_per_class: int | str | ArrayLike = 2,
        *,
        free_aspects: int = 0,
        max_iter: int = 30,
        tol: float = 1e-4,
        smoothing: float = 0.1,
        count_exponent: float = 0.5,
        unlabeled_weight: float = 0.1,
        temperature: float = 1.0,
        n_init: int = 1,
        random_state: int | np.random.RandomState | None = 0,
        warm_start: bool = False,
    ) -> None:
        self.aspects_per_class = aspects_per_class
        self.free_aspects = free_aspects
        self.max_iter = max_iter
        self.tol = tol
        self.smoothing = smoothing
        self.count_exponent = count_exponent
        self.unlabeled_weight = unlabeled_weight
        self.temperature = temperature
        self.n_init = n_init
        self.random_state = random_state
        self.warm_start = warm_start

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # scikit-learn's blobs are not counts
        return tags

    # --- what a variant may differ in -------------------------------------------------------------------------------

    def _aspect_weights(self, solution: Solution) -> Table:
        """g_α by kind of document (2K × A): labeled y, then unlabeled ỹ. Here g_α = P(y(x)|α), and 1 (B1, B2)."""
        return np.vstack([solution.class_given_aspect.T, np.ones_like(solution.class_given_aspect.T)])

    def _update_labels(self, solution: Solution, weights: Table) -> None:
        """Re-estimate what is not P(w|α) and P(α|x), from the sums by kind. Here P(y|α) of free aspects (B7)."""
        K = len(self.classes_)
        free = ~_layout.owned(self.aspect_class_)
        if free.any():
            solution.class_given_aspect[free] = rows_to_one(solution.by_kind[:K, free].T)

    def _decision_weights(self, solution: Solution) -> Table:
        """P(y|α) as it enters the decision P(y|x) ∝ Σ_α P(α|x) P(y|α)."""
        return solution.class_given_aspect

    def _prior(self, n_words: int, words: NDArray[np.float64]) -> Prior:
        return Smoothing(self.smoothing * n_words * words)

    # --- fitting ----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from counts X and labels y, where unlabeled is -1, None, "" or NaN; a weight is a number of copies."""
        last = getattr(self, "_solution", None) if self.warm_start else None
        known: Any = getattr(self, "classes_", None)
        X, labels, weights = self._open_fit(X, y, sample_weight)
        if last is not None and not (len(last.word_counts) == X.shape[1] and np.array_equal(known, self.classes_)):
            last = None  # other words or classes: nothing to go on from
        if last is None:
            self.aspect_class_ = _layout.lay_out_aspects(self, X, labels)
        return self._fit_from(X, labels, weights, last)

    def partial_fit(
        self, X: Any, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from more documents: what the ones before said of P(w|α) stays, as counts that the new ones add to.

        ``classes`` names all classes at the first call, where the first labels do not hold them all.
        """
        first = getattr(self, "_solution", None) is None
        if first and classes is None:
            return self.fit(X, y, sample_weight)
        check_parameters(self, self.rules)
        X = check_matrix(self, X, reset=first, nonnegative=True)
        labels = encode_labels(y, classes if first else self.classes_)
        _layout.check_batch(self, X, labels, first)
        self.classes_ = labels.classes
        if first:
            self.aspect_class_ = _layout.lay_out_aspects(self, X, labels)
        return self._fit_from(
            X, labels, check_weights(sample_weight, X), getattr(self, "_solution", None), add=not first
        )

    def _fit_from(
        self, X: Matrix, labels: Labels, weights: NDArray[np.float64], last: Solution | None, add: bool = False
    ) -> Self:
        _layout.warn_of_scarce_labels(self, labels)
        weights = np.where(labels.labeled, weights, self.unlabeled_weight * weights)
        corpus = build_corpus(X, labels.codes, len(labels.classes), weights, self.count_exponent)
        taking_part = corpus if self.learns_from_unlabeled else only_labeled(corpus)
        self._allowed = Allowed.of(_layout.class_given_aspect(self.aspect_class_, len(labels.classes)) > 0)
        if not add:
            self._word_prior = _word_prior(taking_part)
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=self.n_init)
        with workers() as run:
            before = last if add else None
            self.exponent_ = self._calibrate(taking_part, int(seeds[0]), run, before)
            step = self._step(taking_part, run, before)
            runs = [
                self._run(step, self._start(step, int(seed), last)) for seed in (seeds if last is None else seeds[:1])
            ]
            solution, objective, history = max(runs, key=lambda result: result[1][-1])
            self._solution, self._others = solution, [other for other, _, _ in runs if other is not solution]
            self._keep(corpus, history, run)
            return self._close_fit(self._training_posterior(corpus, run), objective)

    def _step(self, corpus: Corpus, run: Workers, before: Solution | None = None) -> Step:
        prior = self._prior(corpus.n_words, self._word_prior)
        return Step(corpus, self._allowed, prior, self.temperature, run, before)

    def _start(self, step: Step, seed: int, last: Solution | None) -> Solution:
        if last is not None:
            solution = _starts.restart(step, last)
        else:
            labeled = step if not self.learns_from_unlabeled else self._step(only_labeled(step.corpus), step.run)
            solution = _starts.random_start(labeled, self.aspect_class_, len(self.classes_), seed)
            if self.learns_from_unlabeled:
                _starts.supervise(labeled, solution, AspectModel._aspect_weights(self, solution))
                _starts.add_unlabeled(step, solution)
        self._decide(step, solution)
        return solution

    def _run(self, step: Step, solution: Solution) -> tuple[Solution, list[float], list[Codes]]:
        """EM: the E-step, the M-step, and the decisions ỹ of the unlabeled documents."""
        objective: list[float] = []
        history: list[Codes] = []
        for iteration in range(self.max_iter):
            before, changed = self._iterate(step, solution)
            objective.append(before)
            history.append(step.corpus.kinds.astype(np.int64))
            report(Progress(type(self).__name__, iteration + 1, self.max_iter, objective[-1]))
            if iteration and changed <= self.tol * step.corpus.n_documents and _settled(objective, self.tol):
                break
        return solution, objective, history

    def _iterate(self, step: Step, solution: Solution) -> tuple[float, int]:
        """One iteration; returns the objective before it, and how many decisions changed."""
        weights = self._aspect_weights(solution)
        log_prior = solution.log_prior
        objective = step.e_step(solution, weights) + log_prior
        step.m_step(solution)
        self._update_labels(solution, weights)
        return objective, self._decide(step, solution)

    def _decide(self, step: Step, solution: Solution) -> int:
        """ỹ(x) ← argmax_y P(y|x) of the unlabeled documents, folded in anew; returns how many changed."""
        corpus, waiting = step.corpus, _starts.unlabeled(step.corpus)
        if waiting.n_documents == 0:
            return 0
        D = fold_in(waiting, solution, step.prior, _DECISION_ITERATIONS, step.run)
        decided = len(self.classes_) + (D[:, : solution.n_aspects] @ self._decision_weights(solution)).argmax(axis=1)
        changed = int((decided != waiting.kinds).sum())
        corpus.kinds[corpus.n_labeled :] = decided
        return changed

    # --- what stays -------------------------------------------------------------------------------------------------

    def _keep(self, corpus: Corpus, history: list[Codes], run: Workers) -> None:
        """Remember the parameters under their names, documents in the order of the rows."""
        solution, K, A = self._solution, len(self.classes_), self._solution.n_aspects
        self.word_given_aspect_ = np.ascontiguousarray(
            self._prior(corpus.n_words, self._word_prior).mean_words(solution)[:, :A]
        )
        self.class_given_aspect_ = solution.class_given_aspect
        n = len(solution.aspect_given_document)
        aspects = np.zeros((corpus.n_documents, A), dtype=np.float32)
        aspects[corpus.rows[:n]] = solution.aspect_given_document[:, :A]
        aspects[corpus.rows[:n]] /= np.maximum(aspects[corpus.rows[:n]].sum(axis=1, keepdims=True), 1e-30)
        if n < corpus.n_documents:
            aspects[corpus.rows[n:]] = self._fold_in(_starts.unlabeled(corpus), solution, run)
        self.aspect_given_document_ = aspects
        decisions = np.full((len(history), corpus.n_documents), -1, dtype=np.int32)
        decisions[:, corpus.rows[:n]] = np.asarray(history)[:, :n] % K
        self.label_history_ = decisions
        solution.aspect_given_document = solution.aspect_given_document[:0]

    def _fold_in(self, corpus: Corpus, solution: Solution, run: Workers) -> Floats:
        prior = self._prior(corpus.n_words, self._word_prior)
        D = fold_in(corpus, solution, prior, _starts.FOLD_IN_ITERATIONS, run)[:, : solution.n_aspects]
        return np.asarray(D / np.maximum(D.sum(axis=1, keepdims=True), 1e-30))

    def _shares(self, corpus: Corpus, run: Workers) -> Table:
        """Σ_α P(α|x) P(y|α), the mean over the starts."""
        solutions = [self._solution, *self._others]
        return np.mean([self._fold_in(corpus, s, run) @ self._decision_weights(s) for s in solutions], axis=0)

    def _calibrate(self, corpus: Corpus, seed: int, run: Workers, before: Solution | None) -> float:
        """κ of P(y|x)^κ, fitted on folds of labeled documents that a short EM has not seen."""
        shares, codes, weights = [np.empty((0, len(self.classes_)))], [np.empty(0, np.int64)], [np.empty(0)]
        for rest, held_out in _calibration.folds(corpus, self._word_prior):
            step = self._step(rest, run, before)
            solution = self._start(step, seed, before)
            for _ in range(_calibration.ITERATIONS):
                self._iterate(step, solution)
            shares.append(self._fold_in(held_out, solution, run) @ self._decision_weights(solution))
            codes.append(held_out.kinds.astype(np.int64))
            weights.append(held_out.weights.astype(np.float64))
        if len(codes) == 1 and before is not None:
            return self.exponent_  # a batch without labels to hold out teaches nothing about them
        return _calibration.fit_exponent(np.concatenate(shares), np.concatenate(codes), np.concatenate(weights))

    def _training_posterior(self, corpus: Corpus, run: Workers) -> Table:
        """1 for the class of a labeled document, the calibrated fold-in for the rest."""
        posterior = np.zeros((corpus.n_documents, len(self.classes_)))
        n = corpus.n_labeled
        posterior[corpus.rows[:n], corpus.kinds[:n]] = 1.0
        if n < corpus.n_documents:
            posterior[corpus.rows[n:]] = _calibration.sharpen(
                self._shares(_starts.unlabeled(corpus), run), self.exponent_
            )
        return posterior

    def _posterior(self, X: Matrix) -> Table:
        with workers() as run:
            return _calibration.sharpen(self._shares(self._blank(X), run), self.exponent_)

    def fold_in(self, X: Any) -> Floats:
        """Return P(α|x) of documents, folded in with P(w|α) fixed (K algorithm 15)."""
        check_is_fitted(self)
        X = check_matrix(self, X, reset=False, nonnegative=True)
        with workers() as run:
            return self._fold_in(self._blank(X), self._solution, run)

    def _blank(self, X: Matrix) -> Corpus:
        unlabeled = np.full(X.shape[0], UNLABELED)
        return build_corpus(X, unlabeled, len(self.classes_), None, self.count_exponent)


def _settled(objective: list[float], tol: float) -> bool:
    return abs(objective[-1] - objective[-2]) <= tol * abs(objective[-2])


def _word_prior(corpus: Corpus) -> NDArray[np.float64]:
    """P(w) of the documents that take part, each word once more than it occurs."""
    in_part = np.zeros(len(corpus.pointers) - 1)
    in_part[corpus.rows] = corpus.weights
    totals = corpus.matrix().T @ in_part + 1.0
    return np.asarray(totals / totals.sum())

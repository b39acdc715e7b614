"""Choosing the number of aspects of each class (K 6.5): cross-validation, heterogeneity, AIC."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from smatter.errors import LabelError
from smatter.labels import UNLABELED, Labels
from smatter.model_selection import LabeledKFold
from smatter.validation import Matrix

_CANDIDATES = (1, 2, 3, 4, 6, 8)
_FOLDS = 5
_SPLITS_PER_CLASS = 1  # K 6.4: the best of the splits doubles one aspect a class


def by_cross_validation(model: Any, X: Matrix, labels: Labels) -> list[int]:
    """The equal number whose supervised PLSA is right most often on held-out labeled documents (K table 6.3)."""
    rows = np.flatnonzero(labels.labeled)
    folds = int(min(_FOLDS, labels.counts.min()))
    if folds < 2:
        raise LabelError(
            f'aspects_per_class="cv" of {type(model).__name__} needs at least 2 labeled documents of every class; '
            f"{labels.classes[labels.counts.argmin()]!r} has {labels.counts.min()}: label more or give a number."
        )
    X, codes = X[rows], labels.codes[rows]
    candidates = [number for number in _CANDIDATES if number <= max(1, labels.counts.min() * (folds - 1) // folds)]
    hits = [
        sum((_plsa(model, X, _hidden(codes, test), number).transduction_[test] == codes[test]).sum()
            for _, test in LabeledKFold(folds).split(X, codes))
        for number in candidates
    ]  # fmt: skip
    return [candidates[int(np.argmax(hits))]] * len(labels.classes)


def by_heterogeneity(model: Any, X: Matrix, labels: Labels) -> list[int]:
    """From one aspect a class, give one more to the class of the most heterogeneous aspect, once a class (K 6.4)."""
    numbers = np.ones(len(labels.classes), dtype=int)
    rows = np.flatnonzero(labels.labeled)
    X, codes = X[rows], labels.codes[rows]
    for _ in range(_SPLITS_PER_CLASS * len(numbers)):
        fitted = _plsa(model, X, codes, numbers.tolist())
        spread = heterogeneity(X, fitted.aspect_given_document_, fitted.word_given_aspect_)
        mass = fitted.aspect_given_document_.sum(axis=0)
        splittable = numbers[fitted.aspect_class_] < labels.counts[fitted.aspect_class_]
        if not splittable.any():
            break
        worst = np.where(splittable, spread * mass, -np.inf).argmax()
        numbers[fitted.aspect_class_[worst]] += 1
    return [int(number) for number in numbers]


def by_aic(model: Any, X: Matrix, labels: Labels) -> list[int]:
    """The equal number with the lowest AIC of the supervised PLSA (K table 6.4, second column)."""
    rows = np.flatnonzero(labels.labeled)
    X, codes = X[rows], labels.codes[rows]
    candidates = [number for number in _CANDIDATES if number <= max(1, labels.counts.min())]
    values = [akaike(_plsa(model, X, codes, number)) for number in candidates]
    return [candidates[int(np.argmin(values))]] * len(labels.classes)


def heterogeneity(X: Matrix, aspect_given_document: Any, word_given_aspect: Any) -> NDArray[np.float64]:
    """volume(α) = Σ_x P(α|x) KL(P(w|x) ‖ P(w|α)) / Σ_x P(α|x) (K 6.5)."""
    import scipy.sparse as sp

    X = sp.csr_array(X)
    lengths = np.maximum(X.sum(axis=1), 1)
    shares = sp.csr_array((X.data / np.repeat(lengths, np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape)
    negative_entropy = sp.csr_array(
        (shares.data * np.log(np.maximum(shares.data, 1e-300)), X.indices, X.indptr), X.shape
    )
    divergence = negative_entropy.sum(axis=1)[:, None] - shares @ np.log(np.maximum(word_given_aspect, 1e-12))
    mass = aspect_given_document
    return (mass * divergence).sum(axis=0) / np.maximum(mass.sum(axis=0), 1e-300)


def akaike(fitted: Any) -> float:
    """AIC = 2 · free parameters − 2 L; the parameters are P(w|α) and P(α|x) over the aspects of a document's class."""
    n_words, A = fitted.word_given_aspect_.shape
    of_document = (fitted.aspect_given_document_ > 0).sum(axis=1) - 1
    return 2.0 * (A * (n_words - 1) + of_document.sum()) - 2.0 * float(fitted.objective_[-1])


def _hidden(codes: NDArray[np.int64], test: NDArray[np.intp]) -> NDArray[np.int64]:
    hidden = codes.copy()
    hidden[test] = UNLABELED
    return hidden


def _plsa(model: Any, X: Matrix, codes: NDArray[np.int64], aspects_per_class: Any) -> Any:
    import warnings

    from smatter.errors import LabelWarning
    from smatter.models.aspects.plsa import PLSA

    plain = PLSA(
        aspects_per_class, max_iter=min(model.max_iter, 20), smoothing=model.smoothing, random_state=0, tol=model.tol
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LabelWarning)
        return plain.fit(X, codes)

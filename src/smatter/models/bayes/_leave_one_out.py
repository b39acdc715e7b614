"""Choosing settings of naive Bayes by leaving each labeled document out, exactly and without a refit.

A document's own counts are a term of its class's sums: leaving it out is a subtraction. So the scores of all labeled
documents cost one pass over their words, whatever the number of candidates' fits. What the unlabeled documents learned
from it stays (Nigam et al. 2000, section 5.3, do the same): the choice is of the weight, not an error estimate.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from smatter.models.bayes._events import EventModel, LeftOut, Multinomial, Sums
from smatter.models.bayes._mixture import (
    Mixture,
    Problem,
    expected_sums,
    labeled_sums,
    log_joint,
    mixture_from_sums,
    one_component_a_class,
)
from smatter.models.bayes._rows import Floats
from smatter.validation import Matrix

# The first of each is taken where the labels cannot tell.
SMOOTHINGS = (0.1, 0.03, 0.3, 0.01, 1.0, 0.003)
LENGTH_EXPONENTS = (1.0, 0.5, 0.25, 0.0)
UNLABELED_WEIGHTS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
_TEMPERATURES = np.geomspace(1.0, 300.0, 24)


def left_out_loss(problem: Problem, sums: Sums) -> float:
    """Return the loss on labeled documents, each scored as if it had not been counted.

    ``sums`` are over labeled and weighted unlabeled documents. A document that is its class's only label takes a turn
    only where all are: then the unlabeled ones must stand in for it, and the loss is infinite where there are none.
    """
    n_classes = len(problem.labels.classes)
    rows, taken = _turns(problem)
    codes, weights = problem.labels.codes[rows], problem.weights[rows]
    if (sums.documents[codes] - taken <= _NOTHING).any():
        return np.inf
    mixture = mixture_from_sums(problem, sums, one_component_a_class(n_classes))
    own_prior = _own_prior(problem, mixture, sums, (codes, taken))
    scores = np.empty((len(rows), n_classes))
    for part in problem.rows.parts(rows):
        held = LeftOut(problem.rows[rows[part]], codes[part], taken[part])
        scores[part] = log_joint(held.rows, mixture)
        scores[part, codes[part]] = own_prior[part] + problem.events.left_out(held, sums, problem.smoothing)
    return tempered_log_loss(scores, codes, weights)


_NOTHING = 1e-9


def _turns(problem: Problem) -> tuple[NDArray[np.intp], Floats]:
    """Return the rows that take turns, and how much of each leaves: a row of weight 3 stands for three documents."""
    rows = np.flatnonzero(problem.labels.labeled & (problem.weights > 0))
    codes, taken = problem.labels.codes[rows], np.minimum(problem.weights[rows], 1.0)
    in_class = np.bincount(codes, weights=problem.weights[rows], minlength=len(problem.labels.classes))
    in_company = in_class[codes] - taken > _NOTHING
    return (rows[in_company], taken[in_company]) if in_company.any() else (rows, taken)


def _own_prior(problem: Problem, mixture: Mixture, sums: Sums, held: tuple[NDArray[np.int64], Floats]) -> Floats:
    codes, taken = held
    if problem.class_prior is not None:
        return mixture.log_prior[codes]
    rest = sums.documents[codes] - taken + problem.prior_smoothing
    return np.log(rest) - np.log(sums.documents.sum() + problem.prior_smoothing * len(sums.documents))


def tempered_log_loss(scores: Floats, codes: NDArray[np.int64], weights: Floats) -> float:
    """Return the mean of −log P(y | x) at the temperature that suits these scores best.

    Naive Bayes is right far more often than it is modest: words depend on each other. A temperature takes the
    overconfidence out of the comparison; what is left is how well the classes are told apart.
    """
    margins = scores - scores[np.arange(len(codes)), codes][:, None]

    def loss(i: int) -> float:
        return float(np.average(_log_sum_exp(margins / _TEMPERATURES[i]), weights=weights))

    low, high = 0, len(_TEMPERATURES) - 1
    while low < high:  # the loss is convex in 1 / temperature: it falls, then rises
        middle = (low + high) // 2
        low, high = (low, middle) if loss(middle) <= loss(middle + 1) else (middle + 1, high)
    return loss(low)


def _log_sum_exp(rows: Floats) -> Floats:
    top = rows.max(axis=1)
    rows -= top[:, None]
    return top + np.log(np.exp(rows, out=rows).sum(axis=1))


def choose_events(events: list[EventModel], smoothings: list[float], X: Matrix, problem: Problem) -> Problem:
    """Return the problem under the event model and smoothing that tell the labeled rows apart best, from them alone.

    Where no class has two labels, nothing can be left out: the first of each is taken.
    """
    best: tuple[float, Problem] | None = None
    for model in events:
        trial = replace(problem, events=model, rows=model.prepare(X, problem.weights), smoothing=smoothings[0])
        if len(events) == len(smoothings) == 1:
            return trial
        sums = labeled_sums(trial)
        for smoothing in smoothings:
            settled = replace(trial, smoothing=smoothing)
            loss = left_out_loss(settled, sums)
            if best is None or loss < best[0]:
                best = loss, settled
    assert best is not None
    return best[1]


def left_out_loss_after(problem: Problem, responsibilities: Floats) -> float:
    """Return the leave-one-out loss of the classes that EM has found."""
    return left_out_loss(problem, expected_sums(problem, responsibilities * problem.weights[:, None]))


def event_candidates(length_exponent: float | str) -> list[EventModel]:
    """Multinomials of every length exponent to try, or of the one given."""
    exponents = LENGTH_EXPONENTS if isinstance(length_exponent, str) else (float(length_exponent),)
    return [Multinomial(exponent) for exponent in exponents]

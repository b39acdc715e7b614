"""Choosing settings of naive Bayes by leaving each labeled document out, exactly and without a refit.

A document's own counts are a term of its class's sums: leaving it out is a subtraction. So the scores of all labeled
documents cost one pass over their words, whatever the number of candidates' fits. What the unlabeled documents learned
from it stays (Nigam et al. 2000, section 5.3, do the same): the choice is of the weight, not an error estimate.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from smatter.labels import UNLABELED, Labels
from smatter.models.bayes._events import TINY, EventModel, Floats, LeftOut, Multinomial
from smatter.models.bayes._mixture import Fitted, Problem, component_classes, mixture_from_counts
from smatter.validation import Matrix

SMOOTHINGS = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
LENGTH_EXPONENTS = (1.0, 0.5, 0.25, 0.0)
UNLABELED_WEIGHTS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
_TEMPERATURES = np.geomspace(1.0, 300.0, 24)


def left_out_loss(problem: Problem, counts: Floats, totals: Floats) -> float:
    """Return the loss on labeled documents, each scored as if it had not been counted; infinite where none can be.

    ``counts`` and ``totals`` are the sums over labeled and weighted unlabeled documents. Documents that nothing else
    stands beside in their class cannot be left out: they are not among the rows.
    """
    codes = problem.labels.codes
    rows = np.flatnonzero((codes != UNLABELED) & (problem.weights > 0))
    taken = np.minimum(problem.weights[rows], 1.0)  # a row of weight 3 stands for three documents: one of them leaves
    rest = totals[codes[rows]] - taken
    rows, taken = rows[rest > 1e-9], taken[rest > 1e-9]
    if len(rows) == 0:
        return np.inf
    codes, X = codes[rows], problem.X[rows]
    mixture = mixture_from_counts(problem, counts, totals, component_classes(np.ones(len(totals), dtype=np.int64)))
    scores = problem.events.log_likelihood(X, mixture.log_p) + mixture.log_prior
    own = problem.events.left_out(X, LeftOut(codes, taken), counts, totals, problem.smoothing)
    scores[np.arange(len(rows)), codes] = own + _own_prior(problem, mixture.log_prior, totals, codes, taken)
    return tempered_log_loss(scores, codes, problem.weights[rows])


def _own_prior(
    problem: Problem, log_prior: Floats, totals: Floats, codes: NDArray[np.int64], weights: Floats
) -> Floats:
    if problem.class_prior is not None:
        return log_prior[codes]
    rest = np.maximum(totals[codes] - weights + problem.prior_smoothing, TINY)
    return np.log(rest) - np.log(totals.sum() + problem.prior_smoothing * len(totals))


def tempered_log_loss(scores: Floats, codes: NDArray[np.int64], weights: Floats) -> float:
    """Return the mean of −log P(y | x) at the temperature that suits these scores best.

    Naive Bayes is right far more often than it is modest: words depend on each other. A temperature takes the
    overconfidence out of the comparison; what is left is how well the classes are told apart.
    """
    margins = scores - scores[np.arange(len(codes)), codes][:, None]
    losses = (np.average(_log_sum_exp(margins / temperature), weights=weights) for temperature in _TEMPERATURES)
    return float(min(losses))


def _log_sum_exp(rows: Floats) -> Floats:
    top = rows.max(axis=1)
    return top + np.log(np.exp(rows - top[:, None]).sum(axis=1))


def choose_events(
    candidates: tuple[list[EventModel], list[float]], X: Matrix, labels: Labels, problem: Problem
) -> tuple[EventModel, float]:
    """Return the event model and the smoothing that tell the labeled documents apart best, from them alone."""
    if len(candidates[0]) == 1 and len(candidates[1]) == 1:
        return candidates[0][0], candidates[1][0]
    rows = np.flatnonzero(labels.labeled)
    supervised = Labels(labels.codes[rows], labels.classes)
    best: tuple[float, EventModel, float] | None = None
    for events in candidates[0]:
        prepared = events.prepare(X, problem.weights)[rows]
        trial = replace(problem, events=events, X=prepared, labels=supervised, weights=problem.weights[rows])
        weighted = supervised.one_hot() * trial.weights[:, None]
        counts, totals = events.statistics(prepared, weighted), weighted.sum(axis=0)
        for smoothing in candidates[1]:
            loss = left_out_loss(replace(trial, smoothing=smoothing), counts, totals)
            if best is None or loss < best[0]:
                best = loss, events, smoothing
    assert best is not None
    return best[1], best[2]


def left_out_loss_after(problem: Problem, fitted: Fitted) -> float:
    """Return the leave-one-out loss of the classes that EM has found."""
    weighted = fitted.responsibilities * problem.weights[:, None]
    return left_out_loss(problem, problem.events.statistics(problem.X, weighted), weighted.sum(axis=0))


def event_candidates(length_exponent: float | str) -> list[EventModel]:
    """Multinomials of every length exponent to try, or of the one given."""
    exponents = LENGTH_EXPONENTS if isinstance(length_exponent, str) else (float(length_exponent),)
    return [Multinomial(exponent) for exponent in exponents]

"""EM for mixtures whose components belong to classes: one engine for every naive Bayes model here.

P(x, y) = Σ_m P(m) P(x | m) P(y | m). A labeled document adds log P(y | m) to its component scores, an unlabeled one
nothing; plain naive Bayes has one component a class and P(y | m) ∈ {0, 1}. (Nigam et al. 2000; seed N, ch. 2.)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from smatter.labels import Labels
from smatter.models.bayes._events import TINY, EventModel, Floats
from smatter.progress import Progress, report
from smatter.validation import Matrix


@dataclass
class Mixture:
    """The parameters θ; logs, components in rows."""

    log_prior: Floats  # log P(m), M
    log_p: Floats  # log P(w | m) as the event model keeps it, M × …
    log_class: Floats  # log P(y | m), M × K


@dataclass(frozen=True)
class Problem:
    """What EM is given: the documents, their labels, their weights and the smoothing."""

    events: EventModel
    X: Matrix
    labels: Labels
    weights: Floats  # sample weights; those of unlabeled rows already multiplied by λ
    smoothing: float
    prior_smoothing: float
    class_prior: Floats | None = None  # K; None where it is estimated
    free_classes: bool = False


def e_step(problem: Problem, mixture: Mixture) -> tuple[Floats, float]:
    """Return P(m | x, y) of every row and the objective, the penalized log-likelihood of ``mixture``."""
    scores = problem.events.log_likelihood(problem.X, mixture.log_p)
    scores += mixture.log_prior
    labeled = np.flatnonzero(problem.labels.labeled)
    scores[labeled] += mixture.log_class[:, problem.labels.codes[labeled]].T
    responsibilities, log_likelihood = normalize(scores)
    objective = float(problem.weights @ log_likelihood) + log_prior_of(problem, mixture)
    return responsibilities, objective


def normalize(scores: Floats) -> tuple[Floats, Floats]:
    """Turn log joints into posteriors, in place, and return them with their log-sum-exp."""
    top = scores.max(axis=1, keepdims=True)
    scores -= top
    np.exp(scores, out=scores)
    mass = scores.sum(axis=1, keepdims=True)
    scores /= mass
    return scores, (top + np.log(mass)).ravel()


def log_prior_of(problem: Problem, mixture: Mixture) -> float:
    """Return log P(θ): the Dirichlet priors that the smoothing stands for, without constants."""
    penalty = problem.events.log_prior(mixture.log_p, problem.smoothing)
    if problem.prior_smoothing:
        penalty += problem.prior_smoothing * float(mixture.log_prior.sum())
    if problem.free_classes:
        penalty += _CLASS_SMOOTHING * float(mixture.log_class.sum())
    return penalty


def m_step(problem: Problem, responsibilities: Floats, log_class: Floats) -> Mixture:
    """Smoothed expected counts over labeled and (λ-weighted) unlabeled documents, N eq. 2.9 and 2.10."""
    weighted = responsibilities * problem.weights[:, None]
    totals = weighted.sum(axis=0)
    counts = problem.events.statistics(problem.X, weighted)
    if problem.free_classes:
        log_class = _estimate_classes(problem, weighted)
    return mixture_from_counts(problem, counts, totals, log_class)


def mixture_from_counts(problem: Problem, counts: Floats, totals: Floats, log_class: Floats) -> Mixture:
    """Turn sufficient statistics into parameters."""
    log_p = problem.events.estimate(counts, totals, problem.smoothing)
    return Mixture(_estimate_prior(problem, totals, log_class), log_p, log_class)


def _estimate_prior(problem: Problem, totals: Floats, log_class: Floats) -> Floats:
    """Return log P(m); where the user gave P(y), components share out that of their class."""
    mass = np.maximum(totals + problem.prior_smoothing, TINY)
    if problem.class_prior is None:
        return np.log(mass) - np.log(mass.sum())
    by_class = mass[:, None] * np.exp(log_class)
    return np.log(by_class / np.maximum(by_class.sum(axis=0), TINY) @ problem.class_prior)


def _estimate_classes(problem: Problem, weighted: Floats) -> Floats:
    """P(y | m) from the labeled documents (Miller & Uyar 1997); without any, a component has no opinion."""
    labeled = np.flatnonzero(problem.labels.labeled)
    one_hot = problem.labels.one_hot()[labeled]
    mass = weighted[labeled].T @ one_hot + _CLASS_SMOOTHING
    return np.log(mass) - np.log(mass.sum(axis=1, keepdims=True))


_CLASS_SMOOTHING = 1e-2  # of P(y | m) where it is free: no class is ever impossible


@dataclass
class Fitted:
    """What EM leaves behind."""

    mixture: Mixture
    responsibilities: Floats
    objective: list[float]
    converged: bool


def run_em(problem: Problem, mixture: Mixture, *, max_iter: int, tol: float, name: str) -> Fitted:
    """Alternate E and M until the objective gains less than ``tol`` times its size, or ``max_iter`` is reached."""
    objective: list[float] = []
    converged = False
    while True:
        responsibilities, value = e_step(problem, mixture)
        gain = value - objective[-1] if objective else np.inf
        objective.append(value)
        report(Progress(name, len(objective), max_iter, value))
        converged = gain <= tol * abs(value)
        if converged or len(objective) >= max_iter:
            return Fitted(mixture, responsibilities, objective, converged)
        mixture = m_step(problem, responsibilities, mixture.log_class)


def component_classes(n_per_class: NDArray[np.int64]) -> Floats:
    """Return log P(y | m) ∈ {log 0, log 1} for components that belong to one class each, class after class."""
    owner = np.repeat(np.arange(len(n_per_class)), n_per_class)
    with np.errstate(divide="ignore"):
        return np.log((owner[:, None] == np.arange(len(n_per_class))).astype(np.float64))


def class_posterior(events: EventModel, X: Matrix, mixture: Mixture) -> Floats:
    """P(y | x) = Σ_m P(m | x) P(y | m) of rows without regard to any label."""
    scores = events.log_likelihood(X, mixture.log_p) + mixture.log_prior
    return np.asarray(softmax(scores, axis=1) @ np.exp(mixture.log_class))

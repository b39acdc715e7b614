"""EM for mixtures whose components belong to classes: one engine for every naive Bayes model here.

P(x, y) = Σ_m P(m) P(x | m) P(y | m). A labeled document adds log P(y | m) to its component scores, an unlabeled one
nothing; plain naive Bayes has one component a class and P(y | m) ∈ {0, 1}. (Nigam et al. 2000; seed N, ch. 2.)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from smatter.labels import Labels
from smatter.models.bayes._events import TINY, EventModel, Sums
from smatter.models.bayes._rows import Floats, Rows
from smatter.progress import Progress, report


@dataclass
class Mixture:
    """The parameters θ; logs, components in rows."""

    log_prior: Floats  # log P(m), M
    log_p: Floats  # log P(w | m), M × words; log-odds where absent words speak
    log_blank: Floats  # log P(a document without words | m), M
    log_class: Floats  # log P(y | m), M × K


@dataclass(frozen=True)
class Problem:
    """What EM is given: the documents, their labels, their weights and the smoothing."""

    events: EventModel
    rows: Rows
    labels: Labels
    weights: Floats  # sample weights; those of unlabeled rows already multiplied by λ
    smoothing: float
    prior_smoothing: float
    class_prior: Floats | None = None  # K; None where it is estimated
    free_classes: bool = False


def log_joint(rows: Rows, mixture: Mixture) -> Floats:
    """Return log P(x, m) of every row and component, N eq. 2.5."""
    scores = rows.dot(mixture.log_p.T)
    scores += mixture.log_blank + mixture.log_prior
    return scores


def e_step(problem: Problem, mixture: Mixture) -> tuple[Floats, float]:
    """Return P(m | x, y) of every row and the objective, the penalized log-likelihood of ``mixture``."""
    scores = log_joint(problem.rows, mixture)
    labeled = np.flatnonzero(problem.labels.labeled)
    scores[labeled] += mixture.log_class.T[problem.labels.codes[labeled]]
    responsibilities, log_likelihood = normalize(scores)
    objective = float((problem.weights * log_likelihood).sum()) + log_prior_of(problem, mixture)
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
    penalty = 0.0
    if problem.smoothing:
        penalty += problem.smoothing * float(mixture.log_p.sum() + 2 * mixture.log_blank.sum())
    if problem.prior_smoothing:
        penalty += problem.prior_smoothing * float(mixture.log_prior.sum())
    if problem.free_classes:
        penalty += _CLASS_SMOOTHING * float(mixture.log_class.sum())
    return penalty


def m_step(problem: Problem, responsibilities: Floats, log_class: Floats) -> Mixture:
    """Smoothed expected counts over labeled and (λ-weighted) unlabeled documents, N eq. 2.9 and 2.10."""
    weighted = responsibilities * problem.weights[:, None]
    if problem.free_classes:
        log_class = _estimate_classes(problem, weighted)
    return mixture_from_sums(problem, expected_sums(problem, weighted), log_class)


def expected_sums(problem: Problem, weighted: Floats) -> Sums:
    """Count words and documents of each component."""
    return Sums(problem.rows.sums(weighted, problem.smoothing), weighted.sum(axis=0))


def labeled_sums(problem: Problem) -> Sums:
    """Count words and documents of each class in the labeled rows."""
    weighted = problem.labels.one_hot()
    weighted *= problem.weights[:, None]
    return expected_sums(problem, weighted)


def mixture_from_sums(problem: Problem, sums: Sums, log_class: Floats) -> Mixture:
    """Turn sufficient statistics into parameters."""
    log_p, log_blank = problem.events.estimate(sums, problem.smoothing)
    return Mixture(_estimate_prior(problem, sums.documents, log_class), log_p, log_blank, log_class)


def _estimate_prior(problem: Problem, documents: Floats, log_class: Floats) -> Floats:
    """Return log P(m); where the user gave P(y), components share out that of their class."""
    mass = np.maximum(documents + problem.prior_smoothing, TINY)
    if problem.class_prior is None:
        return np.log(mass) - np.log(mass.sum())
    by_class = mass[:, None] * np.exp(log_class)
    return np.log(by_class / by_class.sum(axis=0) @ problem.class_prior)


def _estimate_classes(problem: Problem, weighted: Floats) -> Floats:
    """P(y | m) from the labeled documents (Miller & Uyar 1997); without any, a component has no opinion."""
    codes, classes = problem.labels.codes, problem.labels.classes
    mass = np.stack([weighted[codes == code].sum(axis=0) for code in range(len(classes))], axis=1) + _CLASS_SMOOTHING
    return np.log(mass) - np.log(mass.sum(axis=1, keepdims=True))


_CLASS_SMOOTHING = 1e-2  # of P(y | m) where it is free: no class is ever impossible


@dataclass
class Fitted:
    """What EM leaves behind."""

    mixture: Mixture
    responsibilities: Floats
    objective: list[float]
    converged: bool


@dataclass(frozen=True)
class Limits:
    """When EM stops: at ``max_iter``, or when the objective gains less than ``tol`` times its size."""

    max_iter: int
    tol: float
    name: str  # of the model, for those who watch


def run_em(problem: Problem, mixture: Mixture, limits: Limits) -> Fitted:
    """Alternate E and M, from ``mixture``."""
    objective: list[float] = []
    while True:
        responsibilities, value = e_step(problem, mixture)
        gain = value - objective[-1] if objective else np.inf
        objective.append(value)
        report(Progress(limits.name, len(objective), limits.max_iter, value))
        converged = gain <= limits.tol * abs(value)
        if converged or len(objective) >= limits.max_iter:
            return Fitted(mixture, responsibilities, objective, converged)
        log_class = mixture.log_class
        del mixture  # memory: it need not stand beside the next one
        mixture = m_step(problem, responsibilities, log_class)
        del responsibilities


def one_iteration(problem: Problem, mixture: Mixture) -> Mixture:
    """Take one step from an earlier solution: where a warm start starts."""
    responsibilities, _ = e_step(problem, mixture)
    return m_step(problem, responsibilities, mixture.log_class)


def component_classes(n_per_class: NDArray[np.int64]) -> Floats:
    """Return log P(y | m) ∈ {log 0, log 1} for components that belong to one class each, class after class."""
    owner = np.repeat(np.arange(len(n_per_class)), n_per_class)
    with np.errstate(divide="ignore"):
        return np.log((owner[:, None] == np.arange(len(n_per_class))).astype(np.float64))


def one_component_a_class(n_classes: int) -> Floats:
    """Return log P(y | m) of plain naive Bayes."""
    return component_classes(np.ones(n_classes, dtype=np.int64))


def class_scores(rows: Rows, mixture: Mixture) -> Floats:
    """Log P(x, y) = log Σ_m P(x, m) P(y | m), N eq. 2.2."""
    joint = log_joint(rows, mixture)
    return np.stack([np.logaddexp.reduce(joint + of_class, axis=1) for of_class in mixture.log_class.T], axis=1)


def class_posterior(rows: Rows, mixture: Mixture) -> Floats:
    """P(y | x) = Σ_m P(m | x) P(y | m) of rows without regard to any label."""
    responsibilities, _ = normalize(log_joint(rows, mixture))
    return np.clip(responsibilities @ np.exp(mixture.log_class), 0.0, 1.0)

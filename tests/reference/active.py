"""Slow, obvious twins of the query strategies: by definition, by refits, by hand."""

import math

import numpy as np


def class_entropy(posterior):
    return [-sum(p * math.log(p) for p in row if p > 0) for row in posterior]


def vote_entropy(decisions, row):
    votes = [int(decided[row]) for decided in decisions if decided[row] >= 0]
    shares = [votes.count(code) / len(votes) for code in set(votes)]
    return -sum(share * math.log(share) for share in shares)


def divergence_to_mean(posteriors, row):
    members = [P[row] for P in posteriors]
    mean = [sum(member[k] for member in members) / len(members) for k in range(len(members[0]))]
    total = 0.0
    for member in members:
        total += sum(p * math.log(p / q) for p, q in zip(member, mean, strict=True) if p > 0)
    return total / len(members)


def density(X, mix, sharpness):
    """Every pair of documents, every word."""
    X = np.asarray(X, dtype=float)
    marginal = X.sum(axis=0) / X.sum()
    given = [row / row.sum() for row in X]
    values = []
    for own in given:
        smoothed = mix * own + (1 - mix) * marginal
        divergences = [
            sum(p * math.log(p / q) for p, q in zip(other, smoothed, strict=True) if p > 0) for other in given
        ]
        values.append(math.exp(-sharpness * sum(divergences) / len(given)))
    return np.array(values) / max(values)


def naive_bayes_scores(X, codes, n_classes, smoothing, rows):
    """Log P(y) P(x|y) of naive Bayes on the labeled rows, its prior smoothed by 1."""
    labeled = codes >= 0
    scores = np.empty((len(rows), n_classes))
    for k in range(n_classes):
        own = X[codes == k]
        words = own.sum(axis=0) + smoothing
        prior = (len(own) + 1) / (labeled.sum() + n_classes)
        scores[:, k] = X[rows] @ np.log(words / words.sum()) + math.log(prior)
    return scores


def expected_error_reduction(X, codes, posterior, candidate, *, smoothing, zero_one):
    """Refit naive Bayes once for every class that the candidate may get."""
    K = posterior.shape[1]
    pool = np.flatnonzero(codes < 0)

    def loss(labels):
        scores = naive_bayes_scores(X, labels, K, smoothing, pool)
        P = np.exp(scores - scores.max(axis=1, keepdims=True))
        P /= P.sum(axis=1, keepdims=True)
        if zero_one:
            return float(np.mean(1 - P.max(axis=1)))
        return float(np.mean([-sum(p * math.log(p) for p in row if p > 0) for row in P]))

    expected = 0.0
    for k in range(K):
        told = codes.copy()
        told[candidate] = k
        expected += posterior[candidate, k] * loss(told)
    return loss(codes) - expected


def harmonic(W, codes, n_classes, tie):
    """Solve the whole system anew; rows with a label keep it."""
    W = np.asarray(W, dtype=float)
    free, labeled = np.flatnonzero(codes < 0), np.flatnonzero(codes >= 0)
    degree = W.sum(axis=1)
    counts = np.bincount(codes[labeled], minlength=n_classes) + 1.0
    pull = np.where(degree > 0, tie * degree, 1.0)
    system = np.diag(degree + pull) - W
    right = W[:, labeled] @ np.eye(n_classes)[codes[labeled]] + pull[:, None] * counts / counts.sum()
    F = np.eye(n_classes)[np.maximum(codes, 0)]
    F[free] = np.linalg.solve(system[np.ix_(free, free)], right[free])
    return F


def harmonic_risk(W, codes, n_classes, candidate, tie):
    """Refit for every class; the prior stays that of the labels so far."""
    F = harmonic(W, codes, n_classes, tie)
    expected = 0.0
    for k in range(n_classes):
        expected += F[candidate, k] * _risk_after(W, codes, n_classes, (candidate, k), tie)
    return expected


def _risk_after(W, codes, n_classes, answer, tie):
    W = np.asarray(W, dtype=float)
    candidate, k = answer
    told = codes.copy()
    told[candidate] = k
    free, labeled = np.flatnonzero(told < 0), np.flatnonzero(told >= 0)
    counts = np.bincount(codes[codes >= 0], minlength=n_classes) + 1.0
    degree = W.sum(axis=1)
    pull = np.where(degree > 0, tie * degree, 1.0)
    system = np.diag(degree + pull) - W
    right = W[:, labeled] @ np.eye(n_classes)[told[labeled]] + pull[:, None] * counts / counts.sum()
    F = np.linalg.solve(system[np.ix_(free, free)], right[free])
    return float((1 - F.max(axis=1)).sum())

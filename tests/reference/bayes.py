"""Slow and obvious twins of the naive Bayes family: loops over documents, words and components, no logs of sums."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import multivariate_normal

Array = NDArray[np.float64]
Rows = Sequence[Sequence[Any]]
UNLABELED = -1


@dataclass
class Setting:
    """What a mixture is fitted to; ``owner`` is the class of each component."""

    event: str
    rows: Rows
    codes: Sequence[int]
    weights: Sequence[float]
    owner: Sequence[int]
    smoothing: float = 1.0
    prior_smoothing: float = 0.0
    class_prior: Sequence[float] | None = None
    free: bool = False
    free_smoothing: float = 0.01
    all_rows: Rows | None = None  # what the values of an attribute are read from, where a row is left out


@dataclass
class Parameters:
    prior: list[float]  # P(m)
    p: list[list[Any]]  # P(w | m); for tables a dictionary from value to probability for each attribute
    class_given: list[list[float]]  # P(y | m)


def n_classes(setting: Setting) -> int:
    return max(setting.owner) + 1


def values_of(rows: Rows, attribute: int) -> list[Any]:
    return sorted({row[attribute] for row in rows if row[attribute] is not None})


def word_probabilities(setting: Setting, shares: Sequence[float]) -> list[Any]:
    """P(w | m) of one component, which holds ``shares[i]`` of row i."""
    rows, s, words = setting.rows, setting.smoothing, range(len(setting.rows[0]))
    if setting.event == "multinomial":
        counts = [sum(share * row[w] for share, row in zip(shares, rows, strict=True)) for w in words]
        return [(count + s) / (sum(counts) + s * len(counts)) for count in counts]
    if setting.event == "bernoulli":
        present = [sum(share for share, row in zip(shares, rows, strict=True) if row[w] > 0) for w in words]
        return [(count + s) / (sum(shares) + 2 * s) for count in present]
    tables = []
    for w in words:
        values = values_of(setting.all_rows or rows, w)
        counts = {v: sum(share for share, row in zip(shares, rows, strict=True) if row[w] == v) for v in values}
        total = sum(counts.values()) + s * len(values)
        tables.append({v: (counts[v] + s) / total for v in values})
    return tables


def log_likelihood(event: str, row: Sequence[Any], p: list[Any]) -> float:
    total = 0.0
    for entry, probability in zip(row, p, strict=True):
        if event == "multinomial":
            total += entry * np.log(probability) if entry else 0.0
        elif event == "bernoulli":
            total += np.log(probability if entry > 0 else 1 - probability)
        elif entry is not None:
            total += np.log(probability[entry])
    return float(total)


def log_word_prior(event: str, p: list[Any]) -> float:
    if event == "multinomial":
        return sum(np.log(q) for q in p)
    if event == "bernoulli":
        return sum(np.log(q) + np.log(1 - q) for q in p)
    return sum(np.log(q) for table in p for q in table.values())


def m_step(setting: Setting, R: Array, class_given: list[list[float]]) -> Parameters:
    n, M, K = len(setting.rows), len(setting.owner), n_classes(setting)
    shares = [[setting.weights[i] * R[i][m] for i in range(n)] for m in range(M)]
    mass = [sum(shares[m]) + setting.prior_smoothing for m in range(M)]
    if setting.class_prior is None:
        prior = [mass[m] / sum(mass) for m in range(M)]
    else:
        of_class = [sum(mass[m] for m in range(M) if setting.owner[m] == c) for c in range(K)]
        prior = [setting.class_prior[setting.owner[m]] * mass[m] / of_class[setting.owner[m]] for m in range(M)]
    if setting.free:
        class_given = []
        for m in range(M):
            counts = [
                sum(shares[m][i] for i in range(n) if setting.codes[i] == c) + setting.free_smoothing for c in range(K)
            ]
            class_given.append([count / sum(counts) for count in counts])
    return Parameters(prior, [word_probabilities(setting, shares[m]) for m in range(M)], class_given)


def e_step(setting: Setting, parameters: Parameters) -> tuple[Array, float]:
    """P(m | x, y) and the penalized log-likelihood."""
    n, M = len(setting.rows), len(setting.owner)
    R, objective = np.zeros((n, M)), 0.0
    for i, row in enumerate(setting.rows):
        joint = np.full(M, -np.inf)
        for m in range(M):
            of_class = 1.0 if setting.codes[i] == UNLABELED else parameters.class_given[m][setting.codes[i]]
            if of_class > 0:
                joint[m] = np.log(parameters.prior[m]) + log_likelihood(setting.event, row, parameters.p[m])
                joint[m] += np.log(of_class)
        top = joint.max()
        total = sum(np.exp(j - top) for j in joint)
        R[i] = [np.exp(j - top) / total for j in joint]
        objective += setting.weights[i] * (top + np.log(total))
    objective += setting.smoothing * sum(log_word_prior(setting.event, p) for p in parameters.p)
    objective += setting.prior_smoothing * sum(np.log(q) for q in parameters.prior)
    if setting.free:
        objective += setting.free_smoothing * sum(np.log(q) for row in parameters.class_given for q in row)
    return R, float(objective)


def hard_classes(setting: Setting) -> list[list[float]]:
    return [[float(owner == c) for c in range(n_classes(setting))] for owner in setting.owner]


def em(setting: Setting, start: Array, iterations: int, softness: float = 0.0) -> tuple[Parameters, Array, list[float]]:
    """EM from responsibilities; as many E-steps as iterations, the last of them not followed by an M-step."""
    K = n_classes(setting)
    first = [[(1 - softness) * share + softness / K for share in row] for row in hard_classes(setting)]
    fixed = Setting(**{**vars(setting), "free": False})
    parameters, objective = m_step(fixed, start, first), []
    for iteration in range(iterations):
        R, value = e_step(setting, parameters)
        objective.append(value)
        if iteration < iterations - 1:
            parameters = m_step(setting, R, parameters.class_given)
    return parameters, R, objective


def one_hot(codes: Sequence[int], K: int) -> Array:
    return np.array([[float(code == c) for c in range(K)] for code in codes])


def class_posterior(setting: Setting, parameters: Parameters, row: Sequence[Any]) -> list[float]:
    joint = [
        np.log(prior) + log_likelihood(setting.event, row, p)
        for prior, p in zip(parameters.prior, parameters.p, strict=True)
    ]
    shares = [np.exp(j - max(joint)) for j in joint]
    sums = [
        sum(share * given[c] for share, given in zip(shares, parameters.class_given, strict=True))
        for c in range(n_classes(setting))
    ]
    return [value / sum(shares) for value in sums]


def leave_one_out_loss(setting: Setting, R: Array, temperatures: Sequence[float]) -> float:
    """Take each labeled row out of the data, estimate again from all others, and score it; one component a class."""
    hard, scores, kept = hard_classes(setting), [], []
    for i, code in enumerate(setting.codes):
        if code == UNLABELED or list(setting.codes).count(code) < 2:
            continue
        others = [j for j in range(len(setting.codes)) if j != i]
        rest = Setting(
            **{
                **vars(setting),
                "rows": [setting.rows[j] for j in others],
                "all_rows": setting.rows,
                "codes": [setting.codes[j] for j in others],
                "weights": [setting.weights[j] for j in others],
            }
        )
        parameters = m_step(rest, R[others], hard)
        joint = [
            np.log(prior) + log_likelihood(setting.event, setting.rows[i], p)
            for prior, p in zip(parameters.prior, parameters.p, strict=True)
        ]
        scores.append([j - joint[code] for j in joint])
        kept.append(setting.weights[i])
    losses = []
    for temperature in temperatures:
        each = [np.log(sum(np.exp(margin / temperature) for margin in row)) for row in scores]
        losses.append(sum(w * loss for w, loss in zip(kept, each, strict=True)) / sum(kept))
    return float(min(losses))


def agglomerate(X: Array) -> list[list[set[int]]]:
    """All layers of the tree: cosines between the groups' mean vectors, from scratch at each merge."""
    groups = [{i} for i in range(len(X))]
    layers = [[set(group) for group in groups]]
    while len(groups) > 1:
        best, pair = -np.inf, (0, 1)
        for a in range(len(groups)):
            for b in range(a + 1, len(groups)):
                g, h = X[sorted(groups[a])].mean(axis=0), X[sorted(groups[b])].mean(axis=0)
                cosine = (g @ h) / (np.sqrt(g @ g) * np.sqrt(h @ h))
                if cosine > best + 1e-12:
                    best, pair = cosine, (a, b)
        groups[pair[0]] |= groups[pair[1]]
        del groups[pair[1]]
        layers.append([set(group) for group in groups])
    return layers


SHAPES: dict[str, Callable[[Array], Array]] = {
    "full": lambda S: S,
    "diagonal": lambda S: np.diag(np.diag(S)),
    "spherical": lambda S: np.eye(len(S)) * np.trace(S) / len(S),
}


def gaussian_em(X: Array, codes: Sequence[int], weights: Array, shape: str, nu: float, iterations: int) -> Any:
    """One Gaussian a class; weights are those of EM (λ multiplied in), the prior leans to the variances of all rows."""
    K, d = max(codes) + 1, X.shape[1]
    scale = np.diag(X.var(axis=0))
    R, objective = one_hot(codes, K), []
    for _ in range(iterations):
        prior, means, covariances = [], [], []
        for c in range(K):
            w = weights * R[:, c]
            mean = sum(w[i] * X[i] for i in range(len(X))) / w.sum()
            scatter = sum(w[i] * np.outer(X[i] - mean, X[i] - mean) for i in range(len(X)))
            prior.append(w.sum())
            means.append(mean)
            covariances.append(SHAPES[shape]((scatter + nu * scale) / (w.sum() + nu)))
        prior = np.array(prior) / sum(prior)
        value, R = 0.0, np.zeros((len(X), K))
        for i in range(len(X)):
            joint = [prior[c] * multivariate_normal.pdf(X[i], means[c], covariances[c]) for c in range(K)]
            if codes[i] != UNLABELED:
                joint = [joint[c] if c == codes[i] else 0.0 for c in range(K)]
            R[i] = np.array(joint) / sum(joint)
            value += weights[i] * np.log(sum(joint))
        for S in covariances:
            value -= 0.5 * nu * (np.linalg.slogdet(S)[1] + np.trace(np.linalg.solve(S, scale)))
        objective.append(value)
    assert d == len(means[0])
    return prior, np.array(means), np.array(covariances), R, objective


def column_sums(X: Array, scale: Array, weights: Array, negligible: float) -> Array:
    out = np.zeros((X.shape[1], weights.shape[1]))
    for i in range(len(X)):
        for w in range(X.shape[1]):
            for m in range(weights.shape[1]):
                if weights[i, m] > negligible:
                    out[w, m] += scale[i] * X[i, w] * weights[i, m]
    return out

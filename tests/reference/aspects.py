"""Slow twins of the aspect models: n × words × aspects arrays, one line an equation, nothing of the fast code."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Parameters:
    """What EM estimates; ``None`` where a variant has none of it."""

    word_given_aspect: np.ndarray  # words × A
    aspect_given_document: np.ndarray  # n × A
    class_given_aspect: np.ndarray  # A × K
    label_given_aspect: np.ndarray | None = None  # A × (K + 1), P(z|α) with y0 last
    imperfect_class_given_aspect: np.ndarray | None = None  # A × K, P̃(y|α)
    mislabel: np.ndarray | None = None  # K × K, β[ỹ, y]


def posterior(parameters, weights, temperature=1.0):
    """π_α(w, x) ∝ (P(α|x) P(w|α) g_α(x))^τ, as n × words × A (K 4.8, 4.9, 4.13); weights is n × A."""
    joint = np.einsum("xa,wa,xa->xwa", parameters.aspect_given_document, parameters.word_given_aspect, weights)
    joint = joint**temperature
    return joint / joint.sum(axis=2, keepdims=True)


def likelihood(n, parameters, weights, temperature=1.0):
    """Σ n(w, x) log Σ_α P(w|α) P(α|x) g_α(x) (K 4.2, 4.3, 4.6, 4.12 by the weights that come in)."""
    joint = np.einsum("xa,wa,xa->xwa", parameters.aspect_given_document, parameters.word_given_aspect, weights)
    return float((n * np.log((joint**temperature).sum(axis=2))).sum() / temperature)


def weights_supervised(parameters, y, decided):
    """B1, B2: g_α = P(y(x)|α) on labeled documents, 1 on the others."""
    return np.array(
        [parameters.class_given_aspect[:, k] if k >= 0 else np.ones(len(parameters.class_given_aspect)) for k in y]
    )


def weights_fake(parameters, y, decided):
    """B3: g_α = P(z(x)|α)."""
    return np.array([parameters.label_given_aspect[:, k] for k in y])  # the code −1 is the last column, y0


def weights_hard(parameters, y, decided):
    """B4: g_α = Σ_y β(ỹ|y) P(y|α) on unlabeled documents."""
    return _mislabel_weights(parameters.class_given_aspect, parameters, y, decided)


def weights_soft(parameters, y, decided):
    """B5: g_α = Σ_y β(ỹ|y) P̃(y|α) on unlabeled documents."""
    return _mislabel_weights(parameters.imperfect_class_given_aspect, parameters, y, decided)


def weights_fake_mislabel(parameters, y, decided):
    """B6: P(y(x)|α), or P(y0|α) Σ_y β(ỹ|y) P̃(y|α)."""
    fake, soft = weights_fake(parameters, y, decided), weights_soft(parameters, y, decided)
    return np.where((y >= 0)[:, None], fake, fake * soft)


def _mislabel_weights(class_given_aspect, parameters, y, decided):
    return np.array(
        [
            parameters.class_given_aspect[:, y[x]]
            if y[x] >= 0
            else [
                sum(
                    parameters.mislabel[decided[x], k] * class_given_aspect[a, k]
                    for k in range(class_given_aspect.shape[1])
                )
                for a in range(len(class_given_aspect))
            ]
            for x in range(len(y))
        ]
    )


def update_words_and_documents(n, pi, pseudo_counts):
    """K 4.7 and 4.10."""
    words = np.einsum("xw,xwa->wa", n, pi) + pseudo_counts[:, None]
    documents = np.einsum("xw,xwa->xa", n, pi)
    return words / words.sum(axis=0), documents / documents.sum(axis=1, keepdims=True)


def update_fake(n, pi, parameters, y, allowed):
    """P(z|α) ∝ Σ n π over the documents labeled z, 0 for a class that α does not belong to (K algorithm 16)."""
    A, K = parameters.class_given_aspect.shape
    table = np.zeros((A, K + 1))
    for x in range(len(y)):
        table[:, y[x]] += n[x] @ pi[x]
    table[:, :K] *= allowed
    return table / table.sum(axis=1, keepdims=True)


def update_mislabel(n, pi, parameters, y, decided, class_given_aspect):
    """Return β and P̃ from joint(α, y | w, x) ∝ P(α|x) P(w|α) P(y|α) β(ỹ|y) (K 4.11, 4.14, correction 8)."""
    A, K = class_given_aspect.shape
    beta, tilde = np.zeros((K, K)), np.zeros((A, K))
    for x in np.flatnonzero(y < 0):
        for a in range(A):
            by_class = class_given_aspect[a] * parameters.mislabel[decided[x]]
            share = by_class / by_class.sum() if by_class.sum() > 0 else by_class
            mass = n[x] @ pi[x, :, a]
            beta[decided[x]] += mass * share
            tilde[a] += mass * share
    return beta / beta.sum(axis=0), tilde / tilde.sum(axis=1, keepdims=True)


def fold_in(n, word_given_aspect, n_iterations):
    """P(α|x) by EM with P(w|α) fixed, from the uniform start (K algorithm 15)."""
    A = word_given_aspect.shape[1]
    documents = np.full((len(n), A), 1.0 / A)
    for _ in range(n_iterations):
        joint = documents[:, None, :] * word_given_aspect[None]
        pi = joint / joint.sum(axis=2, keepdims=True)
        documents = np.einsum("xw,xwa->xa", n, pi)
        documents /= documents.sum(axis=1, keepdims=True)
    return documents


def dot(x, y):
    """Σ_a x_a y_a."""
    return sum(float(a) * float(b) for a, b in zip(x, y, strict=True))

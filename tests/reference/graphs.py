"""Slow and obvious twins of the graph family."""

from itertools import product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def similarities(X: Array, kind: str, bandwidth: float = 1.0) -> Array:
    n = len(X)
    S = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            distance = np.sqrt(((X[i] - X[j]) ** 2).sum())
            norms = np.sqrt((X[i] ** 2).sum()) * np.sqrt((X[j] ** 2).sum())
            if i != j:
                S[i, j] = {
                    "cosine": max(0.0, X[i] @ X[j] / norms) if norms else 0.0,
                    "euclidean": 1 / (1 + distance),
                    "gaussian": np.exp(-(distance**2) / (2 * bandwidth**2)),
                }[kind]
    return S


def knn(S: Array, k: int) -> Array:
    W = np.zeros_like(S)
    for i in range(len(S)):
        others = [j for j in range(len(S)) if j != i and S[i, j] > 0]
        for j in sorted(others, key=lambda j: (-S[i, j], j))[:k]:
            W[i, j] = S[i, j]
    return W


def spanning_tree_weight(S: Array) -> float:
    """Kruskal: the largest total weight of a forest without a cycle."""
    root = list(range(len(S)))

    def find(i: int) -> int:
        while root[i] != i:
            i = root[i]
        return i

    total = 0.0
    edges = [(S[i, j], i, j) for i in range(len(S)) for j in range(i) if S[i, j] > 0]
    for weight, i, j in sorted(edges, reverse=True):
        if find(i) != find(j):
            root[find(i)] = find(j)
            total += weight
    return total


def simplex_weights(x: Array, neighbors: Array, ridge: float) -> Array:
    """Least squares on the simplex by trying every support."""
    k = len(neighbors)
    gap = x - neighbors
    G = gap @ gap.T
    G = G + ridge * np.trace(G) / k * np.eye(k)
    best, best_value = np.full(k, 1.0 / k), np.inf
    for support in product([False, True], repeat=k):
        chosen = np.flatnonzero(support)
        if not len(chosen):
            continue
        try:
            w = np.linalg.solve(G[np.ix_(chosen, chosen)], np.ones(len(chosen)))
        except np.linalg.LinAlgError:
            continue
        if w.sum() <= 0 or (w / w.sum() < 0).any():
            continue
        full = np.zeros(k)
        full[chosen] = w / w.sum()
        if full @ G @ full < best_value:
            best, best_value = full, full @ G @ full
    return best


def harmonic(W: Array, codes: NDArray[np.int64]) -> Array:
    """f_u = −L_uu⁻¹ L_ul f_l."""
    L = np.diag(W.sum(axis=1)) - W
    labeled, free = np.flatnonzero(codes >= 0), np.flatnonzero(codes < 0)
    F = np.zeros((len(W), codes.max() + 1))
    F[labeled, codes[labeled]] = 1
    F[free] = -np.linalg.solve(L[np.ix_(free, free)], L[np.ix_(free, labeled)] @ F[labeled])
    return F


def consistency(S: Array, codes: NDArray[np.int64], gamma: float) -> Array:
    """(1 − γ)(I − γS)⁻¹ Y."""
    Y = np.eye(codes.max() + 1)[codes] * (codes >= 0)[:, None]
    return (1 - gamma) * np.linalg.solve(np.eye(len(S)) - gamma * S, Y)


def potts_energy(W: Array, states: Array) -> float:
    """Σ_{i<j} W_ij [x_i ≠ x_j]."""
    return float(sum(W[i, j] for i in range(len(W)) for j in range(i) if states[i] != states[j]))


def lowest_energy(W: Array, codes: NDArray[np.int64], n_classes: int) -> float:
    """Try every labeling that keeps the labels."""
    free = np.flatnonzero(codes < 0)
    states, best = codes.copy(), np.inf
    for choice in product(range(n_classes), repeat=len(free)):
        states[free] = choice
        best = min(best, potts_energy(W, states))
    return best


def max_marginals(W: Array, codes: NDArray[np.int64], n_classes: int) -> Array:
    """−(lowest energy) with each vertex held at each state."""
    out = np.full((len(W), n_classes), -np.inf)
    for i in range(len(W)):
        for state in range(n_classes):
            if codes[i] in (-1, state):
                held = codes.copy()
                held[i] = state
                out[i, state] = -lowest_energy(W, held, n_classes)
    return out


def flooding(W: Array, codes: NDArray[np.int64], n_classes: int, rounds: int) -> Array:
    """Sums of the max-sum messages after some flooding rounds; messages start at 0 and have maximum 0."""
    n = len(W)
    message = np.zeros((n, n, n_classes))
    for _ in range(rounds):
        sent = np.zeros_like(message)
        for i in range(n):
            for j in range(n):
                if W[i, j] == 0:
                    continue
                for x_j in range(n_classes):
                    options = []
                    for x_i in range(n_classes) if codes[i] < 0 else [codes[i]]:
                        incoming = sum(message[k, i, x_i] for k in range(n) if W[k, i] and k != j)
                        options.append(-W[i, j] * (x_i != x_j) + incoming)
                    sent[i, j, x_j] = max(options)
                sent[i, j] -= sent[i, j].max()
        message = sent
    return message.sum(axis=0)


def walk_likelihood_step(A_t: Array, codes: NDArray[np.int64], Q: Array) -> Array:
    """One EM step of Szummer & Jaakkola on P(y|i), given the t-step matrix A^t."""
    P0 = A_t / A_t.sum(axis=0)  # P_{0|t}(i | k) in column k
    new = np.zeros_like(Q)
    for k in np.flatnonzero(codes >= 0):
        joint = Q[:, codes[k]] * P0[:, k]
        new[:, codes[k]] += joint / joint.sum()
    total = new.sum(axis=1, keepdims=True)
    return np.where(total > 0, new / np.where(total > 0, total, 1), Q)

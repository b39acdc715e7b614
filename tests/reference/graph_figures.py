"""Nguyen's small graphs: what figures 3.6 and 3.7 show."""

import numpy as np


def chain(n=10):
    """A chain with one label at each end, and the positions of its vertices."""
    W = np.diag(np.ones(n - 1), 1)
    y = np.full(n, -1)
    y[0], y[-1] = 0, 1
    return W + W.T, y, np.column_stack([np.arange(n, dtype=float), np.zeros(n)])


def grid(rows=3, columns=9):
    """A grid with its first and last columns labeled."""
    places = [(float(c), float(r)) for r in range(rows) for c in range(columns)]
    W = np.zeros((len(places),) * 2)
    for i, (c, r) in enumerate(places):
        for j, (d, s) in enumerate(places):
            W[i, j] = abs(c - d) + abs(r - s) == 1
    y = np.array([0 if c == 0 else 1 if c == columns - 1 else -1 for c, _ in places])
    return W, y, np.array(places)


def ring(n=14):
    """A circle with two labels opposite to each other."""
    W = np.roll(np.eye(n), 1, axis=1)
    y = np.full(n, -1)
    y[0], y[n // 2] = 0, 1
    angle = 2 * np.pi * np.arange(n) / n
    return W + W.T, y, np.column_stack([np.cos(angle), np.sin(angle)])

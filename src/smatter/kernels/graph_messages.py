"""Max-sum messages for the Potts energy Σ W_ij [x_i ≠ x_j]: on a forest exactly, on any graph by flooding.

A message is kept with its maximum at 0: ψ_{i→j}(x) = max(h_i(x), −W_ij), where h_i is the sum of the other messages
into i, less its own maximum; h_i of a labeled vertex is 0 at its label and −∞ elsewhere.
"""

import numba as nb
import numpy as np

_FLAGS = {"contract", "nsz"}


@nb.njit(cache=True, nogil=True, inline="always")
def _send(sums, subtract, code, weight, out):
    """One message, given the sums of all messages into the sender and the one that came from the receiver."""
    n_states = sums.shape[0]
    top = -np.inf
    for x in range(n_states):
        out[x] = sums[x] - subtract[x] if code < 0 else (0.0 if x == code else -np.inf)
        top = max(top, out[x])
    for x in range(n_states):
        out[x] = max(out[x] - top, -weight)


@nb.njit(cache=True, nogil=True, fastmath=_FLAGS)
def collect(order, parent, weight_up, codes, up, inbox):
    """From the leaves to the roots: ``up`` gets each vertex's message to its parent, ``inbox`` (0 before) the sums."""
    zeros = np.zeros(up.shape[1])
    for position in range(order.shape[0] - 1, -1, -1):
        i = order[position]
        if parent[i] >= 0:
            _send(inbox[i], zeros, codes[i], weight_up[i], up[i])
            for x in range(up.shape[1]):
                inbox[parent[i], x] += up[i, x]


@nb.njit(cache=True, nogil=True, fastmath=_FLAGS)
def trace(order, parent, weight_up, codes, inbox, influence, tolerance, states):
    """From the roots to the leaves: each vertex takes its best state given its parent's; influence settles ties."""
    n_states = inbox.shape[1]
    for i in order:
        if codes[i] >= 0:
            states[i] = codes[i]
            continue
        best = 0
        best_score = -np.inf
        for x in range(n_states):
            score = inbox[i, x]
            if parent[i] >= 0 and x != states[parent[i]]:
                score -= weight_up[i]
            tied = abs(score - best_score) <= tolerance
            if (tied and influence[i, x] > influence[i, best]) or (not tied and score > best_score):
                best = x
            best_score = max(best_score, score)
        states[i] = best


@nb.njit(cache=True, nogil=True, fastmath=_FLAGS)
def distribute(order, parent, weight_up, codes, up, inbox):
    """From the roots to the leaves: add to each ``inbox`` the message from the parent, which makes max-marginals."""
    down = np.empty(up.shape[1])
    for i in order:
        if parent[i] >= 0:
            _send(inbox[parent[i]], up[i], codes[parent[i]], weight_up[i], down)
            for x in range(up.shape[1]):
                inbox[i, x] += down[x]


@nb.njit(cache=True, nogil=True, parallel=True, fastmath=_FLAGS)
def flood(graph, reverse, codes, damping, messages, sent, sums, change):
    """One round: every vertex sends along each of its edges, given the messages of the round before.

    ``messages[e]`` is what came along edge e of the CSR arrays to the vertex of its row; ``reverse[e]`` is the same
    edge seen from the other end. ``sums`` gets the sums of the old messages, ``change`` each vertex's largest change.
    """
    indptr, _, weights = graph
    n, n_states = sums.shape
    for i in nb.prange(n):
        for x in range(n_states):
            sums[i, x] = 0.0
        for edge in range(indptr[i], indptr[i + 1]):
            for x in range(n_states):
                sums[i, x] += messages[edge, x]
        largest = 0.0
        code = codes[i]
        for edge in range(indptr[i], indptr[i + 1]):
            other, lowest, top = reverse[edge], -weights[edge], -np.inf
            for x in range(n_states):
                score = sums[i, x] - messages[edge, x] if code < 0 else (0.0 if x == code else -np.inf)
                sent[other, x] = score
                top = max(top, score)
            for x in range(n_states):
                fresh = max(sent[other, x] - top, lowest)
                fresh += damping * (messages[other, x] - fresh)
                sent[other, x] = fresh
                largest = max(largest, abs(fresh - messages[other, x]))
        change[i] = largest


@nb.njit(cache=True, nogil=True, parallel=True, fastmath=_FLAGS)
def add_up(indptr, messages, sums):
    """The sums of the messages into each vertex."""
    n, n_states = sums.shape
    for i in nb.prange(n):
        for x in range(n_states):
            sums[i, x] = 0.0
        for edge in range(indptr[i], indptr[i + 1]):
            for x in range(n_states):
                sums[i, x] += messages[edge, x]

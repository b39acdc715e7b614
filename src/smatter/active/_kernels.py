"""Compiled loops of the two strategies that ask what each answer would change."""

import numpy as np
from numba import njit

FLAGS = {"contract"}  # a product and a sum may become one instruction; the order of the sums is kept


@njit(cache=True, nogil=True, fastmath=FLAGS)
def expected_losses(columns, asked, counts, base, rest, odds, zero_one, buffers, out):
    """out[c, k] = mean loss on the pool after candidate c has been counted in class k; NaN classes are passed over.

    columns    (indptr, rows, data) of the pool by word, and the lengths of its documents
    asked      (indptr, words, data) of the candidates by row, and their lengths
    counts     (words × K smoothed counts, K smoothed totals, K growths of the class prior)
    base       n × K scores of the pool
    rest       (log Σ_{j≠k} exp score, its entropy, its largest probability), n × K each
    odds       c × K, whether class k is worth the work
    """
    starts, rows, data, pool_lengths = columns
    row_starts, words, own, own_lengths = asked
    word_counts, totals, prior_growth = counts
    log_rest, rest_entropy, rest_best = rest
    added, log_growth = buffers
    n, K = base.shape
    for c in range(len(row_starts) - 1):
        added[:] = 0.0
        for p in range(row_starts[c], row_starts[c + 1]):
            w = words[p]
            for k in range(K):
                log_growth[k] = np.log1p(own[p] / word_counts[w, k])
            for q in range(starts[w], starts[w + 1]):
                row, count = added[rows[q]], data[q]
                for k in range(K):
                    row[k] += count * log_growth[k]
        for k in range(K):
            if not odds[c, k]:
                continue
            shrink = np.log1p(own_lengths[c] / totals[k])
            total = 0.0
            for i in range(n):
                margin = base[i, k] + added[i, k] + prior_growth[k] - pool_lengths[i] * shrink - log_rest[i, k]
                total += _loss(margin, rest_entropy[i, k], rest_best[i, k], zero_one)
            out[c, k] = total / n


@njit(cache=True, nogil=True, fastmath=FLAGS)
def _loss(margin, rest_entropy, rest_best, zero_one):
    """Return the loss of a distribution that is p = 1 / (1 + exp(−margin)) for one class, a known rest otherwise."""
    small = np.exp(-abs(margin))
    share = small / (1.0 + small)  # the smaller of p and 1 − p
    others = share if margin > 0 else 1.0 - share
    if zero_one:
        return 1.0 - max(1.0 - others, others * rest_best)
    return np.log1p(small) + abs(margin) * share + others * rest_entropy


@njit(cache=True, nogil=True, fastmath=FLAGS)
def eliminate(G, k):
    """G ← G − G[:, k] G[k, :] / G[k, k]: the inverse of what is left without k, zeros in its row and column."""
    pivot = G[k].copy()
    for i in range(len(G)):
        share = G[i, k] / pivot[k]
        if share != 0.0:
            row = G[i]
            for j in range(len(G)):
                row[j] -= share * pivot[j]
        G[i, k] = 0.0
    G[k] = 0.0


@njit(cache=True, nogil=True, fastmath=FLAGS)
def harmonic_risks(G, own, F, now, out):
    """out[c] = Σ_k f_k(c) Σ_i (1 − max_j f_j(i)), where f is the harmonic function after c has been labeled k.

    Row c of G is that of candidate c in the inverse, ``own`` its element on the diagonal, ``now`` f of the candidate.
    """
    n, K = F.shape
    totals = np.zeros(K)
    moved = np.zeros(K)
    for c in range(len(G)):
        totals[:] = 0.0
        row, f = G[c], now[c]
        for i in range(n):
            share = row[i] / own[c]
            largest = -np.inf
            for j in range(K):
                moved[j] = F[i, j] - share * f[j]
                largest = max(largest, moved[j])
            for k in range(K):
                totals[k] += 1.0 - max(largest, moved[k] + share)
        out[c] = 0.0
        for k in range(K):
            out[c] += f[k] * totals[k]

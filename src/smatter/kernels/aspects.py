"""The passes of EM over the non-zeros of a corpus, for every aspect model.

Per non-zero, s = Σ_α P(w|α) g_α P(α|x) and the ratio n(w,x)/s. A pass over documents adds ratio · P(w|·) to the row of
a document, a pass over words adds ratio · g P(·|x) to the row of a word. Both only gather rows: nothing is scattered,
so threads share no target, and every sum has one order whatever their number. The ratio is cheaper to compute twice
than to store and permute.

Documents are numbered by position: labeled ones first, class after class, then the unlabeled. Rows of aspects are
padded with zeros to whole vectors (``lanes``).
"""

import numpy as np
from numba import njit

from smatter.kernels.lanes import (
    GROUP,
    add_scaled,
    add_scaled_group,
    add_scaled_part,
    dot,
    dot_group,
    dot_part,
)

FLAGS = {"reassoc", "contract", "nsz", "arcp"}  # sums may be reordered; NaN and infinity keep their meaning
TINY = np.float32(1e-30)  # stands for the probability of a word that no aspect of the document knows


@njit(cache=True, nogil=True)
def count_columns(pointers, words, positions, n_labeled, ends, splits):
    """Count the documents of each word: labeled ones into ``splits``, all into ``ends``."""
    ends[:] = 0
    splits[:] = 0
    for row in range(len(positions)):
        labeled = positions[row] < n_labeled
        if positions[row] < 0:
            continue
        for k in range(pointers[row], pointers[row + 1]):
            ends[words[k]] += 1
            if labeled:
                splits[words[k]] += 1


@njit(cache=True, nogil=True)
def fill_columns(pointers, words, counts, rows, weights, places, documents, weighted):
    """Lay the matrix out by words; within a word by the position of the document."""
    for position in range(len(rows)):
        row = rows[position]
        for k in range(pointers[row], pointers[row + 1]):
            place = places[words[k]]
            documents[place] = position
            weighted[place] = counts[k] * weights[position]
            places[words[k]] += 1


@njit(cache=True, nogil=True, fastmath=FLAGS)
def log_of(x):
    """Natural logarithm of a normal float32, to its precision; the loop around it turns into vectors."""
    bits = np.float32(x).view(np.int32)
    exponent = (bits - np.int32(0x3F3504F3)) >> np.int32(23)
    m = np.int32(bits - (exponent << np.int32(23))).view(np.float32) - np.float32(1.0)
    ratio = m / (m + np.float32(2.0))
    square = ratio * ratio
    series = np.float32(0.22222222) * square + np.float32(0.28571429)
    series = series * square + np.float32(0.4)
    series = series * square + np.float32(0.66666667)
    series = series * square + np.float32(2.0)
    return np.float32(exponent) * np.float32(0.69314718) + ratio * series


@njit(cache=True, nogil=True, fastmath=FLAGS, error_model="numpy")
def log_likelihood(counts, start, sums, length):
    """Return Σ n log s over the non-zeros of one document, whose s are in a buffer."""
    total = 0.0
    for k in range(length):
        total += counts[start + k] * log_of(sums[k])
    return total


@njit(cache=True, nogil=True, fastmath=FLAGS, error_model="numpy")
def pass_over_documents(pointers, words, counts, rows, D, W, begin, end, sums, total, log_likelihoods):
    """For unlabeled documents: D (already times g) ← the expected counts Σ_w n π_α(w, x); their log-likelihoods."""
    for position in range(begin, end):
        row = rows[position]
        start, stop = np.int64(pointers[row]), np.int64(pointers[row + 1])
        weights = D[position]
        total[:] = 0
        k = start
        while k + GROUP <= stop:
            s0, s1, s2, s3 = dot_group(weights, W, words, k)
            s0, s1, s2, s3 = max(s0, TINY), max(s1, TINY), max(s2, TINY), max(s3, TINY)
            j = k - start
            sums[j], sums[j + 1], sums[j + 2], sums[j + 3] = s0, s1, s2, s3
            ratios = (
                np.float32(counts[k]) / s0,
                np.float32(counts[k + 1]) / s1,
                np.float32(counts[k + 2]) / s2,
                np.float32(counts[k + 3]) / s3,
            )
            add_scaled_group(ratios, W, words, k, total)
            k += GROUP
        while k < stop:
            known = W[words[k]]
            s = max(dot(weights, known), TINY)
            sums[k - start] = s
            add_scaled(np.float32(counts[k]) / s, known, total)
            k += 1
        for a in range(len(total)):
            weights[a] *= total[a]
        log_likelihoods[position] = log_likelihood(counts, start, sums, stop - start)


@njit(cache=True, nogil=True, fastmath=FLAGS, error_model="numpy")
def pass_over_labeled_documents(
    pointers, words, counts, rows, kinds, D, W, starts, lows, highs, begin, end, sums, total, log_likelihoods
):
    """As above, for labeled documents: only the vectors that hold aspects of their class are touched."""
    for position in range(begin, end):
        row = rows[position]
        start, stop = np.int64(pointers[row]), np.int64(pointers[row + 1])
        first, last = starts[kinds[position]], starts[kinds[position] + 1]
        weights = D[position]
        total[:] = 0
        for k in range(start, stop):
            word = np.int64(words[k])
            s = TINY
            for j in range(first, last):
                s += dot_part(weights, W, word, lows[j], highs[j])
            sums[k - start] = s
            ratio = np.float32(counts[k]) / s
            for j in range(first, last):
                add_scaled_part(ratio, W, word, lows[j], highs[j], total)
        for a in range(len(total)):
            weights[a] *= total[a]
        log_likelihoods[position] = log_likelihood(counts, start, sums, stop - start)


@njit(cache=True, nogil=True, fastmath=FLAGS, error_model="numpy")
def pass_over_words(
    starts, splits, documents, counts, kinds, D, W, own_starts, lows, highs, pseudo_counts, begin, end, N
):
    """N[w] ← Σ_x n π_α(w, x) + pseudo-count; D is already times g."""
    for word in range(begin, end):
        weights = W[word]
        total = N[word]
        total[:] = 0
        for place in range(starts[word], splits[word]):
            document = np.int64(documents[place])
            kind = kinds[document]
            s = TINY
            for j in range(own_starts[kind], own_starts[kind + 1]):
                s += dot_part(weights, D, document, lows[j], highs[j])
            for j in range(own_starts[kind], own_starts[kind + 1]):
                add_scaled_part(counts[place] / s, D, document, lows[j], highs[j], total)
        k, stop = np.int64(splits[word]), np.int64(starts[word + 1])
        while k + GROUP <= stop:
            s0, s1, s2, s3 = dot_group(weights, D, documents, k)
            ratios = (
                counts[k] / max(s0, TINY),
                counts[k + 1] / max(s1, TINY),
                counts[k + 2] / max(s2, TINY),
                counts[k + 3] / max(s3, TINY),
            )
            add_scaled_group(ratios, D, documents, k, total)
            k += GROUP
        while k < stop:
            known = D[documents[k]]
            add_scaled(counts[k] / max(dot(weights, known), TINY), known, total)
            k += 1
        for a in range(len(total)):
            total[a] = total[a] * weights[a] + pseudo_counts[word]


@njit(cache=True, nogil=True, fastmath=FLAGS, error_model="numpy")
def scale_columns(N, factors, pseudo_counts, begin, end, W, log_prior):
    """W[w] ← N[w] · factor; adds Σ pseudo-count · log W to ``log_prior`` where a factor is not 0."""
    total = 0.0
    for word in range(begin, end):
        source, row = N[word], W[word]
        for a in range(len(factors)):
            row[a] = source[a] * factors[a]
        if pseudo_counts[word] > 0:
            partial = np.float32(0)
            for a in range(len(factors)):
                partial += log_of(max(row[a], TINY)) if factors[a] > 0 else np.float32(0)
            total += np.float64(pseudo_counts[word] * partial)
    log_prior[0] += total


@njit(cache=True, nogil=True, fastmath=FLAGS, error_model="numpy")
def scale_rows(D, kinds, table, begin, end):
    """D[x] ← D[x] · g, where a document's g is the row of the table for its kind."""
    for position in range(begin, end):
        row, weights = D[position], table[kinds[position]]
        for a in range(len(row)):
            row[a] *= weights[a]


@njit(cache=True, nogil=True, fastmath=FLAGS, error_model="numpy")
def sum_by_kind(D, kinds, weights, begin, end, by_kind):
    """Add the weighted expected counts of each document to the row of its kind."""
    for position in range(begin, end):
        row, sums = D[position], by_kind[kinds[position]]
        for a in range(len(row)):
            sums[a] += row[a] * weights[position]


@njit(cache=True, nogil=True, fastmath=FLAGS, error_model="numpy")
def normalize_documents(D, kinds, fallback, begin, end):
    """D[x] ← D[x] / Σ D[x]; a document without a known word falls back on the row of its kind."""
    for position in range(begin, end):
        row = D[position]
        total = np.float32(0)
        for a in range(len(row)):
            total += row[a]
        if total > TINY:
            scale = np.float32(1) / total
            for a in range(len(row)):
                row[a] *= scale
        else:
            row[:] = fallback[kinds[position]]

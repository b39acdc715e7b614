"""The counts of the documents that take part, laid out by document and by word, and the passes over them."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from smatter.labels import Codes
from smatter.validation import Matrix

Floats = NDArray[np.float32]
_NON_ZEROS_OF_A_PART = 50_000
_MOST_PARTS = 16  # fixed, so that partial sums do not depend on the number of threads


@dataclass
class Corpus:
    """Documents by position: labeled ones first, class after class, then the unlabeled.

    The kind of a document is its class y where it is labeled, and K + ỹ where it is not: g_α depends on nothing else.
    """

    pointers: NDArray[np.int64]
    words: NDArray[np.int32]
    counts: NDArray[Any]  # as they came, or in float32 to the power
    rows: NDArray[np.int64]
    kinds: NDArray[np.int32]
    weights: Floats
    n_labeled: int
    n_words: int

    @property
    def n_documents(self) -> int:
        """How many documents take part."""
        return len(self.rows)

    @property
    def longest(self) -> int:
        """The most non-zeros of a document."""
        return int(np.diff(self.pointers).max(initial=1))

    def matrix(self) -> sp.csr_array:
        """The counts as they came, by row."""
        return sp.csr_array((self.counts, self.words, self.pointers), shape=(len(self.pointers) - 1, self.n_words))

    def parts(self, begin: int, end: int) -> list[tuple[int, int]]:
        """Cut positions into consecutive parts of about equal numbers of non-zeros."""
        lengths = (self.pointers[1:] - self.pointers[:-1])[self.rows[begin:end]]
        return [(begin + first, begin + last) for first, last in _cut(np.concatenate([[0], np.cumsum(lengths)]))]


@dataclass
class Columns:
    """The weighted counts by word; within a word by position, the labeled documents before ``splits``."""

    starts: NDArray[np.int64]
    splits: NDArray[np.int64]
    documents: NDArray[np.int32]
    counts: Floats

    def parts(self) -> list[tuple[int, int]]:
        """Cut the words into consecutive parts of about equal numbers of non-zeros."""
        return _cut(self.starts)


def build_corpus(
    X: Matrix, codes: Codes, n_classes: int, weights: NDArray[np.float64] | None = None, exponent: float = 1.0
) -> Corpus:
    """Sort the documents by class, the unlabeled at the end; counts enter to the power of the exponent."""
    X = X if sp.issparse(X) else sp.csr_array(X)
    rows = np.argsort(np.where(codes < 0, n_classes, codes), kind="stable")
    return Corpus(
        pointers=X.indptr.astype(np.int64, copy=False),
        words=X.indices.astype(np.int32, copy=False),
        counts=_to_power(X.data, exponent),
        rows=rows,
        kinds=np.where(codes < 0, n_classes, codes)[rows].astype(np.int32),
        weights=(np.ones(len(rows)) if weights is None else weights[rows]).astype(np.float32),
        n_labeled=int((codes >= 0).sum()),
        n_words=X.shape[1],
    )


def _to_power(counts: NDArray[Any], exponent: float) -> NDArray[Any]:
    if exponent == 1:
        return counts
    powers = counts.astype(np.float32)
    return np.power(powers, np.float32(exponent), out=powers)


def only_labeled(corpus: Corpus) -> Corpus:
    """Return the labeled documents alone: they come first, so that no count is copied."""
    n = corpus.n_labeled
    return Corpus(
        corpus.pointers, corpus.words, corpus.counts, corpus.rows[:n], corpus.kinds[:n], corpus.weights[:n], n,
        corpus.n_words,
    )  # fmt: skip


def lay_out_by_word(corpus: Corpus) -> Columns:
    """Copy the counts by word, so that P(w|α) is summed row by row instead of scattered into."""
    from smatter.kernels import aspects as kernels

    positions = np.full(len(corpus.pointers) - 1, -1, dtype=np.int64)
    positions[corpus.rows] = np.arange(corpus.n_documents)
    in_word, splits = np.zeros((2, corpus.n_words), dtype=np.int64)
    kernels.count_columns(corpus.pointers, corpus.words, positions, corpus.n_labeled, in_word, splits)
    starts = np.concatenate([[0], np.cumsum(in_word)])
    columns = Columns(
        starts, starts[:-1] + splits, np.empty(starts[-1], dtype=np.int32), np.empty(starts[-1], dtype=np.float32)
    )
    kernels.fill_columns(
        corpus.pointers, corpus.words, corpus.counts, corpus.rows, corpus.weights, starts[:-1].copy(),
        columns.documents, columns.counts,
    )  # fmt: skip
    return columns


def _cut(cumulated: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cut a range into parts of about equal weight, given the cumulated weights."""
    if len(cumulated) == 1:
        return []
    n_parts = int(min(_MOST_PARTS, 1 + cumulated[-1] // _NON_ZEROS_OF_A_PART))
    targets = cumulated[-1] * np.arange(1, n_parts) / n_parts
    edges = [0, *np.searchsorted(cumulated, targets).tolist(), len(cumulated) - 1]
    return [(first, last) for first, last in pairwise(edges) if last > first]


class Workers:
    """Runs the parts of a pass, in this thread or in several; the parts and their sums are the same."""

    def __init__(self, pool: ThreadPoolExecutor | None) -> None:
        self._pool = pool

    def run(self, task: Callable[[int, int], Any], parts: list[tuple[int, int]]) -> list[Any]:
        """Return the result of each part, in order."""
        if self._pool is None or len(parts) < 2:
            return [task(begin, end) for begin, end in parts]
        return list(self._pool.map(lambda part: task(*part), parts))


@contextmanager
def workers() -> Iterator[Workers]:
    """As many threads as numba may use here (``NUMBA_NUM_THREADS``, ``numba.set_num_threads``)."""
    from smatter.kernels.threads import thread_count

    n_threads = thread_count()
    if n_threads == 1:
        yield Workers(None)
        return
    with ThreadPoolExecutor(n_threads, thread_name_prefix="smatter-aspects") as pool:
        yield Workers(pool)

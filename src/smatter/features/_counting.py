"""Terms counted into sparse rows: the loop that the speed of `WordCounts` hangs on."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, repeat
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from smatter.features._tokens import Analyzer
from smatter.progress import Progress, report

_CHUNK = 4 * 2**20  # characters that a worker process is given at a time
_PROGRESS_EVERY = 500


class Rows:
    """Rows of counts that grow at the end, four bytes a number."""

    def __init__(self) -> None:
        self.columns = array("i")
        self.counts = array("i")
        self.ends = array("q", [0])

    def add(self, columns: list[int], counts: list[int]) -> None:
        """Add one row."""
        self.columns.fromlist(columns)
        self.counts.fromlist(counts)
        self.ends.append(len(self.columns))

    def extend(self, other: "Rows", column_of: Sequence[int]) -> None:
        """Add the rows of another, whose columns have other numbers here."""
        start = len(self.columns)
        renumbered = np.asarray(column_of, dtype=np.intc)[np.frombuffer(other.columns, dtype=np.intc)]
        self.columns.frombytes(renumbered.tobytes())
        self.counts.extend(other.counts)
        self.ends.extend(array("q", (np.frombuffer(other.ends, dtype=np.int64)[1:] + start).tolist()))

    def matrix(self, n_columns: int) -> sp.csr_array:
        """Return the counts as a CSR matrix that lies in the same memory."""
        ends = np.frombuffer(self.ends, dtype=np.int64)
        index = np.intc if ends[-1] <= np.iinfo(np.intc).max else np.int64
        parts = (
            np.frombuffer(self.counts, dtype=np.intc),
            np.frombuffer(self.columns, dtype=np.intc).astype(index, copy=False),
            ends.astype(index),
        )
        return sp.csr_array(parts, shape=(len(ends) - 1, n_columns))


@dataclass
class CountedTerms:
    """Every term of some texts, in the order in which they were met, and how often which text has it."""

    terms: list[str]
    rows: Rows

    def document_frequency(self) -> NDArray[np.int64]:
        """In how many texts each term occurs."""
        return np.bincount(np.frombuffer(self.rows.columns, dtype=np.intc), minlength=len(self.terms))

    def total(self) -> NDArray[np.float64]:
        """How often each term occurs."""
        columns = np.frombuffer(self.rows.columns, dtype=np.intc)
        counts = np.frombuffer(self.rows.counts, dtype=np.intc)
        return np.bincount(columns, weights=counts, minlength=len(self.terms)).astype(np.float64)


def count_all(texts: Sequence[str], analyzer: Analyzer, n_jobs: int | None, name: str) -> CountedTerms:
    """Count every term of the texts."""
    column_of: defaultdict[str, int] = defaultdict(count().__next__)  # a new term gets the next column
    if n_jobs in (None, 1):
        rows = _count(texts, analyzer, column_of, name)
        return CountedTerms(list(column_of), rows)
    rows = Rows()
    for part in _in_processes(_count_chunk, texts, n_jobs, name, analyzer):
        rows.extend(part.rows, [column_of[term] for term in part.terms])
    return CountedTerms(list(column_of), rows)


def count_known(
    texts: Sequence[str], analyzer: Analyzer, vocabulary: Mapping[str, int], n_jobs: int | None, name: str
) -> Rows:
    """Count the terms of the texts that the vocabulary has; all others count in the column after its last."""
    if n_jobs in (None, 1):
        return _count_known_chunk(texts, analyzer, vocabulary, name)
    rows = Rows()
    same = range(len(vocabulary) + 1)
    for part in _in_processes(_count_known_chunk, texts, n_jobs, name, analyzer, vocabulary):
        rows.extend(part, same)
    return rows


def _count(texts: Sequence[str], analyzer: Analyzer, column_of: Mapping[str, int], name: str = "") -> Rows:
    rows = Rows()
    for done, text in enumerate(texts):
        found = _terms_of(text, analyzer)
        rows.add(list(map(column_of.__getitem__, found)), list(found.values()))
        if name and done % _PROGRESS_EVERY == 0:
            report(Progress(name, done, len(texts)))
    return rows


def _terms_of(text: str, analyzer: Analyzer) -> Counter[str]:
    pieces = analyzer.pieces(text)
    found = Counter(next(pieces, ()))
    for piece in pieces:
        found.update(piece)
    return found


def _count_chunk(texts: Sequence[str], analyzer: Analyzer) -> CountedTerms:
    return count_all(texts, analyzer, None, "")


def _count_known_chunk(texts: Sequence[str], analyzer: Analyzer, vocabulary: Mapping[str, int], name: str = "") -> Rows:
    rows, unknown = Rows(), repeat(len(vocabulary))
    for done, text in enumerate(texts):
        found = _terms_of(text, analyzer)
        rows.add(list(map(vocabulary.get, found, unknown)), list(found.values()))
        if name and done % _PROGRESS_EVERY == 0:
            report(Progress(name, done, len(texts)))
    return rows


def _in_processes(work: Any, texts: Sequence[str], n_jobs: int | None, name: str, *arguments: Any) -> Iterator[Any]:
    from joblib import Parallel, delayed

    chunks = list(_chunks(texts))
    tasks = (delayed(work)(texts[start:end], *arguments) for start, end in chunks)
    for (_, end), part in zip(chunks, Parallel(n_jobs=n_jobs, return_as="generator")(tasks), strict=True):
        report(Progress(name, end, len(texts)))
        yield part


def _chunks(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    start = size = 0
    for end, text in enumerate(texts, 1):
        size += len(text)
        if size >= _CHUNK:
            yield start, end
            start, size = end, 0
    if start < len(texts):
        yield start, len(texts)

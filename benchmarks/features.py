"""Text to counts: WordCounts beside scikit-learn's CountVectorizer on the same tokens of the same messages.

One core against one core, in one process, turn about; the matrices must be equal. Prints one line.
"""

import time
from collections.abc import Callable
from typing import Any

from sklearn.feature_extraction.text import CountVectorizer

from smatter.datasets import load
from smatter.features.counts import WordCounts

ROUNDS = 5


def seconds(work: Callable[[list[str]], Any], documents: list[str]) -> float:
    """Time one run on this core."""
    start = time.process_time()
    work(documents)
    return time.process_time() - start


def main() -> None:
    """Measure and compare."""
    documents = load("20newsgroups").documents
    ours, theirs = WordCounts(min_df=5), CountVectorizer(token_pattern=r"[^\W_]+", min_df=5)
    expected, found = theirs.fit_transform(documents), ours.fit_transform(documents)
    if abs(found - expected).nnz or list(ours.vocabulary_) != theirs.get_feature_names_out().tolist():
        raise SystemExit("the matrices differ: the tokens are not the same, so the times cannot be compared")
    ratios = {}
    for what in ("fit_transform", "transform"):
        works = [getattr(counter, what) for counter in (ours, theirs)]
        rounds = [[seconds(work, documents) for work in works] for _ in range(ROUNDS)]
        fastest = [min(times) for times in zip(*rounds, strict=True)]
        ratios[what] = fastest[1] / fastest[0]
    shape = f"{len(documents):,} messages, {found.shape[1]:,} words, equal matrices"
    print(f"features: {shape}: " + ", ".join(f"{what} {ratio:.2f} x as fast" for what, ratio in ratios.items()))


if __name__ == "__main__":
    main()

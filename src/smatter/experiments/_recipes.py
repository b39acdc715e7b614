"""From the name of a collection to the matrix that an experiment is about, as the seed documents describe it."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class WordCounts:
    """Counts of words as in Krithara 6.3: no stop words, none that occurs in fewer than five documents."""

    collection: str
    min_df: int = 5
    stop_words: str = "cacm"

    def __call__(self) -> tuple[Any, Any, Any]:
        """Return counts, labels and words."""
        from smatter.experiments.inputs import counts

        return counts(self.collection, min_df=self.min_df, stop_words=self.stop_words)


@dataclass(frozen=True)
class TopWordWeights:
    """Nguyen 2.4: the words with the largest sum of tf-idf, one class negative, the other positive."""

    collection: str
    negative: str
    n_words: int = 600
    scale: float = 10_000.0
    stop_words: str = "english"

    def __call__(self) -> tuple[Any, Any, Any]:
        """Return weights, "negative" or "positive" for each row, and words."""
        from smatter.experiments.inputs import counts
        from smatter.features.weights import TopWords

        X, labels, words = counts(self.collection, min_df=1, stop_words=self.stop_words)
        chooser = TopWords(self.n_words, scale=self.scale).fit(X)
        y = np.where(labels == self.negative, "negative", "positive").astype(object)
        return chooser.transform(X), y, chooser.get_feature_names_out(words)

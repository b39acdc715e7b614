"""From the name of a collection to the matrix that an experiment is about, as the seed documents describe it."""

from dataclasses import dataclass
from typing import Any


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

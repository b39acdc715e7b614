"""A small made-up collection and an experiment on it, in the shape of the real ones."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from smatter.evaluate.baselines import LabeledOnly
from smatter.evaluate.protocols import Protocol, percent
from smatter.experiments import Experiment

CLASSES = ("cooking", "music", "sailing")


@dataclass(frozen=True)
class Made:
    """Counts of 30 words in 90 documents; each class has ten words that it likes."""

    seed: int = 0

    def __call__(self) -> tuple[Any, Any, list[str]]:
        rng = np.random.default_rng(self.seed)
        codes = np.repeat(np.arange(3), 30)
        rates = np.full((3, 30), 0.3)
        for code in range(3):
            rates[code, 10 * code : 10 * code + 10] = 0.8
        X = sp.csr_array(rng.poisson(rates[codes]).astype(float))
        return X, np.array(CLASSES, dtype=object)[codes], [f"word{i}" for i in range(30)]


def experiment(**changes: Any) -> Experiment:
    settings: dict[str, Any] = {
        "name": "tiny",
        "title": "A tiny experiment",
        "collections": {"made": Made(0), "more": Made(1)},
        "methods": {
            "supervised": lambda: LabeledOnly(MultinomialNB()),
            "complement": lambda: LabeledOnly(ComplementNB()),
        },
        "baseline": "supervised",
        "budgets": percent(10, 50, 100),
        "protocol": Protocol(folds=3, starts=2),
    }
    return Experiment(**{**settings, **changes})

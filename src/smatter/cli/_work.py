"""From texts and some labels to a category and a probability for each, and to what that may be worth."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from smatter.cli._estimate import (
    Estimate,
    Floats,
    Labels,
    can_estimate,
    cooled,
    estimate_worth,
    honest_temperature,
    usual_folds,
)
from smatter.errors import InputError

GIVEN, PREDICTED, WORDLESS = "given", "predicted", "no words: prior"
_LIMITS = ((200, 1, 1.0), (5_000, 2, 0.5), (float("inf"), 5, 0.5))  # below so many documents: min_df, max_df


@dataclass(frozen=True)
class Answers:
    """Category, probability and source of each document; the fitted model; the estimate where there is one."""

    categories: list[str]
    probabilities: Floats
    sources: list[str]
    model: Any
    posterior: Floats
    estimate: Estimate | None


def count_words(texts: Sequence[str], stop_words: str | None = "english") -> Any:
    """Count words: rare ones are left out as far as the collection can spare them, and those of half of all texts."""
    from smatter.features.counts import WordCounts

    min_df, max_df = next(rest for below, *rest in _LIMITS if len(texts) < below)
    try:
        return WordCounts(min_df=min_df, max_df=max_df, stop_words=stop_words).fit_transform(texts)
    except InputError:  # perhaps each word is in one text only, or all are in most
        pass
    try:
        return WordCounts(stop_words=stop_words).fit_transform(texts)
    except InputError as error:
        if any(character.isalnum() for text in texts for character in text):
            raise
        raise InputError(
            f"None of the {len(texts)} texts has a word; a text must have letters or digits: look at whether the right "
            "column or folder was read."
        ) from error


def answer(
    model: Any,
    baseline: Any,
    X: Any,
    labels: Labels,
    folds: int | None = None,
    *,
    say: Callable[[str], None] = lambda _: None,
) -> Answers:
    """Fit the model on all rows and read off what it says of each.

    Many models are far too sure of themselves on long texts. So a part of the labels is held out in turn (``folds``
    times; None: a usual number; 0: never), and the probabilities of the predictions become P^(1/T), normalized, with
    the T under which their mean is the share of the held-out labels that came back.
    """
    from smatter.validation import empty_rows

    say(f"Learning: {type(model).__name__}")
    model.fit(X, np.array(labels, dtype=object))
    estimate = None
    folds = usual_folds(labels) if folds is None else folds
    if folds and can_estimate(labels, folds):
        say("Checking on held-out labels")
        estimate = estimate_worth(model, baseline, X, labels, folds)
    given = np.array([label is not None for label in labels])
    wordless = empty_rows(X) & ~given
    posterior = np.asarray(model.posterior_)
    if estimate is not None:
        predicted = ~given & ~wordless
        temperature = honest_temperature(posterior[predicted], estimate.right / estimate.of)
        posterior = np.where(predicted[:, None], cooled(posterior, temperature), posterior)
    decided = model.classes_[posterior.argmax(axis=1)]
    rows = zip(labels, decided, wordless, strict=True)
    return Answers(
        categories=[own if label is None else label for label, own in zip(labels, decided, strict=True)],
        probabilities=np.where(given, 1.0, posterior.max(axis=1)),
        sources=[GIVEN if label is not None else WORDLESS if empty else PREDICTED for label, _, empty in rows],
        model=model,
        posterior=posterior,
        estimate=estimate,
    )

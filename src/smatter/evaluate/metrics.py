"""How good decisions and probabilities are.

Rows are judged by ``truth`` (codes of the true classes) against ``decided`` (codes, ``-1`` where the model abstained)
or ``posterior`` (n × K). Abstaining is a miss of the true class and a claim of none: it lowers recall, not precision.
Micro F then is 2PR/(P + R) with P over answered and R over all rows; without abstention P = R = F = accuracy.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smatter.errors import InputError, LabelError
from smatter.labels import UNLABELED, Codes

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """True positives, claims (TP + FP) and members (TP + FN) of each class."""

    hits: Floats
    claims: Floats
    members: Floats

    @property
    def precision(self) -> Floats:
        """TP / (TP + FP) a class; 0 for a class that was never decided."""
        return _ratio(self.hits, self.claims)

    @property
    def recall(self) -> Floats:
        """TP / (TP + FN) a class; 0 for a class without a row."""
        return _ratio(self.hits, self.members)

    @property
    def f(self) -> Floats:
        """2TP / (2TP + FP + FN) a class; 0 where that is 0/0."""
        return _ratio(2 * self.hits, self.claims + self.members)


def judge(truth: Codes, decided: Codes, n_classes: int) -> Judged:
    """Count true positives, claims and members of every class.

    >>> judge(np.array([0, 0, 1]), np.array([0, 1, 1]), 2).hits.tolist()
    [1.0, 1.0]
    """
    truth, decided = _checked(truth, decided, n_classes)
    answered = decided != UNLABELED
    return Judged(
        hits=_counts(truth[truth == decided], n_classes),
        claims=_counts(decided[answered], n_classes),
        members=_counts(truth, n_classes),
    )


def micro_precision(judged: Judged) -> float:
    """Share of the answers that are right."""
    return float(_ratio(judged.hits.sum(), judged.claims.sum()))


def micro_recall(judged: Judged) -> float:
    """Share of the rows that got their right answer."""
    return float(_ratio(judged.hits.sum(), judged.members.sum()))


def micro_f(judged: Judged) -> float:
    """2PR/(P + R) of the counts summed over classes (Krithara 6.4)."""
    return float(_ratio(2 * judged.hits.sum(), judged.claims.sum() + judged.members.sum()))


def macro_precision(judged: Judged) -> float:
    """Mean of the classes' precision; a class without a single decision counts as 0."""
    return float(judged.precision.mean())


def macro_recall(judged: Judged) -> float:
    """Mean of the classes' recall."""
    return float(judged.recall.mean())


def macro_f(judged: Judged) -> float:
    """Mean of the classes' F."""
    return float(judged.f.mean())


DECISION_METRICS: dict[str, Callable[[Judged], float]] = {
    "micro_f": micro_f,
    "macro_f": macro_f,
    "accuracy": micro_recall,
    "micro_precision": micro_precision,
    "micro_recall": micro_recall,
    "macro_precision": macro_precision,
    "macro_recall": macro_recall,
}


def decide(posterior: ArrayLike) -> Codes:
    """Return the most probable class of each row, or −1 (abstained) for a row of NaN.

    A row that is NaN in part is an error: it is neither an answer nor an abstention.

    >>> decide([[0.2, 0.8], [float("nan"), float("nan")]]).tolist()
    [1, -1]
    """
    P = np.asarray(posterior, dtype=np.float64)
    missing = np.isnan(P)
    silent = missing.all(axis=1)
    torn = np.flatnonzero(missing.any(axis=1) & ~silent)
    if len(torn):
        raise InputError(
            f"Row {torn[0]} of the posterior is {P[torn[0]].tolist()}; a row is probabilities throughout, or NaN "
            "throughout where the model abstains: correct the model."
        )
    return np.where(silent, UNLABELED, np.where(missing, -np.inf, P).argmax(axis=1))


def log_loss(truth: Codes, posterior: ArrayLike) -> float:
    """Mean of −log P(true class | row) over the answered rows; P is kept above the machine's epsilon.

    >>> round(log_loss(np.array([0, 1]), [[0.5, 0.5], [0.75, 0.25]]), 6)
    1.039721
    """
    truth, P = _answered(truth, posterior)
    if len(truth) == 0:
        return float("nan")
    return float(-np.log(np.maximum(P[np.arange(len(truth)), truth], np.finfo(np.float64).eps)).mean())


def calibration_error(truth: Codes, posterior: ArrayLike, n_bins: int = 15) -> float:
    """Return the expected calibration error, Σ_b n_b/n |accuracy_b − confidence_b| (Guo et al. 2017).

    A row's confidence is its largest probability. The bins are ``n_bins`` equal parts of [0, 1], closed on the right,
    (0, 1/B], (1/B, 2/B], …; empty bins add nothing; rows without an answer are left out.

    >>> calibration_error(np.array([0, 0, 1, 1]), [[0.75, 0.25]] * 4)
    0.25
    """
    truth, P = _answered(truth, posterior)
    if len(truth) == 0:
        return float("nan")
    confidence = P.max(axis=1)
    right = P.argmax(axis=1) == truth
    # A largest probability that rounds just over 1 belongs to the last bin.
    bins = np.ceil(confidence * n_bins).astype(int).clip(1, n_bins) - 1
    gap = np.bincount(bins, weights=right, minlength=n_bins) - np.bincount(bins, weights=confidence, minlength=n_bins)
    return float(np.abs(gap).sum() / len(truth))


PROBABILITY_METRICS: dict[str, Callable[[Codes, ArrayLike], float]] = {
    "log_loss": log_loss,
    "calibration_error": calibration_error,
}


def evaluate(truth: Codes, decided: Codes, posterior: ArrayLike | None, n_classes: int) -> dict[str, float]:
    """Return every metric by its name; those of probabilities are NaN where there are none.

    ``coverage`` is the share of rows with an answer.

    >>> scores = evaluate(np.array([0, 1]), np.array([0, 0]), None, 2)
    >>> scores["accuracy"], scores["coverage"], scores["log_loss"]
    (0.5, 1.0, nan)
    """
    judged = judge(truth, decided, n_classes)
    scores = {name: metric(judged) for name, metric in DECISION_METRICS.items()}
    for name, metric in PROBABILITY_METRICS.items():
        scores[name] = float("nan") if posterior is None else metric(truth, posterior)
    scores["coverage"] = float(judged.claims.sum() / judged.members.sum())
    return scores


def class_table(judged: Judged, classes: Sequence[Any]) -> list[dict[str, Any]]:
    """Return precision, recall, F and the number of rows of each class, one row a class."""
    columns = zip(classes, judged.precision, judged.recall, judged.f, judged.members, strict=True)
    return [
        {"class": label, "precision": float(p), "recall": float(r), "f": float(f), "rows": int(n)}
        for label, p, r, f, n in columns
    ]


def align_posterior(posterior: ArrayLike, model_classes: ArrayLike, classes: ArrayLike) -> Floats:
    """Spread a model's columns over all ``classes``: a class that the model never saw has probability 0.

    >>> align_posterior([[0.4, 0.6]], ["b", "c"], ["a", "b", "c"]).tolist()
    [[0.0, 0.4, 0.6]]
    """
    P = np.asarray(posterior, dtype=np.float64)
    position = {label: column for column, label in enumerate(np.asarray(classes).tolist())}
    known = np.asarray(model_classes).tolist()
    strangers = [label for label in known if label not in position]
    if strangers:
        raise InputError(
            f"The model answers with class {strangers[0]!r}, which is not among the {len(position)} classes of the "
            "collection: encode the labels of both in the same way."
        )
    aligned = np.zeros((len(P), len(position)))
    aligned[:, [position[label] for label in known]] = P
    silent = np.isnan(P).all(axis=1)
    aligned[silent] = np.nan
    return aligned


def _checked(truth: Codes, decided: Codes, n_classes: int) -> tuple[Codes, Codes]:
    truth, decided = np.asarray(truth), np.asarray(decided)
    if truth.shape != decided.shape or truth.ndim != 1:
        raise InputError(
            f"truth has shape {truth.shape} and decided has shape {decided.shape}; both must be one code a row: "
            "pass the decisions of the same rows."
        )
    if len(truth) == 0:
        raise InputError("There are 0 rows to judge; a score needs one at least: pass test rows.")
    if truth.min() < 0:
        raise LabelError(f"Row {int(np.argmin(truth))} has no true label; only labeled rows can be judged: drop it.")
    if max(truth.max(), decided.max()) >= n_classes or decided.min() < UNLABELED:
        raise InputError(
            f"Codes run from {min(truth.min(), decided.min())} to {max(truth.max(), decided.max())}; they must lie "
            f"between 0 and {n_classes - 1} (−1 for an abstention): encode against the same classes."
        )
    return truth, decided


def _answered(truth: Codes, posterior: ArrayLike) -> tuple[Codes, Floats]:
    P = np.asarray(posterior, dtype=np.float64)
    if P.ndim != 2 or len(P) != len(truth):
        raise InputError(
            f"posterior has shape {P.shape} for {len(truth)} rows; it must have one row a row and one column a class: "
            "pass the posterior of the same rows."
        )
    kept = decide(P) != UNLABELED
    return np.asarray(truth)[kept], P[kept]


def _counts(codes: Codes, n_classes: int) -> Floats:
    return np.bincount(codes, minlength=n_classes).astype(np.float64)


def _ratio(part: Any, whole: Any) -> Any:
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)

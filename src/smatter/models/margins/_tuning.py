"""C, C* and the temperature, from the labeled rows alone: cross-validation where the unlabeled rows always train."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from smatter.labels import UNLABELED, Labels
from smatter.models.margins._calibration import fit_temperature, two_columns
from smatter.models.margins._problem import BinarySolution
from smatter.models.margins._rows import Rows, Vector, as_rows

LABELED_GRID = (0.1, 1.0, 10.0, 100.0)
UNLABELED_GRID = (0.01, 0.1, 0.3, 1.0)
MAX_ROWS = 2000
N_FOLDS = 3


@dataclass(frozen=True)
class Costs:
    """C of a labeled and C* of an unlabeled row."""

    labeled: float
    unlabeled: float


@dataclass(frozen=True)
class _Sample:
    """At most MAX_ROWS labeled and as many unlabeled rows; ``scale`` lets the fewer unlabeled ones weigh as much."""

    rows: Rows
    labels: Labels
    weights: Vector
    scale: float


def choose_costs(model: Any, rows: Rows, labels: Labels, weights: Vector) -> Costs:
    """Return the costs that the model asks for; "cv" takes the one of the grid with the best held-out accuracy."""
    share = _default_share(labels)
    C, C_unlabeled = model.C, model.C_unlabeled
    sample = _sample(rows, labels, weights) if "cv" in (C, C_unlabeled) else None
    if sample is not None and C == "cv":
        C = _best(model, sample, [Costs(candidate, 0.0) for candidate in LABELED_GRID]).labeled
    if C_unlabeled is None:
        return Costs(float(C), float(C) * share)
    if sample is not None and C_unlabeled == "cv":
        return _best(model, sample, [Costs(float(C), float(C) * share * factor) for factor in UNLABELED_GRID])
    return Costs(float(C), float(C_unlabeled))


def _default_share(labels: Labels) -> float:
    """C*/C at which the unlabeled rows together weigh as much as the labeled ones, and no single one weighs more."""
    n_labeled = int(labels.labeled.sum())
    return min(1.0, n_labeled / max(1, len(labels.codes) - n_labeled))


def choose_temperature(model: Any, rows: Rows, labels: Labels, weights: Vector, costs: Costs) -> float:
    """Return the temperature that held-out labeled rows ask for; 1 where no class has two of them."""
    sample = _sample(rows, labels, weights)
    scores, held_out = held_out_scores(model, sample, costs)
    return fit_temperature(scores, sample.labels.codes[held_out]) if len(held_out) else 1.0


def held_out_scores(model: Any, sample: _Sample, costs: Costs) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return scores that labeled rows get while their labels are hidden, and the positions of these rows."""
    codes = sample.labels.codes
    several = np.flatnonzero(sample.labels.labeled & (sample.labels.counts[codes] > 1))
    if len(several) < 2:
        return np.empty(0), np.empty(0, dtype=np.intp)
    costs = Costs(costs.labeled, costs.unlabeled * sample.scale)
    scores, held_out = [], []
    for test in _deal(codes, several):
        hidden = codes.copy()
        hidden[test] = UNLABELED
        weights = sample.weights
        solutions = model._solve_classes(sample.rows, Labels(hidden, sample.labels.classes), weights, costs, quiet=True)
        scores.append(_apply(solutions, sample.rows, test))
        held_out.append(test)
    return np.concatenate(scores), np.concatenate(held_out)


def _deal(codes: NDArray[np.int64], positions: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Deal the rows of each class out to the folds by themselves, so that no fold depends on the classes' names."""
    shuffled = np.random.RandomState(0).permutation(positions)
    fold = np.empty(len(shuffled), dtype=np.int64)
    for code in np.unique(codes[shuffled]):
        of_class = np.flatnonzero(codes[shuffled] == code)
        fold[of_class] = np.arange(len(of_class)) % N_FOLDS
    return [shuffled[fold == number] for number in range(fold.max() + 1)]


def _apply(solutions: list[BinarySolution], rows: Rows, positions: NDArray[np.intp]) -> NDArray[np.float64]:
    columns = [rows.matrix[positions] @ solution.weights + solution.bias for solution in solutions]
    return np.column_stack(columns) if len(columns) > 1 else np.asarray(columns[0])


def _best(model: Any, sample: _Sample, candidates: list[Costs]) -> Costs:
    """Return the first of the candidates with the most held-out rows right."""
    right = []
    for costs in candidates:
        scores, held_out = held_out_scores(model, sample, costs)
        guesses = two_columns(scores).argmax(axis=1) if len(held_out) else held_out
        right.append(int((guesses == sample.labels.codes[held_out]).sum()))
    return candidates[int(np.argmax(right))]


def _sample(rows: Rows, labels: Labels, weights: Vector) -> _Sample:
    draw = np.random.RandomState(0)
    labeled, unlabeled = np.flatnonzero(labels.labeled), np.flatnonzero(~labels.labeled)
    scale = max(1.0, len(unlabeled) / MAX_ROWS)
    if len(labeled) > MAX_ROWS:
        labeled = _spread(labels.codes, labeled, draw)
    if len(unlabeled) > MAX_ROWS:
        unlabeled = draw.choice(unlabeled, MAX_ROWS, replace=False)
    kept = np.sort(np.concatenate([labeled, unlabeled]))
    if len(kept) < rows.n_rows:
        rows = as_rows(rows.matrix[kept])
    return _Sample(rows, Labels(labels.codes[kept], labels.classes), weights[kept], scale)


def _spread(codes: NDArray[np.int64], labeled: NDArray[np.intp], draw: np.random.RandomState) -> NDArray[np.intp]:
    """Draw MAX_ROWS labeled rows, every class in its share and with at least two of its rows."""
    shuffled = draw.permutation(labeled)
    rank = np.empty(len(shuffled))
    for code in np.unique(codes[shuffled]):
        of_class = np.flatnonzero(codes[shuffled] == code)
        rank[of_class] = np.arange(len(of_class)) / len(of_class)
        rank[of_class[:2]] = -1.0
    return shuffled[np.argsort(rank, kind="stable")[:MAX_ROWS]]

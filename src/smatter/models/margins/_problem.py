"""One class against the rest: what a margin model's binary solver is given, and what it gives back."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from smatter.models.margins._dual import DualSolver
from smatter.models.margins._newton import Losses, Solution, squared_hinge
from smatter.models.margins._rows import Rows, Vector
from smatter.progress import Progress, report

Signs = NDArray[np.int8]


@dataclass(frozen=True)
class BinaryProblem:
    """Rows with a sign (+1, −1, or 0 for unlabeled), the cost of each, and the share of positives to aim at."""

    rows: Rows
    signs: Signs
    cost: Vector
    positive_share: float
    tol: float
    max_iter: int
    reports_as: str = ""  # the name under which progress is reported; nameless problems are silent

    @cached_property
    def unlabeled(self) -> NDArray[np.intp]:
        """Positions of the unlabeled rows that cost something."""
        return np.flatnonzero((self.signs == 0) & (self.cost > 0.0))

    @property
    def n_positive(self) -> int:
        """How many unlabeled rows are to be positive: the share of them, at least one and not all."""
        n_unlabeled = len(self.unlabeled)
        return int(np.clip(round(self.positive_share * n_unlabeled), min(1, n_unlabeled), max(n_unlabeled - 1, 0)))

    def losses(self, positive: Vector, negative: Vector) -> Losses:
        """Squared hinge of the labeled rows, and of the unlabeled ones with these weights as positive and negative."""
        as_positive = np.where(self.signs > 0, self.cost, 0.0)
        as_negative = np.where(self.signs < 0, self.cost, 0.0)
        as_positive[self.unlabeled] = positive
        as_negative[self.unlabeled] = negative
        return squared_hinge(as_positive, as_negative)

    def supervised(self, solver: DualSolver) -> Solution:
        """Solve for the labeled rows alone."""
        nothing = np.zeros(len(self.unlabeled))
        return solver.solve(self.losses(nothing, nothing), tolerance=self.tol)


@dataclass
class Path:
    """The objective after each convex problem, and the stage (of annealing) that it belongs to."""

    reports_as: str = ""
    objectives: list[float] = field(default_factory=list)
    stages: list[int] = field(default_factory=list)
    stage: int = 0

    def add(self, objective: float) -> None:
        """Remember one more value of the present stage."""
        self.objectives.append(float(objective))
        self.stages.append(self.stage)
        if self.reports_as:
            report(Progress(self.reports_as, len(self.objectives), None, float(objective)))


@dataclass(frozen=True)
class BinarySolution:
    """f(x) = weights · x + bias, how it was found, and the advice if it was not found fully."""

    weights: Vector
    bias: float
    path: Path
    remedy: str = ""


def finish(rows: Rows, solution: Solution, path: Path, remedy: str = "") -> BinarySolution:
    """Turn the last convex solution into weights and a bias of its own."""
    weights, bias = rows.unconstrained(solution.weights)
    return BinarySolution(weights, bias, path, remedy)

"""The mislabeling error model β(ỹ|y) = P(ỹ|y) that three variants share (K 4.5)."""

import numpy as np
from numpy.typing import NDArray

from smatter.models.aspects._base import AspectModel
from smatter.models.aspects._em import Solution, Table, rows_to_one


class MislabelModel(AspectModel):
    """An unlabeled document shows an imperfect label ỹ: g_α = Σ_y β(ỹ|y) P(y|α)."""

    def _true_class_given_aspect(self, solution: Solution) -> Table:
        """P(y|α) on unlabeled documents."""
        raise NotImplementedError

    def _aspect_weights(self, solution: Solution) -> Table:
        imperfect = solution.mislabel @ self._true_class_given_aspect(solution).T
        return np.vstack([solution.class_given_aspect.T, imperfect])

    def _joint(self, solution: Solution, weights: Table) -> NDArray[np.float64]:
        """Σ n P(α, y | w, x) over unlabeled documents, by ỹ, α and y (corrections 8: the joint of α and y)."""
        K = len(self.classes_)
        by_decision = solution.by_kind[K:] / np.maximum(
            solution.mislabel @ self._true_class_given_aspect(solution).T, 1e-300
        )
        return by_decision[:, :, None] * self._true_class_given_aspect(solution) * solution.mislabel[:, None, :]

    def _update_labels(self, solution: Solution, weights: Table) -> None:
        joint = self._joint(solution, weights)
        if joint.sum() > 0:
            solution.mislabel = rows_to_one(joint.sum(axis=1).T).T
            self._update_true_class(solution, joint)
        super()._update_labels(solution, weights)

    def _update_true_class(self, solution: Solution, joint: NDArray[np.float64]) -> None:
        """Re-estimate P(y|α) on unlabeled documents where it is free."""

"""The mislabeling error model β(ỹ|y) = P(ỹ|y) that three variants share (K 4.5)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from smatter.errors import InputError
from smatter.labels import Codes
from smatter.models.aspects._base import AspectModel
from smatter.models.aspects._corpus import Corpus, Workers
from smatter.models.aspects._em import Solution, Table, rows_to_one
from smatter.models.aspects._starts import lengths, unlabeled


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

    # --- which documents feed β -------------------------------------------------------------------------------------

    def _keep(self, corpus: Corpus, history: list[Codes], run: Workers) -> None:
        super()._keep(corpus, history, run)
        self.mislabel_matrix_ = self._solution.mislabel
        self.mislabel_counts_ = self._counts_by_true_class(corpus, run)
        by_cell = np.eye(len(self.classes_))[self.label_history_[-1]].T @ self.mislabel_counts_
        self.mislabel_evidence_ = rows_to_one(by_cell.T).T

    def _counts_by_true_class(self, corpus: Corpus, run: Workers) -> NDArray[np.float64]:
        """Σ_w n P(y|w, x) of each unlabeled document (n × K), from a fold-in that has not seen ỹ(x).

        In EM itself P(α|x) bends to ỹ(x), and β to the identity; these are the sums of K 4.11 before it does.
        """
        waiting = unlabeled(corpus)
        counts = np.zeros((corpus.n_documents, len(self.classes_)))
        counts[waiting.rows] = lengths(waiting)[:, None] * (
            self._fold_in(waiting, self._solution, run) @ self._decision_weights(self._solution)
        )
        return counts

    def documents_of_cell(
        self, decided: Any, true: Any, *, n_documents: int = 10
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the rows that feed the cell (ỹ, y) of ``mislabel_evidence_`` most, with their shares of it."""
        check_is_fitted(self)
        column, row = self._code(true), self._code(decided)
        feeding = np.where(self.label_history_[-1] == row, self.mislabel_counts_[:, column], 0.0)
        order = np.argsort(-feeding, kind="stable")[:n_documents]
        order = order[feeding[order] > 0]
        return order, feeding[order] / max(feeding.sum(), 1e-300)

    def _code(self, label: Any) -> int:
        found = np.flatnonzero(self.classes_ == label)
        if len(found) == 0:
            raise InputError(f"{label!r} is not among the classes {self.classes_.tolist()[:10]}: name one of them.")
        return int(found[0])

"""Semi-supervised PLSA with a mislabeling error model, soft clustering (B5)."""

import numpy as np
from numpy.typing import NDArray

from smatter.models.aspects._em import Solution, Table, rows_to_one
from smatter.models.aspects._mislabel import MislabelModel


class SoftMislabelPLSA(MislabelModel):
    """PLSA with a mislabeling error model, where aspects are free on unlabeled documents (ssPLSA-mem soft).

    As ``HardMislabelPLSA``, but g_α = Σ_y β(ỹ|y) P̃(y|α) with P̃(y|α) learned on the unlabeled documents from
    joint(α, y | w, x) ∝ P(α|x) P(w|α) P̃(y|α) β(ỹ|y) (K 4.12 to 4.14).

    Parameters
    ----------
    aspects_per_class : int, list of int, "cv", "heterogeneity" or "aic", default 2
        How many aspects belong to each class: the same number for all, one number a class in the order of
        ``classes_``, or how to choose (K 6.5).
    free_aspects : int, default 0
        Aspects that any document may use; their P(y|α) is learned.
    max_iter : int, default 30
        The most iterations of EM.
    tol : float, default 1e-4
        EM stops where the objective changes by less than this share, and the decisions of no more documents.
    smoothing : float, default 0.1
        The mean pseudo-count of a word in an aspect; a word gets its part by P(w).
    count_exponent : float, default 0.5
        Counts enter as n(w, x) to this power: a word that occurs again says less than a new one; 1 as printed.
    unlabeled_weight : float, default 0.1
        The weight of an unlabeled document beside a labeled one, as in EM-λ; 1 as printed.
    temperature : float, default 1.0
        The exponent of tempered EM: below 1 flattens π, above 1 sharpens it.
    n_init : int, default 1
        Random starts; posteriors are their mean, the parameters shown are those of the best objective.
    random_state : int, RandomState or None, default 0
        The seed of the starts.
    warm_start : bool, default False
        Whether ``fit`` goes on from the last solution where words and classes are the same.

    References
    ----------
    A. Krithara, *Learning Aspect Models with Partially Labeled Data*, thesis, 2008, chapter 4.
    A. Krithara, M.-R. Amini, J.-M. Renders and C. Goutte, Semi-supervised document classification with a
    mislabeling error model, ECIR 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from smatter import SoftMislabelPLSA
    >>> X = np.array([[3, 1, 0, 0], [2, 2, 0, 0], [0, 0, 2, 1], [0, 1, 1, 3], [4, 0, 1, 0], [0, 0, 1, 2]])
    >>> model = SoftMislabelPLSA(aspects_per_class=1).fit(X, ["sun", "", "rain", "", "", ""])
    >>> model.transduction_.tolist()
    ['sun', 'sun', 'rain', 'rain', 'sun', 'rain']

    """

    def _true_class_given_aspect(self, solution: Solution) -> Table:
        return solution.imperfect_class_given_aspect

    def _update_true_class(self, solution: Solution, joint: NDArray[np.float64]) -> None:
        solution.imperfect_class_given_aspect = rows_to_one(joint.sum(axis=0))

"""Semi-supervised PLSA with fake labels (B3)."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from smatter.errors import InputError
from smatter.models.aspects._base import AspectModel
from smatter.models.aspects._em import Solution, Table, rows_to_one
from smatter.models.aspects._layout import class_given_aspect
from smatter.validation import Number, Rules


class FakeLabelPLSA(AspectModel):
    """PLSA where every unlabeled document carries the fake label y0 (ssPLSA-fake).

    g_α = P(z(x)|α) with z(x) = y(x) or y0; P(z|α) ∝ Σ n π over the documents labeled z (K 4.3, algorithm 16).
    The decision is P(y|x) ∝ Σ_α P(α|x) [P(y|α) + λ P(y0|α)] (K 4.4).

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
    fake_weight : float, default 0.01
        λ in [0, 1/K]: how much of the fake label's probability every class is given in the decision.

    References
    ----------
    A. Krithara, *Learning Aspect Models with Partially Labeled Data*, thesis, 2008, chapter 4.
    E. Gaussier and C. Goutte, Learning from partially labelled data – with confidence, ICML workshop, 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from smatter import FakeLabelPLSA
    >>> X = np.array([[3, 1, 0, 0], [2, 2, 0, 0], [0, 0, 2, 1], [0, 1, 1, 3], [4, 0, 1, 0], [0, 0, 1, 2]])
    >>> model = FakeLabelPLSA(aspects_per_class=1).fit(X, ["sun", "", "rain", "", "", ""])
    >>> model.transduction_.tolist()
    ['sun', 'sun', 'rain', 'rain', 'sun', 'rain']

    """

    rules: ClassVar[Rules] = {**AspectModel.rules, "fake_weight": Number(0, 1)}

    def __init__(
        self,
        aspects_per_class: int | str | ArrayLike = 2,
        *,
        fake_weight: float = 0.01,
        free_aspects: int = 0,
        max_iter: int = 30,
        tol: float = 1e-4,
        smoothing: float = 0.1,
        count_exponent: float = 0.5,
        unlabeled_weight: float = 0.1,
        temperature: float = 1.0,
        n_init: int = 1,
        random_state: int | np.random.RandomState | None = 0,
        warm_start: bool = False,
    ) -> None:
        super().__init__(
            aspects_per_class,
            free_aspects=free_aspects,
            max_iter=max_iter,
            tol=tol,
            smoothing=smoothing,
            count_exponent=count_exponent,
            unlabeled_weight=unlabeled_weight,
            temperature=temperature,
            n_init=n_init,
            random_state=random_state,
            warm_start=warm_start,
        )
        self.fake_weight = fake_weight

    def _aspect_weights(self, solution: Solution) -> Table:
        of_label = solution.label_given_aspect.T
        return np.vstack([of_label[:-1], np.repeat(of_label[-1:], len(of_label) - 1, axis=0)])

    def _update_labels(self, solution: Solution, weights: Table) -> None:
        K = len(self.classes_)
        real = solution.by_kind[:K].T * (class_given_aspect(self.aspect_class_, K) > 0)
        fake = solution.by_kind[K:].sum(axis=0)
        solution.label_given_aspect = rows_to_one(np.column_stack([real, fake]))
        super()._update_labels(solution, weights)

    def _decision_weights(self, solution: Solution) -> Table:
        if self.fake_weight > 1.0 / len(self.classes_):
            raise InputError(
                f"fake_weight={self.fake_weight} of {type(self).__name__} is above 1/K = 1/{len(self.classes_)}, where "
                "each class would be given more than its part of the fake label: lower fake_weight."
            )
        return solution.label_given_aspect[:, :-1] + self.fake_weight * solution.label_given_aspect[:, -1:]

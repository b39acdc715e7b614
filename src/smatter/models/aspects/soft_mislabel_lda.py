"""The Dirichlet counterpart of SoftMislabelPLSA (B8)."""

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smatter.models.aspects._priors import CONCENTRATIONS, Dirichlet, Prior
from smatter.models.aspects.soft_mislabel import SoftMislabelPLSA
from smatter.validation import Rules


class SoftMislabelLDA(SoftMislabelPLSA):
    """A mislabeling error model with aspects that are free on unlabeled documents.

    With Dirichlet priors on P(w|α) and P(α|x) (K 7.2).

    g_α is that of ``SoftMislabelPLSA``. The E-step has exp E[log P(w|α)] and exp E[log P(α|x)] under Dirichlet
    posteriors, whose parameters are the prior's plus the expected counts (Blei et al. 2003).

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
        The mean concentration of the Dirichlet prior on P(w|α), above 0; a word gets its part by P(w).
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
    document_concentration : float, default 0.1
        The concentration of the Dirichlet prior on P(α|x), above 0; below 1 a document has few aspects.

    References
    ----------
    D. Blei, A. Ng and M. Jordan, Latent Dirichlet allocation, *JMLR* 3, 2003.
    A. Krithara, *Learning Aspect Models with Partially Labeled Data*, thesis, 2008, sections 4 and 7.2.

    Examples
    --------
    >>> import numpy as np
    >>> from smatter import SoftMislabelLDA
    >>> X = np.array([[3, 1, 0, 0], [2, 2, 0, 0], [0, 0, 2, 1], [0, 1, 1, 3], [4, 0, 1, 0], [0, 0, 1, 2]])
    >>> model = SoftMislabelLDA(aspects_per_class=1).fit(X, ["sun", "", "rain", "", "", ""])
    >>> model.transduction_.tolist()
    ['sun', 'sun', 'rain', 'rain', 'sun', 'rain']

    """

    rules: ClassVar[Rules] = {**SoftMislabelPLSA.rules, **CONCENTRATIONS}

    def __init__(
        self,
        aspects_per_class: int | str | ArrayLike = 2,
        *,
        document_concentration: float = 0.1,
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
        self.document_concentration = document_concentration

    def _prior(self, n_words: int, words: NDArray[np.float64]) -> Prior:
        return Dirichlet(self.document_concentration, self.smoothing * n_words * words)

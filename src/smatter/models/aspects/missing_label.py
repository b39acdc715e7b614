"""Semi-supervised PLSA that takes labels as missing values (B2)."""

from smatter.models.aspects._base import AspectModel


class MissingLabelPLSA(AspectModel):
    """PLSA where an unlabeled document may use every aspect, and its label is a missing value.

    g_α = P(y(x)|α) on labeled documents and 1 on unlabeled ones (K 4.4).

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
    T. Hofmann, Unsupervised learning by probabilistic latent semantic analysis, *Machine Learning* 42, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from smatter import MissingLabelPLSA
    >>> X = np.array([[3, 1, 0, 0], [2, 2, 0, 0], [0, 0, 2, 1], [0, 1, 1, 3], [4, 0, 1, 0], [0, 0, 1, 2]])
    >>> model = MissingLabelPLSA(aspects_per_class=1).fit(X, ["sun", "", "rain", "", "", ""])
    >>> model.transduction_.tolist()
    ['sun', 'sun', 'rain', 'rain', 'sun', 'rain']

    """

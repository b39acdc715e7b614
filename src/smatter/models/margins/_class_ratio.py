"""The share of each class among the unlabeled rows: given, estimated, or a prior that labels correct."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from smatter.errors import InputError
from smatter.labels import Labels


def resolve_class_ratio(
    class_ratio: ArrayLike | str | None, strength: float, labels: Labels, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return one share a class, which sum to 1.

    None is the share among the labeled rows, "uniform" and an array a prior mean that counts like ``strength``
    labeled rows: (labeled_k + strength · ratio_k) / (labeled + strength); an infinite strength is the prior itself.
    """
    n_classes = len(labels.classes)
    counts = np.maximum(weights @ labels.one_hot(), 1e-12)  # a class of weight 0 is still a class
    if class_ratio is None:
        return counts / counts.sum()
    given = np.full(n_classes, 1.0 / n_classes) if isinstance(class_ratio, str) else _checked(class_ratio, labels)
    if np.isinf(strength):
        return given
    return (counts + strength * given) / (counts.sum() + strength)


def _checked(class_ratio: Any, labels: Labels) -> NDArray[np.float64]:
    try:
        ratio = np.asarray(class_ratio, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"class_ratio={class_ratio!r} must be numbers, one a class: change class_ratio.") from error
    n_classes = len(labels.classes)
    if ratio.shape != (n_classes,):
        raise InputError(
            f"class_ratio has shape {ratio.shape}; it needs one share for each of the {n_classes} classes "
            f"{labels.classes.tolist()[:10]}, in this order: pass {n_classes} numbers."
        )
    if not np.isfinite(ratio).all() or (ratio <= 0.0).any():
        raise InputError(
            f"class_ratio={ratio.tolist()} cannot be met: every class has labeled rows, so that its share must be "
            "above 0 (and finite): correct it, or take that class's labels away."
        )
    if abs(ratio.sum() - 1.0) > 1e-6:
        raise InputError(f"class_ratio={ratio.tolist()} sums to {ratio.sum():g}; shares must sum to 1: divide by it.")
    n_unlabeled = int((~labels.labeled).sum())
    if n_unlabeled and (ratio * n_unlabeled < 0.5).any():
        worst = int(ratio.argmin())
        raise InputError(
            f"class_ratio={ratio.tolist()} cannot be met: {ratio[worst]:g} of {n_unlabeled} unlabeled rows is not one "
            f"row of class {labels.classes[worst]!r}: raise its share or pass class_ratio=None."
        )
    return ratio / ratio.sum()

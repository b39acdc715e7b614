"""Pictures of a fitted aspect model: β as a heat map, the course of EM, the words of the aspects."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from smatter.errors import MissingExtraError

if TYPE_CHECKING:
    from smatter.models.aspects._base import AspectModel
    from smatter.models.aspects._mislabel import MislabelModel


def plot_mislabeling(model: "MislabelModel", *, ax: Any = None) -> Any:
    """Draw ``mislabel_evidence_`` as a heat map: rows are decisions ỹ, columns are what the words say."""
    axes = _axes(ax)
    image = axes.imshow(model.mislabel_evidence_, vmin=0, vmax=1, cmap="magma_r")
    names = [str(name) for name in model.classes_]
    axes.set_xticks(range(len(names)), names, rotation=90)
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel("true class y, by its words")
    axes.set_ylabel("decision ỹ")
    axes.figure.colorbar(image, ax=axes, label="share of the column")
    return axes


def plot_course(model: "AspectModel", *, ax: Any = None) -> Any:
    """Draw the objective over the iterations, and on a second axis how many decisions changed."""
    axes = _axes(ax)
    iterations = np.arange(1, len(model.objective_) + 1)
    axes.plot(iterations, model.objective_, color="tab:blue")
    axes.set_xlabel("iteration")
    axes.set_ylabel("objective", color="tab:blue")
    changes = axes.twinx()
    history = model.label_history_
    changes.bar(iterations[1:], (history[1:] != history[:-1]).sum(axis=1), color="tab:orange", alpha=0.4)
    changes.set_ylabel("decisions that changed", color="tab:orange")
    return axes


def plot_top_words(
    model: "AspectModel", aspect: int, *, n_words: int = 10, names: ArrayLike | None = None, ax: Any = None
) -> Any:
    """Draw the words that an aspect has more of than the collection."""
    axes = _axes(ax)
    words, scores = zip(*reversed(model.top_words(aspect, n_words=n_words, names=names)), strict=True)
    axes.barh([str(word) for word in words], scores, color="tab:blue")
    of_class = model.aspect_class_[aspect]
    axes.set_title(f"aspect {aspect}, {'free' if of_class < 0 else model.classes_[of_class]}")
    axes.set_xlabel("P(w|α) log P(w|α) / P(w)")
    return axes


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtraError("Plots need matplotlib, which is not installed: pip install smatter[plots].") from error
    return Figure(figsize=(6, 5), layout="constrained").add_subplot()

"""What an aspect is about, and which words and aspects spoke for a decision."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from smatter.errors import InputError

if TYPE_CHECKING:
    from smatter.models.aspects._em import Solution


@dataclass(frozen=True)
class Explanation:
    """Shares of the log-probability that decided for one class and against the runner-up; they sum to 1."""

    decided: Any
    against: Any
    words: list[tuple[Any, float]]
    aspects: list[tuple[int, float]]


class Explanations:
    """Words of aspects and classes, and reasons for decisions."""

    classes_: NDArray[Any]
    word_given_aspect_: NDArray[np.float32]
    class_given_aspect_: NDArray[np.float64]
    aspect_class_: NDArray[np.int64]
    _solution: "Solution"

    def top_words(
        self, aspect: int | None = None, *, of_class: Any = None, n_words: int = 10, names: ArrayLike | None = None
    ) -> list[tuple[Any, float]]:
        """Return the words that an aspect or a class has more of than the collection, with P(w|α) log P(w|α)/P(w).

        ``names`` are the words in the order of the columns; without them, column numbers or the names of fit.
        """
        check_is_fitted(self)
        P = self.word_given_aspect_[:, self._chosen(aspect, of_class)] @ self._mixture(aspect, of_class)
        background = self.word_given_aspect_ @ self._solution.aspect_prior
        scores = P * np.log(np.maximum(P, 1e-30) / np.maximum(background, 1e-30))
        best = np.argsort(-scores, kind="stable")[:n_words]
        return [(self._name(word, names), float(scores[word])) for word in best]

    def explain(self, x: Any, *, n_words: int = 10, names: ArrayLike | None = None) -> Explanation:
        """Tell which words and aspects of one document spoke for the decided class and against the runner-up.

        A word's part is n(w, x) log of Σ_α P(α|w, x) P(y|α) for the two classes; an aspect's part is P(α|x) P(y|α).
        """
        check_is_fitted(self)
        X = np.atleast_2d(x.toarray() if hasattr(x, "toarray") else np.asarray(x))
        if X.shape[0] != 1:
            raise InputError(f"x has {X.shape[0]} rows; one document is explained at a time: pass a single row.")
        order = np.argsort(-self.predict_proba(X)[0], kind="stable")  # type: ignore[attr-defined]
        decided, against = int(order[0]), int(order[1])
        D = self.fold_in(X)[0].astype(np.float64)  # type: ignore[attr-defined]
        words = np.flatnonzero(X[0])
        joint = self.word_given_aspect_[words].astype(np.float64) * D
        by_class = joint @ self.class_given_aspect_ + 1e-12 * joint.sum(axis=1, keepdims=True) + 1e-300
        parts = X[0, words] * (np.log(by_class[:, decided]) - np.log(by_class[:, against]))
        best = np.argsort(-np.abs(parts), kind="stable")[:n_words]
        total = np.abs(parts).sum() or 1.0
        by_aspect = D * (self.class_given_aspect_[:, decided] - self.class_given_aspect_[:, against])
        aspects = np.argsort(-np.abs(by_aspect), kind="stable")
        mass = np.abs(by_aspect).sum() or 1.0
        return Explanation(
            self.classes_[decided],
            self.classes_[against],
            [(self._name(words[i], names), float(parts[i] / total)) for i in best],
            [(int(a), float(by_aspect[a] / mass)) for a in aspects if by_aspect[a] != 0][:n_words],
        )

    def _chosen(self, aspect: int | None, of_class: Any) -> NDArray[np.intp]:
        A = len(self.aspect_class_)
        if (aspect is None) == (of_class is None):
            raise InputError("top_words needs either an aspect or of_class: name one of them.")
        if of_class is not None:
            code = np.flatnonzero(self.classes_ == of_class)
            if len(code) == 0:
                raise InputError(f"of_class={of_class!r} is not among the classes {self.classes_.tolist()[:10]}.")
            return np.flatnonzero(self.class_given_aspect_[:, code[0]] > 0)
        if not 0 <= int(aspect) < A:  # type: ignore[arg-type]
            raise InputError(f"aspect={aspect} must be a whole number from 0 to {A - 1}: there are {A} aspects.")
        return np.array([int(aspect)])  # type: ignore[arg-type]

    def _mixture(self, aspect: int | None, of_class: Any) -> NDArray[np.float64]:
        chosen = self._chosen(aspect, of_class)
        weights = self._solution.aspect_prior[chosen]
        if of_class is not None:
            weights = weights * self.class_given_aspect_[chosen, np.flatnonzero(self.classes_ == of_class)[0]]
        return weights / max(weights.sum(), 1e-300)

    def _name(self, word: int, names: ArrayLike | None) -> Any:
        known = names if names is not None else getattr(self, "feature_names_in_", None)
        return int(word) if known is None else np.asarray(known)[word]

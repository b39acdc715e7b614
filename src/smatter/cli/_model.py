"""The model that the user names, with the parameters that the user sets."""

import ast
from difflib import get_close_matches
from typing import Annotated, Any

import typer

from smatter.errors import InputError

DEFAULT_MODEL = "NaiveBayesEM"
BASELINE = "NaiveBayes"  # the same on the labeled documents alone

Seed = Annotated[int, typer.Option(min=0, help="Decides whatever is random: same seed, same answer.")]
_WORDS = {"true": True, "false": False, "none": None}


def find_model(name: str) -> Any:
    """Return the class of a model, whose name may be written in any case; no other model is imported."""
    from importlib import import_module

    from smatter.models.base import SemiSupervisedClassifier
    from smatter.registry import public_names

    modules = {own: module for own, module in public_names().items() if module.startswith("smatter.models.")}
    by_lower = {own.lower(): own for own in modules}
    own = by_lower.get(name.lower())
    model = getattr(import_module(modules[own]), own) if own is not None else None
    if model is not None and issubclass(model, SemiSupervisedClassifier):
        return model
    close = get_close_matches(name.lower(), by_lower, n=3, cutoff=0.5)
    meant = f" Did you mean {' or '.join(by_lower[lower] for lower in close)}?" if close else ""
    raise InputError(f"There is no model {name!r}; `smatter models` lists them: choose one.{meant}")


def make_model(name: str, settings: list[str] | None = None, seed: int = 0) -> Any:
    """Make a model for counts of words."""
    from sklearn.utils import get_tags

    from smatter.evaluate.trials import seeded

    model = find_model(name)()
    parameters = model.get_params(deep=False)
    for setting in settings or []:
        key, sign, value = setting.partition("=")
        if not sign or key not in parameters:
            raise InputError(
                f"--param {setting!r} must be one of {', '.join(f'{key}=…' for key in parameters)}: correct it. "
                f"(`smatter models {type(model).__name__}` explains them.)"
            )
        model.set_params(**{key: _value(value)})
    if not get_tags(model).input_tags.sparse:
        raise InputError(
            f"{type(model).__name__} works on tables of numbers, not on counts of words: choose another model."
        )
    return seeded(model, seed)


def _value(text: str) -> Any:
    """Read numbers, truth values, none and lists as such, all else as a string."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text

"""Finds what smatter offers by walking its folders, so that nothing is listed by hand twice.

A public class in a file without a leading underscore is public. The files are scanned as text, not imported:
``import smatter`` stays light.
"""

import re
from functools import cache
from importlib import import_module
from pathlib import Path

from smatter.models.base import SemiSupervisedClassifier

_ROOT = Path(__file__).parent
_PUBLIC_FOLDERS = ("models", "features", "graphs", "evaluate", "active")
_PUBLIC_FILES = ("model_selection.py",)
_CLASS = re.compile(r"^class ([A-Z]\w*)", re.MULTILINE)


@cache
def public_names() -> dict[str, str]:
    """Return every public class name with the module that defines it."""
    files = [_ROOT / name for name in _PUBLIC_FILES]
    for folder in _PUBLIC_FOLDERS:
        files += sorted((_ROOT / folder).rglob("*.py"))
    return {name: _module(file) for file in files if _is_public(file) for name in _classes(file)}


@cache
def models() -> dict[str, type[SemiSupervisedClassifier]]:
    """Return every model by its name, sorted by family and name."""
    found = {
        name: getattr(import_module(module), name)
        for name, module in sorted(public_names().items(), key=lambda item: (family(item[1]), item[0]))
        if module.startswith("smatter.models.")
    }
    return {name: model for name, model in found.items() if issubclass(model, SemiSupervisedClassifier)}


def family(module: str) -> str:
    """Return the family folder of a model's module: ``smatter.models.bayes.naive_bayes`` is of ``bayes``."""
    parts = module.split(".")
    return parts[2] if len(parts) > 3 else ""


def _is_public(file: Path) -> bool:
    return file.name != "base.py" and not any(part.startswith("_") for part in file.relative_to(_ROOT).parts)


def _classes(file: Path) -> list[str]:
    return _CLASS.findall(file.read_text(encoding="utf-8"))


def _module(file: Path) -> str:
    return ".".join(("smatter", *file.relative_to(_ROOT).with_suffix("").parts))

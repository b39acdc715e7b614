"""smatter categorizes a document collection from a smattering of labels.

Every model, transformer and splitter is importable from here; nothing heavy is loaded before it is used.
"""

from importlib import import_module
from importlib.metadata import version
from typing import Any

__version__ = version("smatter")


def __getattr__(name: str) -> Any:
    from smatter.registry import public_names

    module = public_names().get(name)
    if module is None:
        raise AttributeError(f"module 'smatter' has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    from smatter.registry import public_names

    return sorted([*globals(), *public_names()])

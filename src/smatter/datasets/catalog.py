"""Every collection by its name."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from smatter.datasets.collection import Collection
from smatter.datasets.newsgroups import load_20newsgroups
from smatter.datasets.reuters import load_reuters21578
from smatter.datasets.tables import load_abalone, load_digits
from smatter.datasets.webkb import ALL_CLASSES, load_webkb, load_webkb_cotraining
from smatter.errors import InputError

COMP = (
    "comp.graphics",
    "comp.os.ms-windows.misc",
    "comp.sys.ibm.pc.hardware",
    "comp.sys.mac.hardware",
    "comp.windows.x",
)
AGAINST_COMP = {
    "rec": ("rec.autos", "rec.motorcycles", "rec.sport.baseball", "rec.sport.hockey"),
    "sci": ("sci.crypt", "sci.electronics", "sci.med", "sci.space"),
    "talk": ("talk.politics.guns", "talk.politics.mideast", "talk.politics.misc", "talk.religion.misc"),
}
PAIRS = {
    "ibm-mac": ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"),
    "space-christian": ("sci.space", "soc.religion.christian"),
    "baseball-hockey": ("rec.sport.baseball", "rec.sport.hockey"),
}


def _comp_against(name: str, other: str, **options: Any) -> Collection:
    """Seed 002's tasks: by date, all messages, without headers, quoted lines and signatures."""
    whole = load_20newsgroups(**{"version": "bydate", "headers": "none", "body": "own", **options})
    return whole.merged({"comp": COMP, other: AGAINST_COMP[other]}, name)


def _pair(name: str, groups: tuple[str, str], **options: Any) -> Collection:
    whole = load_20newsgroups(**{"version": "bydate", **options})
    return whole.merged({group: (group,) for group in groups}, name)


def _loaders() -> dict[str, Callable[..., Collection]]:
    loaders: dict[str, Callable[..., Collection]] = {
        "20newsgroups": load_20newsgroups,
        "20newsgroups-bydate": partial(load_20newsgroups, version="bydate"),
        "20newsgroups-bydate-train": partial(load_20newsgroups, version="bydate", subset="train"),
        "20newsgroups-bydate-test": partial(load_20newsgroups, version="bydate", subset="test"),
    }
    for other in AGAINST_COMP:
        name = f"20newsgroups-comp-{other}"
        loaders[name] = partial(_comp_against, name, other)
    for pair, groups in PAIRS.items():
        name = f"20newsgroups-{pair}"
        loaders[name] = partial(_pair, name, groups)
    return loaders | {
        "webkb": load_webkb,
        "webkb-7": partial(load_webkb, classes=ALL_CLASSES),
        "webkb-cotraining": load_webkb_cotraining,
        "reuters": load_reuters21578,
        "abalone": load_abalone,
        "digits": load_digits,
        "digits-ten": partial(load_digits, task="ten"),
    }


LOADERS = _loaders()


def names() -> list[str]:
    """Return the names that ``load`` knows."""
    return list(LOADERS)


def load(name: str, source: str | Path | None = None, **options: Any) -> Collection:
    """Load a collection by its name; ``source`` and further options go to its loader.

    >>> load("digits")
    Collection('digits', 1797 documents, 2 classes)
    """
    if name not in LOADERS:
        raise InputError(f"collection {name!r} must be one of {names()}: change the name.")
    return LOADERS[name](**({} if source is None else {"source": source}), **options)

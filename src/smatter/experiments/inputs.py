"""Collections as matrices, made once and kept in the cache."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import smatter
from smatter.datasets import cache_folder, data_folder, load, stop_words
from smatter.datasets.stop_lists import FILES
from smatter.errors import InputError
from smatter.features._texts import stop_list
from smatter.features.counts import WordCounts
from smatter.files import written_whole


class CountedCollection(NamedTuple):
    """A collection as counts: ``X`` (CSR, float64), ``labels`` (object array of str), ``words`` (its columns)."""

    X: sp.csr_array
    labels: NDArray[Any]
    words: NDArray[Any]


def counts(
    name: str,
    min_df: int | float = 5,
    stop_words: str | Sequence[str] | None = "cacm",
    load_options: dict[str, Any] | None = None,
    **count_options: Any,
) -> CountedCollection:
    """Return a collection's counts of words, from the cache if they were made before in just this way.

    A change of the parameters, of the archives' folder or of the code that makes the counts makes them anew.

    Parameters
    ----------
    name : str
        A collection of texts, as in ``smatter.datasets.names()``.
    min_df : int or float, default 5
        As in `WordCounts`.
    stop_words : {"cacm", "smart", "english"}, path, sequence or None
        A stop list of the data folder by its name, or what `WordCounts` takes.
    load_options : dict, optional
        What ``smatter.datasets.load`` is told besides, such as ``{"headers": "none"}``.
    **count_options
        Further parameters of `WordCounts`.

    """
    words = _stop_words(stop_words)
    counter = WordCounts(min_df=min_df, stop_words=words, **count_options)
    recipe = {
        "name": name,
        "load": load_options or {},
        "count": {option: value for option, value in counter.get_params().items() if option != "n_jobs"},
        "data": str(data_folder().resolve()),
    }
    folder = cache_folder() / "counts"
    same_recipe = f"{name}-{_digest(json.dumps(recipe, sort_keys=True, default=str).encode())}"
    path = folder / f"{same_recipe}-{_code_digest()}.npz"
    found = _read(path)
    if found is None:
        found = _make(name, load_options or {}, counter)
        _write(path, found)
        _forget(folder.glob(f"{same_recipe}-*.npz"), path)
    return found


def _stop_words(named: Any) -> list[str] | None:
    if named is None:
        return None
    return stop_words(named) if isinstance(named, str) and named in FILES else sorted(set(stop_list(named)))


def _make(name: str, load_options: dict[str, Any], counter: WordCounts) -> CountedCollection:
    collection = load(name, **load_options)
    if collection.features is not None:
        raise InputError(f"{name!r} is a collection of numbers and has no words: use load({name!r}).features.")
    X = counter.fit_transform(collection.documents)
    return CountedCollection(X, collection.labels, counter.get_feature_names_out())


def _write(path: Path, counted: CountedCollection) -> None:
    classes, codes = np.unique(counted.labels.astype(str), return_inverse=True)
    with written_whole(path, "wb") as stream:
        np.savez(
            stream,
            data=counted.X.data,
            indices=counted.X.indices,
            indptr=counted.X.indptr,
            shape=counted.X.shape,
            classes=classes,
            codes=codes,
            words=counted.words.astype(str),
        )


def _read(path: Path) -> CountedCollection | None:
    try:
        with np.load(path, allow_pickle=False) as saved:
            X = sp.csr_array((saved["data"], saved["indices"], saved["indptr"]), shape=tuple(saved["shape"]))
            labels = saved["classes"].astype(object)[saved["codes"]]
            return CountedCollection(X, labels, saved["words"].astype(object))
    except (
        OSError,
        ValueError,
        KeyError,
        EOFError,
        BadZipFile,
    ):  # not made yet, or cut short by a full disk: made again
        return None


def _forget(paths: Iterable[Path], kept: Path) -> None:
    """Remove what older code made; another process may be ahead, or may be reading it where that forbids removal."""
    for path in paths:
        if path != kept:
            with suppress(OSError):
                path.unlink()


@cache
def _code_digest() -> str:
    root = Path(smatter.__file__).parent
    sources = [root / "documents" / "cleaning.py", *(root / "features").glob("*.py"), *(root / "datasets").glob("*.py")]
    return _digest(b"".join(source.read_bytes() for source in sorted(sources)))


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]

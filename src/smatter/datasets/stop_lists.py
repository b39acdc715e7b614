"""Stop lists of the literature, read from the data folder."""

from pathlib import Path

from smatter.datasets.folders import SETTING, data_folder
from smatter.documents.cleaning import decode
from smatter.errors import InputError, UnreadableError

FILES = {"cacm": "stopwords-cacm.txt", "smart": "stopwords-smart571.txt"}


def stop_words(name: str, source: str | Path | None = None) -> list[str]:
    """Return the words of a stop list, sorted, each once.

    Parameters
    ----------
    name : {"cacm", "smart"}
        The ``common_words`` of the CACM collection, or the list of the SMART system.
    source : path, optional
        The list's file, words separated by white space; else it is looked for in ``data_folder()``.

    """
    if name not in FILES:
        raise InputError(f"stop list {name!r} must be one of {list(FILES)}: change the name.")
    path = data_folder() / FILES[name] if source is None else Path(source)
    if not path.is_file():
        raise UnreadableError(
            f"the stop list {name!r} is not in {path}; it is read from its file: set {SETTING} to the folder that "
            "holds it, or pass source=."
        )
    return sorted(set(decode(path.read_bytes()).split()))

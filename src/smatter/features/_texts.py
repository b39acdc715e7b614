"""Texts and stop lists, checked at the door."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from smatter.errors import InputError, UnreadableError


def check_texts(raw: Any, name: str) -> list[str]:
    """Make a list of str, or say which entry is none."""
    if isinstance(raw, (str, bytes)):
        raise InputError(
            f"{name} was given one {'string' if isinstance(raw, str) else 'bytes object'}, {raw[:20]!r}…; it needs an "
            "iterable over raw text documents, one string a document: wrap it in a list."
        )
    if raw is None or isinstance(raw, Mapping) or not isinstance(raw, Iterable):
        raise InputError(f"{name} was given a {type(raw).__name__}; it needs one string a document: pass a list.")
    if getattr(raw, "ndim", 1) != 1:
        raise InputError(
            f"{name} was given a table or matrix, not texts; it needs one string a document: pass one column of text."
        )
    texts = list(raw)
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(
                f"document {row} of {name} is {str(text)[:20]!r} of type {type(text).__name__}; a document is a "
                f"string: {_remedy(text)}."
            )
    return texts


def _remedy(text: Any) -> str:
    if isinstance(text, (bytes, bytearray)):
        return "decode it, with smatter.documents.cleaning.decode if the encoding is not known"
    missing = text is None or text != text or type(text).__name__ == "NAType"
    return "replace missing texts by '' or leave them out" if missing else "convert it with str()"


def stop_list(stop_words: str | Path | Sequence[str] | None) -> list[str]:
    """Return the stop words that the parameter names: none, scikit-learn's English ones, a file's, or its own."""
    if stop_words is None:
        return []
    if isinstance(stop_words, (str, Path)):
        return _named_list(stop_words)
    words = list(stop_words)
    wrong = [word for word in words if not isinstance(word, str)]
    if wrong:
        raise InputError(f"stop_words holds {wrong[0]!r}; a stop word is a string: correct it.")
    return words


def _named_list(name: str | Path) -> list[str]:
    if name == "english":
        from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

        return sorted(ENGLISH_STOP_WORDS)
    path = Path(name).expanduser()
    if not path.is_file():
        raise InputError(
            f"stop_words={str(name)!r} is neither 'english' nor a file with one word a line: correct it, or pass a "
            "list of words."
        )
    try:
        return path.read_text(encoding="utf-8").split()
    except UnicodeDecodeError as error:
        raise UnreadableError(f"stop_words={str(name)!r} is not UTF-8 text: save it as UTF-8.") from error

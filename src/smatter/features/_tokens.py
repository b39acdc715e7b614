"""From a text to its terms: words, n-grams of words, n-grams of characters."""

import re
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, filterfalse, islice

Terms = Iterable[str]
LONG_TEXT = 2**20  # characters; longer texts are cut into pieces, lest their tokens take 50 times the text's memory
PIECE = 2**16  # tokens in a piece of a long text
_ASCII_WORD = re.compile(r"[0-9A-Za-z]+")
_ASCII = [chr(code) if chr(code).isalnum() else " " for code in range(128)]
_TABLES = {True: "".join(_ASCII).lower(), False: "".join(_ASCII)}


@dataclass(frozen=True)
class Analyzer:
    """How a text becomes terms: plain data, which worker processes can be sent."""

    unit: str
    shortest: int
    longest: int
    lowercase: bool
    pattern: str | None
    stop_words: frozenset[str] = frozenset()

    def pieces(self, text: str) -> Iterator[Terms]:
        """Yield the terms of a text: in one piece, or in several if it is long."""
        return _UNITS[self.unit](self, text)

    def tokens(self, text: str) -> list[str]:
        """Return the words of a text, in order."""
        return list(chain.from_iterable(_word_pieces(self, text)))


def _words(analyzer: Analyzer, text: str) -> Iterator[Terms]:
    if analyzer.longest == 1:
        return iter(_word_pieces(analyzer, text))  # stop words leave the vocabulary later, which is cheaper
    return _word_ngrams(analyzer, text)


def _word_ngrams(analyzer: Analyzer, text: str) -> Iterator[Terms]:
    before: list[str] = []
    for piece in _word_pieces(analyzer, text):
        kept = list(filterfalse(analyzer.stop_words.__contains__, piece)) if analyzer.stop_words else piece
        for size in range(analyzer.shortest, analyzer.longest + 1):
            yield _ngrams(before[max(0, len(before) - size + 1) :] + kept if size > 1 else kept, size)
        before = (before + kept)[-(analyzer.longest - 1) :]


def _ngrams(tokens: list[str], size: int) -> Terms:
    if size == 1:
        return tokens
    return map(" ".join, zip(*(islice(tokens, start, None) for start in range(size)), strict=False))


def _word_pieces(analyzer: Analyzer, text: str) -> Iterable[list[str]]:
    if analyzer.pattern is None and len(text) <= LONG_TEXT and text.isascii():
        return (text.translate(_TABLES[analyzer.lowercase]).split(),)  # three times as fast as the regular expression
    if analyzer.lowercase:
        text = text.lower()
    if analyzer.pattern is not None:
        word = compiled(analyzer.pattern)
    elif text.isascii():
        word = _ASCII_WORD
    else:
        text, word = unicodedata.normalize("NFC", text).replace("_", " "), _unicode_word()
    return (word.findall(text),) if len(text) <= LONG_TEXT else _cut(word, text)


def _cut(word: re.Pattern[str], text: str) -> Iterator[list[str]]:
    tokens = (found[word.groups] for found in word.finditer(text))
    while piece := list(islice(tokens, PIECE)):
        yield piece


def _characters(analyzer: Analyzer, text: str) -> Iterator[Terms]:
    text = " ".join((text.lower() if analyzer.lowercase else text).split())
    for size in range(analyzer.shortest, min(analyzer.longest, len(text)) + 1):
        yield _substrings(text, size)


def _characters_of_words(analyzer: Analyzer, text: str) -> Iterator[Terms]:
    words = [f" {word} " for word in (text.lower() if analyzer.lowercase else text).split()]
    for size in range(analyzer.shortest, analyzer.longest + 1):
        # a word that is shorter than the n-gram counts once, as it is
        short = (word for word in words if len(word) < size == analyzer.shortest)
        yield chain(short, chain.from_iterable(_substrings(word, size) for word in words))


def _substrings(text: str, size: int) -> Terms:
    return map(text.__getitem__, map(slice, range(len(text) - size + 1), range(size, len(text) + 1)))


_UNITS: dict[str, Callable[[Analyzer, str], Iterator[Terms]]] = {
    "word": _words,
    "char": _characters,
    "char_wb": _characters_of_words,
}
UNITS = tuple(_UNITS)


@cache
def _unicode_word() -> re.Pattern[str]:
    """Match letters, digits and the marks that belong to them, without which Hindi or Thai words fall to pieces."""
    marks = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in ("Mn", "Mc")]
    return re.compile(rf"[\w{''.join(marks)}]+")


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern once a process."""
    return re.compile(pattern)

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
_SPACE = re.compile(r"\s")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
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
    if analyzer.pattern is not None:
        return _matches(compiled(analyzer.pattern), text.lower() if analyzer.lowercase else text)
    if len(text) <= LONG_TEXT:
        return (_split_words(text, analyzer.lowercase),)
    return (_split_words(section, analyzer.lowercase) for section in _sections(text))


def _split_words(text: str, lowercase: bool) -> list[str]:
    if text.isascii():
        return text.translate(_TABLES[lowercase]).split()  # three times as fast as the regular expression
    text = unicodedata.normalize("NFC", text.lower() if lowercase else text)
    return _unicode_word(bool(_ASTRAL.search(text))).findall(text.replace("_", " "))


def _matches(word: re.Pattern[str], text: str) -> Iterable[list[str]]:
    if len(text) <= LONG_TEXT:
        return (word.findall(text),)
    found = (match[word.groups] for match in word.finditer(text))
    return iter(lambda: list(islice(found, PIECE)), [])


def _sections(text: str) -> Iterator[str]:
    """Cut a long text where there is white space."""
    start = 0
    while start < len(text):
        space = _SPACE.search(text, start + LONG_TEXT)
        end = space.start() if space else len(text)
        yield text[start:end]
        start = end


def _characters(analyzer: Analyzer, text: str) -> Iterator[Terms]:
    before = ""
    for section in _sections(text):
        words = " ".join((section.lower() if analyzer.lowercase else section).split())
        kept = f" {words}" if before and words else words
        for size in range(analyzer.shortest, analyzer.longest + 1):
            yield _substrings(before[max(0, len(before) - size + 1) :] + kept if size > 1 else kept, size)
        before = (before + kept)[-analyzer.longest :]


def _characters_of_words(analyzer: Analyzer, text: str) -> Iterator[Terms]:
    for section in _sections(text):
        words = [f" {word} " for word in (section.lower() if analyzer.lowercase else section).split()]
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
def _unicode_word(astral: bool) -> re.Pattern[str]:
    """Match letters, digits and the marks that belong to them, without which Hindi or Thai words fall to pieces.

    The marks beyond the basic plane are a long list that each space would be compared with: only for texts with such
    characters.
    """
    marks = [
        chr(code) for code in range(sys.maxunicode if astral else 2**16) if unicodedata.category(chr(code))[0] == "M"
    ]
    return re.compile(rf"[\w{''.join(marks)}]+")


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern once a process."""
    return re.compile(pattern)

"""The mail and notes of Quillfeather & Daughters, umbrella makers, who do not exist."""

import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from string import Formatter
from typing import Any

from smatter.errors import InputError

COMPANY = "Quillfeather & Daughters, umbrella makers"
_SECOND_MATTER = 0.8  # of the longer documents are also about another category, as a complaint about a delivery
_ASIDE = 0.5  # of their sentences are about that one
_CHATTER = 0.4  # of the sentences are about nothing in particular
_DUPLICATES = 0.04  # of the documents are an earlier one, as it was or forwarded


@dataclass(frozen=True)
class CompanyMail:
    """Texts and the true category of each."""

    texts: list[str]
    truth: list[str]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def categories(self) -> list[str]:
        """The categories, sorted."""
        return sorted(set(self.truth))


def company_mail(n_documents: int = 1_200, seed: int = 0) -> CompanyMail:
    """Write mails, notes and reports; the same seed gives the same documents.

    Categories are of different size. Most documents hold sentences of their category, sentences of none, and now and
    then one of another; the shortest are a single line. A few are copies.

    >>> mail = company_mail(50)
    >>> len(mail), mail.categories[:3]
    (50, ['complaints', 'computers', 'design'])
    """
    categories = sorted(_phrases()["categories"])
    if n_documents < 2 * len(categories):
        raise InputError(f"n_documents={n_documents} must be at least {2 * len(categories)}: two of each category.")
    random = Random(seed)
    sizes = [random.uniform(0.6, 1.6) for _ in categories]
    truth = 2 * categories + random.choices(categories, sizes, k=n_documents - 2 * len(categories))
    random.shuffle(truth)
    texts: list[str] = []
    earlier: dict[str, list[str]] = {}
    for category in truth:
        copied = earlier.setdefault(category, [])
        is_copy = copied and random.random() < _DUPLICATES
        copied.append(_copy(random, copied) if is_copy else _Writer(random, category).document())
        texts.append(copied[-1])
    return CompanyMail(texts, truth)


def _copy(random: Random, earlier: Sequence[str]) -> str:
    original = random.choice(earlier)
    return original if random.random() < 0.5 else f"FW: {_Writer(random, '').general()}\n\n{original}"


class _Writer:
    """Somebody who writes one document, and says nothing twice in it."""

    def __init__(self, random: Random, category: str) -> None:
        self._random = random
        self._category = category
        self._said: set[str] = set()

    def document(self) -> str:
        kind = self._random.choices(list(_KINDS), [share for share, _ in _KINDS.values()])[0]
        return _KINDS[kind][1](self)

    def note(self) -> str:
        """One line on a slip of paper."""
        return self.sentence(self._category) if self._random.random() < 0.7 else self.subject()

    def mail(self) -> str:
        body = " ".join(self.body(self._random.randint(1, 6)))
        greeting, closing = (self.filled(self._random.choice(_phrases()[part])) for part in ("greetings", "closings"))
        return f"Subject: {self.subject()}\n\n{greeting}\n\n{body}\n\n{closing}"

    def thread(self) -> str:
        """A mail that quotes the one that it answers."""
        quoted = "\n".join(f"> {line}" for line in self.mail().splitlines())
        return f"{self.mail()}\n\n{quoted}"

    def report(self) -> str:
        """Paragraphs of minutes, or a longer letter."""
        paragraphs = [" ".join(self.body(self._random.randint(3, 6))) for _ in range(self._random.randint(3, 5))]
        return "\n\n".join([self.subject(), *paragraphs])

    def body(self, n_sentences: int) -> list[str]:
        """Sentences of the category, one at least, with some of a neighboring one and of none among them."""
        neighbor = self._random.choice(_NEIGHBORS[self._category])
        aside = neighbor if self._random.random() < _SECOND_MATTER else self._category
        body = [self.sentence(self._category)]
        for _ in range(n_sentences - 1):
            if self._random.random() < _CHATTER:
                body.append(self.general())
            else:
                body.append(self.sentence(aside if self._random.random() < _ASIDE else self._category))
        self._random.shuffle(body)
        return body

    def sentence(self, category: str) -> str:
        return self._anew(_phrases()["categories"][category]["sentences"])

    def general(self) -> str:
        return self._anew(_phrases()["general"])

    def subject(self) -> str:
        """A subject of the category, or one that says nothing."""
        named = self._random.random() < 0.7
        subjects = _phrases()["categories"][self._category]["subjects"] if named else _phrases()["subjects"]
        return self.filled(self._random.choice(subjects))

    def filled(self, phrase: str) -> str:
        """Replace each {word} by one of the words of that name, each time anew."""
        pieces = []
        for literal, name, _, _ in Formatter().parse(phrase):
            pieces.append(literal)
            if name is not None:
                pieces.append(_NUMBERS[name](self._random) if name in _NUMBERS else self._word(name))
        return "".join(pieces)

    def _word(self, name: str) -> str:
        return str(self._random.choice(_phrases()["words"][name]))

    def _anew(self, phrases: Sequence[str]) -> str:
        """Fill a phrase that was not said before: the r-th of the list comes up 1/√r times as often as the first."""
        left = [phrase for phrase in phrases if phrase not in self._said] or phrases
        habits = [(1 + phrases.index(phrase)) ** -0.5 for phrase in left]
        chosen = self._random.choices(left, habits)[0]
        self._said.add(chosen)
        return self.filled(chosen)


_KINDS: dict[str, tuple[float, Callable[[_Writer], str]]] = {
    "note": (0.30, _Writer.note),
    "mail": (0.50, _Writer.mail),
    "thread": (0.12, _Writer.thread),
    "report": (0.08, _Writer.report),
}
_NEIGHBORS = {  # what tends to come up in the same breath
    "orders": ("invoices", "shipping", "design"),
    "complaints": ("orders", "shipping", "design"),
    "invoices": ("orders", "complaints", "staff"),
    "shipping": ("orders", "complaints", "computers"),
    "staff": ("computers", "invoices"),
    "computers": ("staff", "shipping"),
    "design": ("complaints", "orders"),
}
_NUMBERS: dict[str, Callable[[Random], str]] = {
    "few": lambda random: str(random.randint(2, 9)),
    "hour": lambda random: str(random.randint(8, 17)),
    "number": lambda random: str(random.choice([12, 20, 24, 30, 48, 60, 120, 144])),
    "serial": lambda random: f"{random.choice('AQSZ')}{random.randint(1000, 9999)}",
    "amount": lambda random: f"{random.randint(20, 4800)}.{random.choice(['00', '50', '90'])}",
}


@cache
def _phrases() -> dict[str, Any]:
    return tomllib.loads(files("smatter.demo").joinpath("phrases.toml").read_text(encoding="utf-8"))

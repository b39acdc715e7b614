"""Reuters-21578: newswire of 1987."""

import html
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from smatter.datasets.archives import read_members
from smatter.datasets.collection import Collection, as_labels
from smatter.datasets.download import Archive, obtain
from smatter.documents.cleaning import decode
from smatter.errors import InputError, UnreadableError


def _part(name: str) -> str | None:
    """Name one of the 22 parts by its file: ``reut2-000.sgm``."""
    file = PurePosixPath(name)
    return file.name if file.suffix == ".sgm" else None


ARCHIVE = Archive(
    ("reuters21578.tar.gz", "reuters21578"),
    "https://kdd.ics.uci.edu/databases/reuters21578/reuters21578.tar.gz",
    _part,
    content="010ab13f5c240fcd1cf7729316d899894ce3a47cef788d6aaf0f181b1ba66fbf",
)
_ARTICLE = re.compile(r"<REUTERS\b([^>]*)>(.*?)</REUTERS>", re.DOTALL)
_NUMBER = re.compile(r'NEWID="(\d+)"')
_TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
_TOPIC = re.compile(r"<D>(.*?)</D>")
_TEXT = re.compile(r"<TEXT\b[^>]*>(.*?)</TEXT>", re.DOTALL)
_DATELINE = re.compile(r"<DATELINE>.*?</DATELINE>", re.DOTALL)
_TAG = re.compile(r"</?(?:TITLE|BODY|AUTHOR)>")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def load_reuters21578(min_documents: int = 100, source: str | Path | None = None, download: bool = False) -> Collection:
    """Load the articles with exactly one topic; the class is the topic.

    A text is the title, the author's line and the body; the line of place and date is left out.

    Parameters
    ----------
    min_documents : int, default 100
        Topics with fewer such articles are left out; with 100, ten topics and 8,246 articles stay.
    source : path, optional
        The archive or the folder that it unpacks to; else it is looked for in ``data_folder()`` and in the cache.
    download : bool, default False
        Fetch the archive where it is not found.

    References
    ----------
    D. D. Lewis: Reuters-21578 text categorization test collection, distribution 1.0. 1997.

    """
    if isinstance(min_documents, bool) or not isinstance(min_documents, int) or min_documents < 1:
        raise InputError(f"min_documents={min_documents!r} must be a whole number of at least 1: change it.")
    path = obtain(ARCHIVE, source, download)
    articles = sorted(_articles(path))
    sizes = Counter(topic for _, topic, _ in articles)
    kept = [article for article in articles if sizes[article[1]] >= min_documents]
    if not kept:
        raise UnreadableError(
            f"{path} holds {len(articles)} articles with one topic and no topic with {min_documents} of them: "
            "check the path, or lower min_documents."
        )
    numbers, topics, texts = zip(*kept, strict=True)
    description = f"Reuters-21578, articles with exactly one topic, topics with at least {min_documents} of them"
    name = "reuters" if min_documents == 100 else f"reuters-{min_documents}"
    return Collection(name, list(texts), None, as_labels(topics), tuple(map(str, numbers)), description)


def _articles(path: Path) -> Iterator[tuple[int, str, str]]:
    for _, content in read_members(path, _part):
        for attributes, article in _ARTICLE.findall(decode(content, "latin-1")):
            topics = _TOPICS.search(article)
            names = _TOPIC.findall(topics[1]) if topics else []
            number, text = _NUMBER.search(attributes), _TEXT.search(article)
            if len(names) == 1 and number and text:
                yield int(number[1]), names[0], _plain(text[1])


def _plain(text: str) -> str:
    unmarked = _TAG.sub("\n", _DATELINE.sub("\n", text))
    return _CONTROL.sub(" ", html.unescape(unmarked)).strip()

"""20 Newsgroups: the original 19,997 messages, and the version by date."""

from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from smatter.datasets.archives import read_members
from smatter.datasets.collection import Collection, as_labels
from smatter.datasets.download import Archive, obtain
from smatter.documents.cleaning import SAFE_FIELDS, decode, own_words, split_message
from smatter.errors import InputError, UnreadableError


def _message(name: str) -> str | None:
    """Name a message by its part, group and number: ``20news-bydate-train/sci.med/58040``."""
    parts = PurePosixPath(name).parts
    return "/".join(parts[-3:]) if len(parts) >= 3 and parts[-1].isdigit() else None


ARCHIVES = {
    "19997": Archive(
        ("20news-19997.tar.gz", "news20.tar.gz", "20_newsgroups.tar.gz", "20_newsgroups"),
        "http://qwone.com/~jason/20Newsgroups/20news-19997.tar.gz",
        _message,
        content="0de262ed3ab1333d4c8b86a39fcc582ba4fd1f650fc68038e27a8f79611e32c9",
    ),
    "bydate": Archive(
        ("20news-bydate.tar.gz", "20news-bydate"),
        "https://ndownloader.figshare.com/files/5975967",
        _message,
        sha256="8f1b2514ca22a5ade8fbb9cfa5727df95fa587f4c87b786e15c759fa66d95610",  # as in scikit-learn
        content="5f162faaa9930819152c6b6f49e23c6756e13f2a406734a392d4f239214a51c7",
    ),
}
FIELDS = {"none": (), "subject": ("subject",), "safe": SAFE_FIELDS}
BODIES: dict[str, Callable[[str], str]] = {"whole": str, "own": own_words}
SUBSETS = {"all": ("-train", "-test"), "train": ("-train",), "test": ("-test",)}


def load_20newsgroups(
    version: str = "19997",
    subset: str = "all",
    headers: str = "subject",
    body: str = "whole",
    source: str | Path | None = None,
    download: bool = False,
) -> Collection:
    """Load messages to 20 newsgroups; the class is the group.

    Of the header at most the fields that do not give the group away are read: Newsgroups, Xref, Path, Followup-To
    and their like never are.

    Parameters
    ----------
    version : {"19997", "bydate"}
        The original messages, of which 531 are repeats, nearly all of them in another group; or the 18,846 by date.
    subset : {"all", "train", "test"}
        The part of the version by date.
    headers : {"subject", "none", "safe"}
        The header fields to keep: the subject alone, none, or also names, addresses and organization.
    body : {"whole", "own"}
        All of the body, or only what the writer wrote: without quoted lines and signature.
    source : path, optional
        The archive or the folder that it unpacks to; else it is looked for in ``data_folder()`` and in the cache.
    download : bool, default False
        Fetch the archive where it is not found.

    References
    ----------
    K. Lang: NewsWeeder: learning to filter netnews. ICML 1995.

    """
    for name, value, choices in (
        ("version", version, ARCHIVES),
        ("subset", subset, SUBSETS),
        ("headers", headers, FIELDS),
        ("body", body, BODIES),
    ):
        if value not in choices:
            raise InputError(f"{name}={value!r} must be one of {list(choices)}: change {name}.")
    if version == "19997" and subset != "all":
        raise InputError(f"subset={subset!r} needs version='bydate'; the 19,997 messages are not divided: change one.")
    path = obtain(ARCHIVES[version], source, download)
    messages = sorted(_read(path, SUBSETS[subset] if version == "bydate" else ("",), FIELDS[headers], BODIES[body]))
    if not messages:
        raise UnreadableError(
            f"{path} holds no messages of version {version!r}; they lie in folders of their group: check the path."
        )
    ids, labels, documents = zip(*messages, strict=True)
    name = (
        "20newsgroups" if version == "19997" else f"20newsgroups-{version}" + ("" if subset == "all" else f"-{subset}")
    )
    description = f"20 Newsgroups, version {version}, {subset} messages; header fields: {headers}; body: {body}"
    return Collection(name, list(documents), None, as_labels(labels), ids, description)


def _read(
    path: Path, endings: tuple[str, ...], fields: tuple[str, ...], body: Callable[[str], str]
) -> Iterator[tuple[str, str, str]]:
    def wanted(name: str) -> bool:
        return _message(name) is not None and PurePosixPath(name).parts[-3].endswith(endings)

    for name, content in read_members(path, wanted):
        part, group, number = PurePosixPath(name).parts[-3:]
        header, text = split_message(decode(content, "latin-1"))
        kept = [header[field] for field in fields if field in header]
        yield f"{part}/{group}/{number}", group, "\n".join([*kept, body(text)])

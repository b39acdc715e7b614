"""WebKB: pages of computer science departments, and the set of two views that was made of them."""

from pathlib import Path, PurePosixPath

from smatter.datasets.archives import read_members
from smatter.datasets.collection import Collection, as_labels
from smatter.datasets.download import Archive, obtain
from smatter.documents.cleaning import decode, html_text
from smatter.errors import InputError, UnreadableError

_SITE = "http://www.cs.cmu.edu/afs/cs.cmu.edu/project/"
PAGES = Archive("webkb-data.tar.gz", _SITE + "theo-20/www/data/webkb-data.gtar.gz")
TWO_VIEWS = Archive("course-cotrain-data.tar.gz", _SITE + "theo-51/www/co-training/data/course-cotrain-data.tar.gz")
ALL_CLASSES = ("course", "department", "faculty", "other", "project", "staff", "student")
FOUR_CLASSES = ("course", "faculty", "project", "student")


def load_webkb(
    classes: tuple[str, ...] = FOUR_CLASSES, source: str | Path | None = None, download: bool = False
) -> Collection:
    """Load web pages of universities as the text that a reader sees; the class is what a page is about.

    The header that the server sent and the markup are no text of the page and are left out.

    Parameters
    ----------
    classes : sequence of str
        The classes to load, by default the four that the literature uses; ``ALL_CLASSES`` are seven.
    source : path, optional
        The archive or the folder that it unpacks to; else it is looked for in ``data_folder()`` and in the cache.
    download : bool, default False
        Fetch the archive where it is not found.

    References
    ----------
    M. Craven et al.: Learning to extract symbolic knowledge from the World Wide Web. AAAI 1998.

    """
    classes = (classes,) if isinstance(classes, str) else tuple(classes)
    strangers = sorted(set(classes) - set(ALL_CLASSES))
    if strangers or not classes:
        raise InputError(f"classes={classes!r} must be some of {list(ALL_CLASSES)}: correct classes.")

    def wanted(name: str) -> bool:
        parts = PurePosixPath(name).parts
        return len(parts) >= 3 and parts[-3] in classes

    archive = obtain(PAGES, source, download)
    pages = sorted(
        ("/".join(PurePosixPath(name).parts[-3:]), html_text(decode(content, "latin-1")))
        for name, content in read_members(archive, wanted)
    )
    if not pages:
        raise UnreadableError(f"{archive} holds no pages in <class>/<university>/<address>: check the path.")
    ids, documents = zip(*pages, strict=True)
    labels = as_labels(page.split("/")[0] for page in ids)
    name = "webkb" if set(classes) == set(FOUR_CLASSES) else f"webkb-{len(set(classes))}"
    return Collection(name, list(documents), None, labels, ids, f"WebKB, classes {', '.join(sorted(set(classes)))}")


def load_webkb_cotraining(source: str | Path | None = None, download: bool = False) -> Collection:
    """Load pages about courses and others in two views: the words on the page, and those of the links to it.

    ``documents`` holds both; ``views["page"]`` and ``views["links"]`` hold each.

    Parameters
    ----------
    source : path, optional
        The archive or the folder that it unpacks to; else it is looked for in ``data_folder()`` and in the cache.
    download : bool, default False
        Fetch the archive where it is not found.

    References
    ----------
    A. Blum and T. Mitchell: Combining labeled and unlabeled data with co-training. COLT 1998.

    """
    archive = obtain(TWO_VIEWS, source, download)
    texts: dict[str, dict[tuple[str, str], str]] = {"fulltext": {}, "inlinks": {}}
    for name, content in read_members(archive, lambda name: len(PurePosixPath(name).parts) >= 3):
        view, label, page = PurePosixPath(name).parts[-3:]
        if view in texts:
            texts[view][label, page] = html_text(decode(content, "latin-1"))
    keys = sorted(texts["fulltext"].keys() & texts["inlinks"].keys())
    if not keys:
        raise UnreadableError(f"{archive} holds no pages in fulltext/<class> and inlinks/<class>: check the path.")
    page_texts = [texts["fulltext"][key] for key in keys]
    link_texts = [texts["inlinks"][key] for key in keys]
    return Collection(
        "webkb-cotraining",
        [f"{page}\n{links}" for page, links in zip(page_texts, link_texts, strict=True)],
        None,
        as_labels(label for label, _ in keys),
        tuple("/".join(key) for key in keys),
        "WebKB course pages (Blum and Mitchell), in the words of the page and of the links to it",
        {"page": page_texts, "links": link_texts},
    )

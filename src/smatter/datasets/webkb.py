"""WebKB: pages of computer science departments, and the set of two views that was made of them."""

from pathlib import Path, PurePosixPath

from smatter.datasets.archives import read_members
from smatter.datasets.collection import Collection, as_labels
from smatter.datasets.download import Archive, obtain
from smatter.documents.cleaning import decode, html_text
from smatter.errors import InputError, UnreadableError

ALL_CLASSES = ("course", "department", "faculty", "other", "project", "staff", "student")
FOUR_CLASSES = ("course", "faculty", "project", "student")
_VIEWS = {"fulltext": "page", "inlinks": "links"}
_SITE = "http://www.cs.cmu.edu/afs/cs.cmu.edu/project/"


def _page(name: str) -> str | None:
    """Name a page by its class, university and address; those of class ``other`` differ between copies."""
    parts = PurePosixPath(name).parts[-3:]
    return "/".join(parts) if len(parts) == 3 and parts[0] in ALL_CLASSES and parts[0] != "other" else None


def _view_of_page(name: str) -> str | None:
    """Name a page by its view, class and address."""
    parts = PurePosixPath(name).parts[-3:]
    return "/".join(parts) if len(parts) == 3 and parts[0] in _VIEWS else None


PAGES = Archive(
    ("webkb-data.tar.gz", "webkb-data.gtar.gz", "webkb"),
    _SITE + "theo-20/www/data/webkb-data.gtar.gz",
    _page,
    content="83a6d8a1f193a6fc4105d7ffe917bd1d0671d9aa1a9246203c8684ab93aeedfb",
)
TWO_VIEWS = Archive(
    ("course-cotrain-data.tar.gz", "course-cotrain-data"),
    _SITE + "theo-51/www/co-training/data/course-cotrain-data.tar.gz",
    _view_of_page,
    sha256="1f0d9d7f55c90754e7581272d67613e7c358323e44e2b84c438bed063653e7db",  # as in ModSSC
    content="65663a6fa4a77f30592a8ccd40b81b672bdc68e2272324030a99a2601f02befd",
)


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

    path = obtain(PAGES, source, download)
    pages = sorted(
        ("/".join(PurePosixPath(name).parts[-3:]), html_text(decode(content, "latin-1")))
        for name, content in read_members(path, wanted)
    )
    if not pages:
        raise UnreadableError(f"{path} holds no pages in <class>/<university>/<address>: check the path.")
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
    path = obtain(TWO_VIEWS, source, download)
    texts: dict[str, dict[tuple[str, str], str]] = {view: {} for view in _VIEWS.values()}
    for name, content in read_members(path, _view_of_page):
        folder, label, page = PurePosixPath(name).parts[-3:]
        texts[_VIEWS[folder]][label, page] = html_text(decode(content, "latin-1"))
    keys = sorted(texts["page"].keys() & texts["links"].keys())
    if not keys:
        raise UnreadableError(f"{path} holds no pages in fulltext/<class> and inlinks/<class>: check the path.")
    page_texts = [texts["page"][key] for key in keys]
    link_texts = [texts["links"][key] for key in keys]
    return Collection(
        "webkb-cotraining",
        [f"{page}\n{links}" for page, links in zip(page_texts, link_texts, strict=True)],
        None,
        as_labels(label for label, _ in keys),
        tuple("/".join(key) for key in keys),
        "WebKB course pages (Blum and Mitchell), in the words of the page and of the links to it",
        {"page": page_texts, "links": link_texts},
    )

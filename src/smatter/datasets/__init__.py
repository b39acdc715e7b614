"""Loaders of public collections from their official archives."""

from smatter.datasets.catalog import load, names
from smatter.datasets.collection import Collection
from smatter.datasets.folders import cache_folder, data_folder
from smatter.datasets.newsgroups import load_20newsgroups
from smatter.datasets.reuters import load_reuters21578
from smatter.datasets.stop_lists import stop_words
from smatter.datasets.tables import load_abalone, load_digits
from smatter.datasets.webkb import load_webkb, load_webkb_cotraining

__all__ = [
    "Collection",
    "cache_folder",
    "data_folder",
    "load",
    "load_20newsgroups",
    "load_abalone",
    "load_digits",
    "load_reuters21578",
    "load_webkb",
    "load_webkb_cotraining",
    "names",
    "stop_words",
]

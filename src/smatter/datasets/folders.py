"""Where collections are looked for, and where what is made of them is kept."""

import os
import sys
from pathlib import Path

SETTING = "SMATTER_DATA"
_CHECKOUT = Path(__file__).resolve().parents[3]


def data_folder() -> Path:
    """Return the folder of the official archives: ``SMATTER_DATA``, else ``../shared/data`` beside a checkout.

    It need not exist; a loader goes on to the cache where an archive is not in it.
    """
    named = os.environ.get(SETTING)
    if named:
        return Path(named).expanduser()
    if (_CHECKOUT / "pyproject.toml").is_file():
        return _CHECKOUT.parent / "shared" / "data"
    return cache_folder() / "archives"


def cache_folder() -> Path:
    """Return the platform's folder for what can be made again, the one of smatter in it."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "smatter"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "smatter" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "smatter"

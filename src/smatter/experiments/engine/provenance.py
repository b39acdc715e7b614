"""With what a result was made: the versions of the packages and the commit of the source."""

import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("smatter", "numpy", "scipy", "scikit-learn", "numba")


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that compute."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def commit() -> str | None:
    """Return the commit of the source, ``+changes`` added where it was edited since; None outside of a repository."""
    source = Path(__file__).parents[2]
    head = _git(source, "rev-parse", "--short=12", "HEAD")
    if not head:
        return None
    # An installed copy may lie inside somebody else's repository: then the commit is not ours.
    if not _git(source, "ls-files", "__init__.py"):
        return None
    return head + ("+changes" if _git(source, "status", "--porcelain", "--", ".") else "")


def _git(folder: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""

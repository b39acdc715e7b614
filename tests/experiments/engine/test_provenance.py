import re
import shutil
import subprocess

import pytest

from smatter.experiments.engine import provenance


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A copy of the module in a folder of its own."""
    file = tmp_path / "smatter" / "experiments" / "engine" / "provenance.py"
    file.parent.mkdir(parents=True)
    shutil.copy(provenance.__file__, file)
    (tmp_path / "smatter" / "__init__.py").touch()
    monkeypatch.setattr(provenance, "__file__", str(file))
    return tmp_path


def git(folder, *arguments):
    identity = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_outside_of_a_repository_there_is_no_commit(source):
    assert provenance.commit() is None


def test_inside_of_somebody_elses_repository_neither(source):
    git(source, "init")
    git(source, "commit", "--allow-empty", "-m", "theirs")
    assert provenance.commit() is None


def test_the_commit_and_whether_the_source_was_edited_since(source):
    git(source, "init")
    git(source, "add", ".")
    git(source, "commit", "-m", "ours")
    assert re.fullmatch(r"[0-9a-f]{12}", provenance.commit())
    (source / "notes.txt").write_text("not the source")
    assert not provenance.commit().endswith("+changes")
    (source / "smatter" / "__init__.py").write_text("edited = True")
    assert provenance.commit().endswith("+changes")


def test_versions_of_what_computes():
    assert {"python", "smatter", "numpy", "scipy", "scikit-learn"} <= set(provenance.versions())

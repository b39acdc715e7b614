"""The house keeps its own rules: style, types, import contract, documentation and registry agree."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from smatter.registry import models, public_names

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "smatter"
TOOLS = Path(sys.executable).parent


def tracked() -> list[Path]:
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [path for name in listing.split("\0") if name and (path := ROOT / name).is_file()]


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


@pytest.mark.parametrize(
    "command",
    [["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"], ["lint-imports", "--no-cache"]],
    ids=["lint", "format", "types", "import contract"],
)
def test_tools_are_content(command):
    result = subprocess.run([TOOLS / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def in_models() -> dict[str, str]:
    """Every public class of the model folders, transformers among them, with its module."""
    return {name: module for name, module in public_names().items() if module.startswith("smatter.models.")}


def test_every_model_has_its_page_and_every_page_its_model():
    pages = {page.stem for page in (ROOT / "docs" / "models").glob("*.md")}
    assert pages == set(in_models())
    assert set(models()) <= pages


def test_every_model_has_its_test():
    tests = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests" / "models").rglob("test_*.py"))
    missing = [name for name in in_models() if not re.search(rf"\b{name}\b", tests)]
    assert not missing


def test_every_public_file_of_a_family_defines_a_public_class():
    """But for a family's ``plots.py``, which draws what its models found."""
    files = {file for file in (SOURCE / "models").glob("*/*.py") if not file.name.startswith("_")}
    homes = {SOURCE.parent / (module.replace(".", "/") + ".py") for module in in_models().values()}
    assert {file for file in files if file.name != "plots.py"} == {home for home in homes if home in files}


def test_no_file_names_a_registry_or_this_machine():
    hosts = re.compile(r"pypi\.org|pythonhosted|registry\.npmjs|deb\.debian\.org|conda\.anaconda")
    here = re.compile(rf"{re.escape(str(ROOT))}\b|/root/|/work/")
    for file in tracked():
        if file == Path(__file__) or file.suffix in {".png", ".svg"}:
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        assert not hosts.search(text), file
        assert not here.search(text), file


# Longer than 400 lines, and why.
LONG_FILES: dict[str, str] = {}


def test_no_file_is_longer_than_one_subject():
    long = {
        str(file.relative_to(ROOT))
        for file in tracked()
        if file.suffix == ".py" and len(file.read_text(encoding="utf-8").splitlines()) > 400
    }
    assert long == set(LONG_FILES)


def imports_of(file: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_only_kernels_import_numba():
    strangers = [
        file
        for file in modules()
        if "numba" in imports_of(file) and "kernels" not in file.parts and file.name != "_kernels.py"
    ]
    assert not strangers


def test_import_smatter_is_light():
    """Import takes under 0.3 s and loads nothing heavy; the best of five, for machines are noisy."""
    code = (
        "import sys, time; start = time.perf_counter(); import smatter; took = time.perf_counter() - start\n"
        "heavy = {'numba', 'matplotlib', 'torch', 'dask', 'fastapi', 'sklearn', 'scipy', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy\nprint(took)"
    )
    times = [float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
             for _ in range(5)]  # fmt: skip
    assert min(times) < 0.3


def test_readme_names_the_two_commands():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make run" in readme
    assert "make test" in readme

"""A small collection in the forms that the command line reads, and ways to call the command line."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from smatter.cli import app
from smatter.demo.company import CompanyMail, company_mail
from smatter.documents.tables import Table, write_table

N_LABELS = 6


@pytest.fixture(scope="session")
def mail() -> CompanyMail:
    return company_mail(240, seed=1)


@pytest.fixture(scope="session")
def shown(mail) -> list[str]:
    """The first few documents of three categories have a label; the others are ''."""
    left = dict.fromkeys(mail.categories, N_LABELS)
    labels = []
    for truth in mail.truth:
        left[truth] -= 1
        labels.append(truth if left[truth] >= 0 else "")
    return labels


@pytest.fixture
def table(tmp_path, mail, shown) -> Path:
    path = tmp_path / "mail.csv"
    rows = zip(map(str, range(len(mail))), mail.texts, shown, mail.truth, strict=True)
    write_table(path, Table(("id", "text", "label", "truth"), [list(row) for row in rows]))
    return path


@pytest.fixture
def folder(tmp_path, mail, shown) -> Path:
    root = tmp_path / "letters"
    for number, (text, label) in enumerate(zip(mail.texts, shown, strict=True)):
        path = root / (label or "unlabeled") / f"{number:04}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def run():
    """Call the command line in this process."""
    runner = CliRunner()

    def call(*arguments):
        result = runner.invoke(app, [str(argument) for argument in arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return call


@pytest.fixture
def program():
    """Call the command line as a program of its own; ``before`` is Python that runs first."""

    def call(*arguments, before=""):
        code = f"{before}\nfrom smatter.cli import main\nmain()"
        return [sys.executable, "-c", code, *map(str, arguments)]

    return call


@pytest.fixture
def finished(program):
    def call(*arguments, **options):
        return subprocess.run(program(*arguments, **options), capture_output=True, text=True, timeout=300)

    return call

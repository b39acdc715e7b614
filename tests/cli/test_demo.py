import pytest

from smatter.cli import demo
from smatter.cli._model import BASELINE, DEFAULT_MODEL
from smatter.documents.tables import read_table


@pytest.fixture
def quick(monkeypatch):
    monkeypatch.setattr(demo, "_DRAWS", 1)
    monkeypatch.setattr(demo, "_BUDGETS", (3,))


def test_the_demo_shows_an_honest_gain(run, tmp_path, quick):
    path = tmp_path / "mail.csv"
    result = run("demo", "--documents", "600", "--save", path)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert all(len(line) <= 80 for line in lines), "it fits a terminal"
    shares = [float(line.split()[-2].rstrip("%")) for line in lines if line.endswith("right") and "%" in line]
    assert len(shares) == 2 and shares[1] > shares[0] + 10
    for part in (
        BASELINE,
        DEFAULT_MODEL,
        "Gain: +",
        "Was it luck?",
        "Some of its answers",
        "Calibration error",
        "next",
    ):
        assert part in result.stdout
    saved = read_table(path)
    assert saved.columns == ("id", "text", "label", "truth")
    assert sum(label != "" for label in saved.column("label")) == 21
    # the claim, checked by another command on the same documents
    out = tmp_path / "out.csv"
    assert run("categorize", path, "--out", out).exit_code == 0
    table = read_table(out)
    rows = zip(table.column("category"), table.column("truth"), table.column("source"), strict=True)
    hits = [category == truth for category, truth, source in rows if source != "given"]
    assert 100 * sum(hits) / len(hits) == pytest.approx(shares[1], abs=0.06)


def test_more_labels_than_there_are(run):
    result = run("demo", "--documents", "100", "--labels", "90")
    assert result.exit_code == 2
    assert "error: " in result.stderr


def test_a_place_that_cannot_be_saved_to(run, tmp_path):
    result = run("demo", "--save", tmp_path / "nowhere" / "mail.csv")
    assert result.exit_code == 2 and "does not exist" in result.stderr

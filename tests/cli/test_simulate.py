import csv

import pytest


def test_strategies_stand_beside_asking_at_random(run, table, tmp_path):
    out = tmp_path / "curve.csv"
    options = ["--label", "truth", "--folds", "2", "--questions", "6", "--batch", "3", "--model", "naivebayes"]
    result = run("simulate", table, *options, "--strategies", "classentropy, ClassEntropy*Density", "--out", out)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert "240 labels, 7 categories; 2 folds, 1 start; up to 6 questions" in lines[0]
    assert [line.split("  ")[0].split(" 0.")[0].strip() for line in lines[2:5]] == [
        "RandomChoice",
        "ClassEntropy",
        "ClassEntropy * Density",
    ]
    with out.open(newline="") as stream:
        records = list(csv.DictReader(stream))
    assert len(records) == 3 * 2 * 3
    assert {record["x"] for record in records} == {"7", "10", "13"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--label", "truth", "--strategies", "ClassEntropi"], "Did you mean ClassEntropy"),
        (["--label", "truth", "--out", "curve.xlsx"], "must end in .csv"),
        (["--label", "truth", "--folds", "100"], "fewer labels than the 100 folds"),
    ],
)
def test_bad_options(run, table, options, message):
    result = run("simulate", table, *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())

import csv

import pytest


def test_models_stand_beside_the_supervised_baseline(run, table, tmp_path):
    out = tmp_path / "runs.csv"
    options = ["--label", "truth", "--labeled-share", "0.1", "--labeled-share", "0.3", "--folds", "3"]
    result = run("evaluate", table, *options, "--model", "naivebayesem", "--out", out)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert "240 documents, 240 labels, 7 categories; 3 folds, 1 start" in lines[0]
    assert [line.strip() for line in lines if line.startswith(("10%", "30%"))] == ["10%, 16 labels", "30%, 48 labels"]
    assert sum(line.startswith("  supervised baseline") for line in lines) == 2
    assert sum(line.startswith("  NaiveBayesEM") for line in lines) == 2
    assert all(len(line) <= 80 for line in lines[1:-2]), "it fits a terminal"
    with out.open(newline="") as stream:
        records = list(csv.DictReader(stream))
    assert len(records) == 2 * 3 * 2
    shown = next(line for line in lines if line.startswith("  NaiveBayesEM")).split()
    own = [record for record in records if record["method"] == "NaiveBayesEM" and record["budget"] == "10%"]
    assert float(shown[1]) == pytest.approx(sum(float(record["micro_f"]) for record in own) / 3, abs=6e-4)


def test_a_folder_without_unlabeled_texts(run, folder):
    (folder / "unlabeled").rename(folder.parent / "away")
    result = run("evaluate", folder, "--labeled-share", "0.5", "--folds", "2")
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--labeled-share", "5"], "--labeled-share 5 must be above 0 and at most 1"),
        (["--labeled-share", "0.01"], "keeps 0 in a fold"),
        (["--folds", "100"], "42 labels cannot make --folds 100"),
        (["--out", "runs.xlsx"], "must end in .csv"),
        (["--label", "truth", "--model", "nothing"], "There is no model 'nothing'"),
    ],
)
def test_bad_options(run, table, options, message):
    result = run("evaluate", table, *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_one_category(run, tmp_path):
    source = tmp_path / "in.csv"
    source.write_text("text,label\n" + "a,x\n" * 10)
    result = run("evaluate", source)
    assert result.exit_code == 2 and "needs two at least" in result.stderr


def test_thin_categories_are_warned_of(run, table):
    result = run("evaluate", table, "--labeled-share", "0.1", "--folds", "7")
    assert "7 of 7 categories have fewer labels than folds" in result.stderr
    assert "keeps 3 labels for 7 categories" in result.stderr

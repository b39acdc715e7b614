import csv

import pytest

from smatter.experiments import run
from smatter.experiments.nguyen_multinomial import _row, tables


def test_tables_2_1_and_2_2_stand_beside_the_task_that_they_were_measured_on():
    printed = {"task": "comp-rec", "unlabelled_percent": "97", "method": "em-tree"}
    values = list(_row({**printed, "f1_negative": "0.8", "f1_positive": "0.7", "f1_average": "0.75"}))
    assert values == [
        (("comp-sci", "em-tree", "3%"), "macro_f", 0.75),
        (("comp-sci", "em-tree", "3%"), "f[negative]", 0.8),
        (("comp-sci", "em-tree", "3%"), "f[positive]", 0.7),
    ]


@pytest.mark.data
def test_the_tasks_have_the_sizes_of_the_thesis():
    positive = {"comp-rec": 3979, "comp-sci": 3952, "comp-talk": 3253}
    for name, recipe in tables.collections.items():
        X, y, words = recipe()
        assert X.shape == (4891 + positive[name], 600) and len(words) == 600
        assert (y == "positive").sum() == positive[name] and set(y) == {"negative", "positive"}


@pytest.mark.data
def test_comp_against_rec_is_the_easier_task(tmp_path):
    only = {"collection": ["comp-rec", "comp-sci"], "method": ["nb"], "budget": ["3%"]}
    outcome = run(tables, tmp_path, n_jobs=1, folds=2, starts=1, only=only)
    rows = list(csv.DictReader((outcome.folder / "results.csv").read_text().splitlines()))
    score = {name: [float(row["macro_f"]) for row in rows if row["collection"] == name] for name in only["collection"]}
    assert min(score["comp-rec"]) > max(score["comp-sci"])
    assert {row["n_labeled"] for row in rows} == {"159"}

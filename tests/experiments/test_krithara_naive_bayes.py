import csv

import pytest

from smatter.experiments import run
from smatter.experiments.krithara_naive_bayes import (
    PLAIN,
    PLAIN_EM,
    SEMI_SUPERVISED,
    SUPERVISED,
    SVM,
    _figure_row,
    _supervised_row,
    naive_bayes,
)
from smatter.labels import encode_labels


def test_published_rows_stand_beside_both_readings_of_naive_bayes():
    rows = list(_supervised_row({"dataset": "webkb", "method": "naive-bayes", "f1": "50"}))
    assert rows == [(("webkb", method, "100%"), "micro_f", 0.5) for method in (PLAIN, SUPERVISED)]
    assert not list(_supervised_row({"dataset": "webkb", "method": "plsa", "f1": "50"}))
    assert not list(_supervised_row({"dataset": "20newsgroups", "method": "svm (paper)", "f1": "50"}))
    figure = {"dataset": "webkb", "method": "naive-bayes semi-supervised", "labelled_percent": "5", "f1": "50"}
    rows = list(_figure_row(figure))
    assert rows == [(("webkb", method, "5%"), "micro_f", 0.5) for method in (PLAIN_EM, SEMI_SUPERVISED)]


@pytest.mark.data
def test_a_fold_has_the_sizes_that_the_paper_prints():
    _, y, _ = naive_bayes.collections["20newsgroups"]()
    split = naive_bayes.protocol.split(encode_labels(y).codes, 0)
    # Of 20,000 messages, as she rounds them, a fold trains on 14,400 and is tested on 4,000; here are 19,997.
    assert (len(split.train), len(split.test)) == (14_397, 3_999)


@pytest.mark.data
@pytest.mark.slow
def test_on_webkb_the_numbers_are_near_the_published_ones(tmp_path):
    only = {"collection": ["webkb"], "method": [PLAIN, SUPERVISED, SEMI_SUPERVISED, SVM], "budget": ["5%", "100%"]}
    outcome = run(naive_bayes, tmp_path, n_jobs=1, folds=2, starts=1, only=only)
    found = {}
    for row in csv.DictReader((outcome.folder / "results.csv").read_text().splitlines()):
        found.setdefault((row["method"], row["budget"]), []).append(float(row["micro_f"]))
    assert not outcome.failed
    assert all(0.8 < score < 0.95 for score in found[PLAIN, "100%"])
    assert found[SUPERVISED, "100%"] == found[SEMI_SUPERVISED, "100%"]

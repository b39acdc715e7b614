import numpy as np
import pytest
from sklearn.naive_bayes import ComplementNB, MultinomialNB

from smatter.evaluate.baselines import LabeledOnly
from smatter.evaluate.curves import learning_curve, summarize
from smatter.evaluate.protocols import PerClass, Protocol, percent
from smatter.progress import listening

rng = np.random.default_rng(0)
codes = np.arange(120) % 2
X = rng.poisson(np.where(codes[:, None] == np.arange(20) % 2, 1.3, 1.0)).astype(float)
y = np.array(["ham", "spam"])[codes]
methods = {"supervised": LabeledOnly(MultinomialNB()), "other": LabeledOnly(ComplementNB())}


def test_one_record_a_run_and_progress_is_told():
    seen = []
    with listening(seen.append):
        records = learning_curve(methods, X, y, percent(5, 50), protocol=Protocol(folds=3, starts=2), collection="mail")
    assert len(records) == 2 * 2 * 3 * 2 == seen[-1].done == seen[-1].total
    keys = {(r["collection"], r["method"], r["budget"], r["fold"], r["start"]) for r in records}
    assert len(keys) == len(records) and {key[0] for key in keys} == {"mail"}


def test_more_labels_are_better_on_the_whole():
    records = learning_curve(methods, X, y, percent(5, 100), protocol=Protocol(folds=5, starts=3))
    few, many = (point.mean for point in summarize(records, "micro_f") if point.method == "supervised")
    assert many > few + 0.05


def test_labels_per_class_are_a_budget_too():
    records = learning_curve(methods, X, y, [PerClass(3)])
    assert {record["n_labeled"] for record in records} == {6}
    assert {record["budget"] for record in records} == {"3 per class"}


def test_summaries_are_mean_and_standard_deviation():
    base = {"collection": "c", "method": "m", "budget": "5%", "x": 5.0}
    records = [{**base, "f": value} for value in (0.5, 0.6, 0.8)] + [{**base, "budget": "9%", "x": 9.0, "f": 0.9}]
    first, second = summarize(records, "f")
    assert (first.mean, first.deviation, first.runs) == pytest.approx((1.9 / 3, np.std([0.5, 0.6, 0.8], ddof=1), 3))
    assert second.runs == 1 and np.isnan(second.deviation)

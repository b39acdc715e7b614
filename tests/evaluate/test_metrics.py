import numpy as np
import pytest
import sklearn.metrics as reference
from hypothesis import given
from hypothesis import strategies as st

from smatter.errors import InputError, LabelError
from smatter.evaluate.metrics import (
    align_posterior,
    calibration_error,
    class_table,
    decide,
    evaluate,
    judge,
    log_loss,
)

NAN = float("nan")


@st.composite
def answered(draw):
    n, n_classes = draw(st.integers(1, 40)), draw(st.integers(2, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.integers(0, n_classes, n), rng.dirichlet(np.ones(n_classes) * 0.5, n), n_classes


@given(answered())
def test_every_metric_agrees_with_scikit_learn(case):
    truth, posterior, n_classes = case
    decided = posterior.argmax(axis=1)
    ours = evaluate(truth, decided, posterior, n_classes)
    labels = range(n_classes)
    for average in ("micro", "macro"):
        options = {"labels": labels, "average": average, "zero_division": 0}
        assert ours[f"{average}_f"] == pytest.approx(reference.f1_score(truth, decided, **options))
        assert ours[f"{average}_precision"] == pytest.approx(reference.precision_score(truth, decided, **options))
        assert ours[f"{average}_recall"] == pytest.approx(reference.recall_score(truth, decided, **options))
    assert ours["accuracy"] == pytest.approx(reference.accuracy_score(truth, decided))
    assert ours["log_loss"] == pytest.approx(reference.log_loss(truth, posterior, labels=labels))
    assert ours["coverage"] == 1


@given(answered())
def test_the_table_of_classes_agrees_with_scikit_learn(case):
    truth, posterior, n_classes = case
    decided = posterior.argmax(axis=1)
    table = class_table(judge(truth, decided, n_classes), range(n_classes))
    columns = reference.precision_recall_fscore_support(truth, decided, labels=range(n_classes), zero_division=0)
    for name, column in zip(("precision", "recall", "f", "rows"), columns, strict=True):
        assert [row[name] for row in table] == pytest.approx(column.tolist())


@given(answered(), st.randoms(use_true_random=False))
def test_renaming_classes_changes_no_average(case, random):
    truth, posterior, n_classes = case
    order = list(range(n_classes))
    random.shuffle(order)
    renamed = np.argsort(order)
    first = evaluate(truth, posterior.argmax(axis=1), posterior, n_classes)
    second = evaluate(renamed[truth], renamed[posterior.argmax(axis=1)], posterior[:, order], n_classes)
    assert first == pytest.approx(second)


def test_abstention_lowers_recall_and_not_precision():
    # Two answers, both right; one silence; one wrong answer: P = 2/3, R = 2/4, F = 2PR/(P + R) = 4/7.
    scores = evaluate(np.array([0, 1, 1, 0]), np.array([0, 1, -1, 1]), None, 2)
    assert scores["micro_precision"] == pytest.approx(2 / 3)
    assert scores["micro_recall"] == scores["accuracy"] == pytest.approx(2 / 4)
    assert scores["micro_f"] == pytest.approx(4 / 7)
    assert scores["coverage"] == pytest.approx(3 / 4)
    assert np.isnan(scores["log_loss"]) and np.isnan(scores["calibration_error"])


def test_a_row_of_nan_is_an_abstention_and_a_row_half_nan_an_error():
    assert decide([[0.1, 0.9], [NAN, NAN], [0.6, 0.4]]).tolist() == [1, -1, 0]
    with pytest.raises(InputError, match=r"Row 1 of the posterior is \[nan, 1.0\].*NaN\s+throughout"):
        decide([[0.5, 0.5], [NAN, 1.0]])
    assert log_loss(np.array([0, 1]), [[0.5, 0.5], [NAN, NAN]]) == pytest.approx(np.log(2))
    assert np.isnan(log_loss(np.array([0]), [[NAN, NAN]]))
    assert np.isnan(calibration_error(np.array([0]), [[NAN, NAN]]))


def test_log_loss_of_a_zero_is_large_and_finite():
    assert log_loss(np.array([1]), [[1.0, 0.0]]) == pytest.approx(-np.log(np.finfo(float).eps))


def test_calibration_error_by_hand():
    # Bins of ten: (.5, .6] holds .6 (right) and .55 (wrong); (.9, 1] holds 1.0 (right) and .92 (wrong).
    posterior = [[0.6, 0.4], [0.55, 0.45], [1.0, 0.0], [0.08, 0.92]]
    truth = np.array([0, 1, 0, 0])
    expected = (abs(1 - (0.6 + 0.55)) + abs(1 - (1.0 + 0.92))) / 4
    assert calibration_error(truth, posterior, n_bins=10) == pytest.approx(expected)


def test_calibration_bins_are_closed_on_the_right():
    # 0.5 ends (0.4, 0.5]; 0.6 opens nothing above it: with one bin each the gaps add up, in one bin they cancel.
    posterior = [[0.5, 0.5], [0.6, 0.4]]
    assert calibration_error(np.array([0, 1]), posterior, n_bins=10) == pytest.approx((0.5 + 0.6) / 2)
    assert calibration_error(np.array([0, 1]), posterior, n_bins=1) == pytest.approx(abs(1 - 1.1) / 2)


def test_a_perfectly_calibrated_model_has_an_error_near_zero():
    rng = np.random.default_rng(0)
    posterior = rng.dirichlet(np.ones(3), 60_000)
    truth = (rng.random((60_000, 1)) > posterior.cumsum(axis=1)).sum(axis=1).clip(max=2)
    assert calibration_error(truth, posterior) < 0.01
    sharpened = posterior**3 / (posterior**3).sum(axis=1, keepdims=True)
    assert calibration_error(truth, sharpened) > 0.1


def test_a_class_the_model_never_saw_gets_probability_zero():
    aligned = align_posterior([[0.3, 0.7], [NAN, NAN]], [0, 2], [0, 1, 2])
    assert aligned[0].tolist() == [0.3, 0.0, 0.7]
    assert np.isnan(aligned[1]).all()
    with pytest.raises(InputError, match=r"class 3, which is not among the 3 classes"):
        align_posterior([[1.0]], [3], [0, 1, 2])


def test_bad_input_is_refused():
    with pytest.raises(InputError, match=r"shape \(2,\) and decided has shape \(3,\)"):
        judge(np.array([0, 1]), np.array([0, 1, 1]), 2)
    with pytest.raises(InputError, match="0 rows to judge"):
        judge(np.array([], dtype=int), np.array([], dtype=int), 2)
    with pytest.raises(LabelError, match="Row 1 has no true label"):
        judge(np.array([0, -1]), np.array([0, 1]), 2)
    with pytest.raises(InputError, match=r"from 0 to 2; they must lie between 0 and 1"):
        judge(np.array([0, 1]), np.array([0, 2]), 2)
    with pytest.raises(InputError, match=r"posterior has shape \(1, 2\) for 2 rows"):
        log_loss(np.array([0, 1]), [[0.5, 0.5]])

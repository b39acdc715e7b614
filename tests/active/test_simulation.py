import numpy as np
import pytest

from smatter import Answer, ClassEntropy, NaiveBayes, NaiveBayesEM, Oracle, RandomChoice
from smatter.active.gains import area_under_curve, judge_strategies, labels_saved, mean_curves
from smatter.active.simulation import Game, Plan, simulate
from smatter.errors import InputError
from smatter.evaluate.metrics import judge, micro_f
from smatter.evaluate.protocols import PerClass, Protocol
from smatter.labels import encode_labels


def test_an_oracle_confuses_as_its_matrix_says_and_always_in_the_same_way():
    y = np.repeat(["a", "b", "c"], 2000)
    confusion = np.array([[0.7, 0.2, 0.1], [0, 1, 0], [0.25, 0.25, 0.5]])
    oracle = Oracle(y, confusion, seed=4)
    told = np.array([oracle.answer(row) for row in range(len(y))])
    again = np.array([oracle.answer(row) for row in reversed(range(len(y)))])[::-1]
    assert (told == again).all()
    shares = [[(told[y == true] == answer).mean() for answer in "abc"] for true in "abc"]
    np.testing.assert_allclose(shares, confusion, atol=0.04)
    other = np.array([Oracle(y, confusion, seed=5).answer(row) for row in range(len(y))])
    assert (other != told).any()


def test_a_careless_oracle_errs_as_often_as_it_is_told():
    y = np.arange(3000) % 4
    told = np.array([Oracle.careless(y, 0.3).answer(row) for row in range(3000)])
    assert (told != y).mean() == pytest.approx(0.3, abs=0.03)
    np.testing.assert_allclose(Oracle.careless(y, 0.3).confusion.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Oracle(["a", "b"], [[1, 0]]), r"confusion has shape \(1, 2\)"),
        (lambda: Oracle(["a", "b"], [[0.5, 0], [0, 1]]), "rows that sum to 1"),
        (lambda: Oracle.careless(["a", "b"], 1.5), "error=1.5 must be a probability"),
        (lambda: Plan(questions=0), "questions=0 must be a whole number"),
        (lambda: Plan(batch=True), "batch=True"),
    ],
)
def test_what_cannot_be_played_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_a_simulation_is_what_one_would_do_by_hand(collection):
    X, codes = collection
    protocol, plan = Protocol(folds=4, seed=2), Plan(questions=6, every=3)
    records = simulate({"entropy": (NaiveBayes(smoothing=0.1), ClassEntropy())}, X, codes, plan=plan, protocol=protocol)
    assert [record["x"] for record in records] == [3, 6, 9] * 4
    split = protocol.split(codes, 1)
    y = np.full(len(codes), -1)
    shown = protocol.draw(codes, split, PerClass(1), 1, 0)
    y[shown] = codes[shown]
    y = y[split.train]
    for _ in range(6):
        P = NaiveBayes(smoothing=0.1).fit(X[split.train], y).posterior_
        entropy = -(P * np.log(np.maximum(P, 1e-300))).sum(axis=1)
        row = np.where(y >= 0, -1, entropy).argmax()
        y[row] = codes[split.train][row]
    decided = NaiveBayes(smoothing=0.1).fit(X[split.train], y).predict(X[split.test])
    assert records[5]["micro_f"] == pytest.approx(micro_f(judge(codes[split.test], decided, 3)))


def test_same_seed_same_curve_and_all_methods_start_alike(collection):
    X, codes = collection
    methods = {"random": (NaiveBayesEM(), RandomChoice()), "entropy": (NaiveBayesEM(), ClassEntropy())}
    play = {"plan": Plan(questions=4, batch=2, every=2), "protocol": Protocol(folds=2)}
    first, second = (simulate(methods, X, codes, **play) for _ in range(2))
    assert [record["micro_f"] for record in first] == [record["micro_f"] for record in second]
    start = {(record["fold"], record["micro_f"]) for record in first if record["x"] == 3}
    assert len(start) == 2


def test_a_simulation_ends_where_the_rows_end(collection):
    X, codes = collection
    methods = {"random": (NaiveBayes(), RandomChoice())}
    records = simulate(methods, X, codes, plan=Plan(questions=1000, batch=7, every=7), protocol=Protocol(folds=2))
    assert max(record["x"] for record in records) == 20


def test_rows_without_a_label_train_and_are_never_asked(collection):
    X, codes = collection
    known = np.where(np.arange(40) % 2, codes, -1)
    assert Oracle(known).answer(0) is Answer.UNSURE
    methods = {"random": (NaiveBayesEM(), RandomChoice())}
    records = simulate(methods, X, known, plan=Plan(questions=1000), protocol=Protocol(folds=2))
    assert max(record["x"] for record in records) == 10


def test_transductive_play_judges_the_rows_that_were_not_answered(collection):
    X, codes = collection
    protocol = Protocol("transductive", folds=1)
    records = simulate({"r": (NaiveBayes(), RandomChoice())}, X, codes, plan=Plan(questions=2), protocol=protocol)
    assert 0 <= records[-1]["micro_f"] <= 1


def test_a_careless_oracle_costs_accuracy(collection):
    X, codes = collection
    X, codes = X[np.tile(np.arange(40), 4)], np.tile(codes, 4)
    scores = []
    for error in (0.0, 0.6):
        plan = Plan(questions=60, every=60, error=error)
        records = simulate({"r": (NaiveBayes(), RandomChoice())}, X, codes, plan=plan, protocol=Protocol(folds=2))
        scores.append(np.mean([record["micro_f"] for record in records if record["x"] > 10]))
    assert scores[1] < scores[0] - 0.1


def test_labels_of_one_class_are_no_beginning(collection):
    X, codes = collection
    labels = encode_labels(codes)
    split = Protocol(folds=2).split(codes, 0)
    y = np.where(np.arange(len(split.train)) == 0, codes[split.train], -1)
    game = Game(X, labels, split, y, Oracle(codes[split.train]), 0)
    with pytest.raises(InputError, match="start with two"):
        game.play((NaiveBayes(), RandomChoice()), Plan())


def test_area_under_a_straight_line_is_its_middle():
    assert area_under_curve([10, 20, 40], [0.1, 0.2, 0.4]) == pytest.approx(0.25)
    assert area_under_curve([7], [0.3]) == 0.3
    with pytest.raises(InputError, match="increasing numbers of labels"):
        area_under_curve([2, 1], [0, 1])


@pytest.mark.parametrize(
    ("labels", "scores", "expected"),
    [
        ([10, 20, 30], [0.2, 0.6, 0.9], (20, 1 / 3)),  # gets there at 20 of the 30 labels
        ([10, 20, 30], [0.6, 0.6, 0.6], (10, 2 / 3)),
        ([10, 20, 30], [0.2, 0.3, 0.5], (None, None)),
        ([10, 20, 30, 60], [0.2, 0.3, 0.5, 0.7], (45, -0.5)),
    ],
)
def test_labels_saved_at_equal_f(labels, scores, expected):
    assert labels_saved(labels, scores, [10, 20, 30], [0.1, 0.4, 0.6]) == (
        pytest.approx(expected) if expected[0] else expected
    )


def test_a_better_strategy_is_told_from_a_worse_one():
    random = np.random.default_rng(0)
    records = [
        {"collection": "c", "method": method, "fold": fold, "start": 0, "budget": f"{x} labels", "x": x}
        | {"micro_f": 0.5 + gain + x / 1000 + 0.01 * random.standard_normal()}
        for method, gain in (("random", 0.0), ("good", 0.1), ("same", 0.0))
        for fold in range(10)
        for x in (10, 50, 100)
    ]
    worth = {item.method: item for item in judge_strategies(records, baseline="random", test_to_train=1 / 9)}
    assert worth["good"].area.paired.significant
    assert worth["good"].area.corrected.significant
    assert not worth["same"].area.corrected.significant
    assert worth["good"].last.gain == pytest.approx(0.1, abs=0.02)
    assert worth["good"].labels_saved == pytest.approx(0.9, abs=0.05)
    assert mean_curves(records, "micro_f")["good"][0] == [10, 50, 100]

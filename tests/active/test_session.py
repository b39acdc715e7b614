import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from sklearn.naive_bayes import MultinomialNB
from sklearn.svm import LinearSVC

from smatter import (
    Answer,
    ClassEntropy,
    HarmonicRisk,
    HistoryDivergence,
    LabeledOnly,
    NaiveBayes,
    NaiveBayesEM,
    RandomChoice,
    Session,
    SoftMislabelPLSA,
    VoteEntropy,
)
from smatter.errors import InputError, LabelError
from smatter.progress import listening

NAMES = np.array(["ant", "bee", "cat"], dtype=object)


def quick():
    return NaiveBayes(smoothing=0.1)


@pytest.fixture
def start(collection):
    """X, true names, and the labels of one document a class."""
    X, codes = collection
    y = np.full(len(codes), None, dtype=object)
    y[:3] = NAMES[codes[:3]]
    return X, NAMES[codes], y


def talk(session, truth, questions):
    rows = []
    for _ in range(questions):
        row = int(session.ask()[0])
        session.tell(row, truth[row])
        rows.append(row)
    return rows


@pytest.mark.parametrize(
    "strategy", [RandomChoice(), ClassEntropy(), VoteEntropy(), HistoryDivergence(), HarmonicRisk()]
)
def test_same_seed_same_questions_and_never_one_twice(start, strategy):
    X, truth, y = start
    rows = talk(Session(NaiveBayesEM(), X, y, strategy, seed=3), truth, 12)
    assert rows == talk(Session(NaiveBayesEM(), X, y, strategy, seed=3), truth, 12)
    assert len(set(rows)) == 12
    assert not set(rows) & {0, 1, 2}


def test_another_seed_asks_other_questions(start):
    X, truth, y = start
    first, second = (talk(Session(quick(), X, y, RandomChoice(), seed=seed), truth, 8) for seed in (0, 1))
    assert first != second


def test_the_question_is_the_best_of_the_model_that_knows_all_answers(start):
    X, truth, y = start
    session = Session(quick(), X, y)
    talk(session, truth, 5)
    model = quick().fit(X, session.y)
    entropy = -(model.posterior_ * np.log(np.maximum(model.posterior_, 1e-300))).sum(axis=1)
    entropy[session.y != None] = -1  # noqa: E711
    assert session.ask()[0] == entropy.argmax()


def test_asking_twice_asks_the_same(start):
    X, _, y = start
    session = Session(quick(), X, y)
    assert session.ask(4).tolist() == session.ask(4).tolist()


def test_until_two_classes_have_a_label_questions_are_random(start):
    X, _, y = start
    session = Session(quick(), X, np.full(len(y), None, dtype=object), seed=1)
    first = int(session.ask()[0])
    assert session.model is None
    session.tell(first, "ant")
    second = int(session.ask()[0])
    assert session.model is None
    assert second != first
    session.tell(second, "bee")
    session.ask()
    assert session.model.classes_.tolist() == ["ant", "bee"]


def test_a_skipped_row_comes_back_last_and_an_unsure_one_never(start):
    X, truth, y = start
    y[3:36] = truth[3:36]
    session = Session(quick(), X, y)
    skipped, unsure, *rest = range(36, 40)
    session.tell(skipped, Answer.SKIP)
    session.tell(unsure, Answer.UNSURE)
    assert session.open_rows.tolist() == rest
    for row in rest:
        session.tell(row, truth[row])
    assert session.ask(4).tolist() == [skipped]
    session.tell(skipped, Answer.SKIP)
    assert session.ask().tolist() == [skipped]
    session.tell(skipped, truth[skipped])
    assert session.ask().tolist() == []


def test_several_possible_labels_bound_the_posterior_and_end_the_question(start):
    X, _, y = start
    session = Session(quick(), X, y)
    row = int(session.ask()[0])
    receipt = session.tell(row, {"ant", "bee"})
    assert receipt.answer == {"ant", "bee"}
    state = session.state()
    assert row not in state.candidates
    assert state.posterior[row, 2] == 0
    assert state.posterior[row].sum() == pytest.approx(1)
    assert session.y[row] is None
    session.tell(row, ["bee"])  # one possible label is a label
    assert session.y[row] == "bee"


def test_possible_labels_that_nobody_uses_yet_say_nothing_of_the_others(start):
    X, _, y = start
    session = Session(quick(), X, y)
    before = session.state().posterior[5]
    session.tell(5, {"dog", "eel"})
    np.testing.assert_array_equal(session.state().posterior[5], before)


def test_a_correction_replaces_and_a_repetition_changes_nothing(start):
    X, _, y = start
    session = Session(quick(), X, y)
    row = int(session.ask()[0])
    assert session.tell(row, "ant").change == "new"
    session.ask()
    rounds = session.state().round
    assert session.tell(row, "ant").change == "repeated"
    session.ask()
    assert session.state().round == rounds
    receipt = session.tell(row, "cat")
    assert (receipt.change, receipt.before, receipt.answer) == ("correction", "ant", "cat")
    assert session.state().round == rounds + 1
    assert session.tell(row, Answer.UNSURE).before == "cat"  # takes the label back
    assert session.y[row] is None
    assert row not in session.ask(40)
    assert [receipt.change for receipt in session.receipts] == ["new", "repeated", "correction", "correction"]


def test_a_row_that_was_not_asked_may_be_told(start):
    X, truth, y = start
    session = Session(quick(), X, y)
    asked = int(session.ask()[0])
    other = next(row for row in range(3, 40) if row != asked)
    assert session.tell(asked, truth[asked]).asked
    assert not session.tell(other, truth[other]).asked
    assert session.y[other] == truth[other]


@pytest.mark.parametrize("strategy", [ClassEntropy(), VoteEntropy(), HistoryDivergence()])
@pytest.mark.parametrize("name", ["aardvark", "bat", "zebra"])
def test_a_new_class_extends_the_model_wherever_it_sorts(start, strategy, name):
    X, truth, y = start
    session = Session(NaiveBayesEM(), X, y, strategy)
    talk(session, truth, 3)
    before = session.state()
    row = int(session.ask()[0])
    assert session.tell(row, name).new_class
    assert session.classes.tolist() == sorted([*NAMES, name])
    session.ask()
    state = session.state()
    assert name in session.model.classes_
    assert state.posterior.shape[1] == 4
    for old, now in zip(before.decisions, state.decisions, strict=False):
        assert before.classes[old].tolist() == state.classes[now].tolist()
    place = state.classes.tolist().index(name)
    assert not state.history[0][:, place].any()
    np.testing.assert_array_equal(np.delete(state.history[0], place, axis=1), before.history[0])
    assert session.y[row] == name


def test_whole_numbers_are_labels_too(collection):
    X, codes = collection
    y = np.where(np.arange(40) < 3, codes * 10, -1)
    session = Session(quick(), X, y)
    row = int(session.ask()[0])
    assert session.tell(row, np.int64(5)).new_class
    session.ask()
    assert session.model.classes_.tolist() == [0, 5, 10, 20]
    assert session.y.dtype == np.int64


def test_every_row_labeled_leaves_nothing_to_ask(start):
    X, truth, _ = start
    session = Session(quick(), X, truth)
    assert session.ask(3).tolist() == []
    assert session.wait().model.classes_.tolist() == NAMES.tolist()
    assert session.tell(0, "bee").change == "correction"


def test_supervised_models_and_aspect_models_take_part(start):
    X, truth, y = start
    for model in (LabeledOnly(MultinomialNB()), SoftMislabelPLSA(aspects_per_class=1, max_iter=5)):
        session = Session(model, X, y)
        talk(session, truth, 3)
        assert session.n_labels == 6


def test_a_model_without_probabilities_is_refused(start):
    X, _, y = start
    with pytest.raises(InputError, match="LabeledOnly has neither posterior_ nor predict_proba"):
        Session(LabeledOnly(LinearSVC()), X, y).ask()


def test_refits_are_warm_and_from_scratch_as_the_labels_grow(start):
    X, truth, y = start
    known = []

    class Spy(NaiveBayes):
        def __init__(self, smoothing=0.1, warm_start=False, event_model="multinomial"):
            super().__init__(event_model, smoothing=smoothing)
            self.warm_start = warm_start

        def fit(self, X, y, sample_weight=None):
            known.append((hasattr(self, "classes_"), sum(label is not None for label in y), self.warm_start))
            self.length_exponent, self.class_prior = 1.0, None
            return super().fit(X, y, sample_weight)

    talk(Session(Spy(smoothing=0.1), X, y), truth, 16)
    assert all(warm for _, _, warm in known)
    assert [count for went_on, count, _ in known if not went_on] == [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17]


class Gate(NaiveBayes):
    """Fits only when it is let through."""

    gates: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        if self.gates:
            self.gates.pop(0).wait(10)
        return super().fit(X, y, sample_weight)


def test_in_the_background_the_last_model_asks_until_the_new_one_is_ready(start):
    X, truth, y = start
    with ThreadPoolExecutor(1) as pool:
        session = Session(Gate(smoothing=0.1), X, y, executor=pool)
        session.ask()
        session.wait()
        old, gate = session.model, threading.Event()
        Gate.gates.append(gate)
        told = []
        for _ in range(4):
            row = int(session.ask()[0])
            assert session.model is old
            assert row not in told
            session.tell(row, truth[row])
            told.append(row)
        gate.set()
        new = session.wait().model
        assert new is not old
        alone = Gate(smoothing=0.1).fit(X, session.y)
        np.testing.assert_allclose(new.posterior_, alone.posterior_)
        # Four answers came while the first of them was being learned: two fits, not four.
        assert session.state().round == 3


def test_progress_of_a_background_fit_is_heard(start):
    X, _, y = start
    heard = []
    with ThreadPoolExecutor(1) as pool, listening(heard.append):
        Session(NaiveBayesEM(0.5), X, y, executor=pool).ask()
    assert any(progress.what == "NaiveBayesEM" for progress in heard)


def test_an_error_of_a_background_fit_reaches_the_one_who_asks(start):
    X, _, y = start
    with ThreadPoolExecutor(1) as pool:
        session = Session(NaiveBayes(smoothing=-1), X, y, executor=pool)
        session.ask()
        with pytest.raises(InputError, match="smoothing=-1"):
            session.wait()


@pytest.mark.parametrize(
    ("row", "answer", "message"),
    [
        (40, "ant", "row=40 must be a whole number from 0 to 39"),
        (-1, "ant", "row=-1 must be"),
        (True, "ant", "row=True must be"),
        (5, None, "spells “unlabeled”"),
        (5, "", "spells “unlabeled”"),
        (5, set(), "set of possible labels is empty"),
        (5, 7, "mixes labels of different kinds"),
    ],
)
def test_answers_that_mean_nothing_are_refused_and_leave_no_trace(start, row, answer, message):
    X, _, y = start
    session = Session(quick(), X, y)
    with pytest.raises((InputError, LabelError), match=message):
        session.tell(row, answer)
    assert session.receipts == []
    assert session.classes.tolist() == NAMES.tolist()


def test_rows_and_labels_must_be_of_the_same_number(start):
    X, _, y = start
    with pytest.raises(InputError, match=r"X has shape \(40, 12\) and y 39 labels"):
        Session(quick(), X, y[1:])
    with pytest.raises(InputError, match=r"X has shape \(0, 12\).*there must be a row"):
        Session(quick(), X[:0], y[:0])


single = some.sampled_from([*NAMES, "dog", Answer.SKIP, Answer.UNSURE])
answers = single | some.sets(some.sampled_from(list(NAMES)), min_size=1)


@given(some.lists(some.tuples(some.integers(0, 9), answers), max_size=25))
@settings(max_examples=40, deadline=None)
def test_the_last_answer_of_a_row_is_what_is_known_of_it(told):
    session = Session(quick(), np.eye(10) + 1, ["ant", "bee", *[None] * 8])
    known = {0: "ant", 1: "bee"}
    for row, answer in told:
        session.tell(row, answer)
        known[row] = answer
    for row in range(10):
        answer = known.get(row)
        label = next(iter(answer)) if isinstance(answer, set) and len(answer) == 1 else answer
        assert session.y[row] == (label if isinstance(label, str) else None)
    done = {row for row, answer in known.items() if answer is not Answer.SKIP}
    skipped = {row for row, answer in known.items() if answer is Answer.SKIP}
    expected = set(range(10)) - done - skipped or skipped
    assert set(session.open_rows.tolist()) == expected
    assert len(session.receipts) == len(told)

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import MultinomialNB
from sklearn.semi_supervised import LabelSpreading

from smatter.errors import InputError, LabelError
from smatter.evaluate.baselines import LabeledOnly
from smatter.model_selection import LabeledKFold, labeled_scorer


@pytest.fixture
def mail():
    """Counts, and string labels with every other one missing."""
    rng = np.random.default_rng(0)
    codes = np.arange(80) % 2
    X = rng.poisson(np.where(codes[:, None] == np.arange(6) % 2, 2.0, 1.0))
    y = np.array(["ham", "spam"], dtype=object)[codes]
    y[rng.permutation(80)[:40]] = None
    return sp.csr_array(X.astype(float)), y


model = LabeledOnly(MultinomialNB())
grid = {"estimator__alpha": [0.1, 1.0, 10.0]}


@given(st.lists(st.sampled_from([-1, 0, 1, 2]), min_size=15, max_size=60), st.integers(2, 5), st.integers(0, 100))
def test_unlabeled_rows_always_train_and_labeled_ones_are_tested_once(codes, n_splits, seed):
    y = np.array([*codes, 0, 1, 2, 0, 1])
    tested = []
    for train, test in LabeledKFold(n_splits, random_state=seed).split(y, y):
        assert (y[test] != -1).all() and not set(train) & set(test)
        assert set(np.flatnonzero(y == -1)) <= set(train)
        assert len(train) + len(test) == len(y)
        tested += test.tolist()
    assert sorted(tested) == np.flatnonzero(y != -1).tolist()


@given(st.integers(0, 100))
def test_each_fold_holds_each_class_in_its_share(seed):
    y = np.array([0] * 20 + [1] * 10 + [-1] * 7)
    folds = [np.bincount(y[test]) for _, test in LabeledKFold(5, random_state=seed).split(y, y)]
    assert folds == pytest.approx(np.tile([4, 2], (5, 1)))


def test_the_same_seed_makes_the_same_folds_and_another_others():
    y = np.arange(40) % 2

    def folds(seed):
        return [test.tolist() for _, test in LabeledKFold(4, random_state=seed).split(y, y)]

    assert folds(1) == folds(1) != folds(2)


def test_impossible_folds_are_refused():
    with pytest.raises(InputError, match="n_splits=1 must be a whole number of at least 2"):
        LabeledKFold(1)
    with pytest.raises(LabelError, match=r"2 labeled rows cannot make 3 folds.*lower n_splits"):
        list(LabeledKFold(3).split([0, 1, -1, -1], [0, 1, -1, -1]))


@pytest.mark.parametrize("scoring", [None, "accuracy", "f1_macro", "neg_log_loss"])
def test_scikit_learns_cross_validation_works_as_it_is(mail, scoring):
    X, y = mail
    scores = cross_val_score(model, X, y, cv=LabeledKFold(4), scoring=scoring)
    assert scores.shape == (4,) and np.isfinite(scores).all()


def test_the_scores_are_those_of_the_labeled_rows_alone(mail):
    """A supervised model gains nothing from unlabeled rows: the scores must be those of a search without them."""
    X, y = mail
    labeled = np.array([label is not None for label in y])
    with_unlabeled = cross_val_score(model, X, y, cv=LabeledKFold(5), scoring="accuracy")
    without = cross_val_score(MultinomialNB(), X[labeled], y[labeled].astype(str), cv=LabeledKFold(5))
    assert with_unlabeled.tolist() == without.tolist()


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_grid_search_just_works(mail, n_jobs):
    X, y = mail
    search = GridSearchCV(model, grid, cv=LabeledKFold(4), scoring="f1_macro", n_jobs=n_jobs).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert set(search.predict(X)) <= {"ham", "spam"}


@pytest.mark.parametrize("cv", [KFold(4), RepeatedKFold(n_splits=3, n_repeats=2, random_state=0), LabeledKFold(4)])
@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro", "neg_log_loss"])
def test_with_the_labeled_scorer_any_splitter_works(mail, cv, scoring):
    X, y = mail
    search = GridSearchCV(model, grid, cv=cv, scoring=labeled_scorer(scoring)).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_the_labeled_scorer_drops_exactly_the_unlabeled_rows(mail):
    X, y = mail
    fitted = model.fit(X, y)
    labeled = np.array([label is not None for label in y])
    expected = f1_score(y[labeled].astype(str), fitted.predict(X[labeled]), average="macro")
    assert labeled_scorer("f1_macro")(fitted, X, y) == pytest.approx(expected)
    assert labeled_scorer("f1_macro")(fitted, X.toarray(), list(y)) == pytest.approx(expected)


def test_several_scores_at_once_and_a_callable(mail):
    X, y = mail
    scoring = {
        "accuracy": labeled_scorer(),
        "rows": labeled_scorer(lambda estimator, X, y: X.shape[0]),
    }
    result = cross_validate(model, X, y, cv=KFold(4), scoring=scoring)
    assert result["test_rows"].sum() == 40 and (result["test_accuracy"] <= 1).all()


def test_whole_numbers_with_minus_one_work_for_scikit_learns_own_models(mail):
    X, y = mail
    codes = np.array([-1 if label is None else int(label == "spam") for label in y])
    search = GridSearchCV(LabelSpreading(), {"gamma": [0.1, 1]}, cv=LabeledKFold(3)).fit(X.toarray(), codes)
    assert np.isfinite(search.best_score_)


def test_cross_val_predict_says_that_unlabeled_rows_are_not_tested(mail):
    X, y = mail
    with pytest.raises(ValueError, match="only works for partitions"):
        cross_val_predict(model, X, y, cv=LabeledKFold(3))


def test_a_test_part_without_a_label_is_an_error_that_names_the_remedy(mail):
    X, _ = mail
    fitted = model.fit(X, ["ham", "spam"] * 40)
    with pytest.raises(LabelError, match=r"None of the 3 test rows has a label.*LabeledKFold"):
        labeled_scorer()(fitted, X[:3], [None, None, None])

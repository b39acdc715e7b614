"""The contract that every model keeps, checked for each model that the registry finds."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import smatter
from contracts.collections import smattering, topics
from smatter.errors import EmptyRowsWarning, InputError, LabelError
from smatter.registry import models

MODELS = models()
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::smatter.errors.SmatterWarning"),
]

# What holds for no model here, by design.
EXCEPTIONS = {
    "check_classifiers_classes": "it uses -1 as the name of a class; here, as in scikit-learn's own semi-supervised "
    "models, -1 means unlabeled",
}


SPARED = {"LabelPropagation"}  # scikit-learn leaves its own model of this name out of that check


def exceptions(model: object) -> dict[str, str]:
    return ({} if type(model).__name__ in SPARED else EXCEPTIONS) | type(model).sklearn_exceptions


@parametrize_with_checks([model() for model in MODELS.values()], expected_failed_checks=exceptions)
def test_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.fixture(params=MODELS.values(), ids=MODELS.keys())
def model(request):
    """An instance of every model, its seed fixed where it has one."""
    estimator = request.param()
    return estimator.set_params(random_state=0) if "random_state" in estimator.get_params() else estimator


def n_classes_of(model) -> int:
    return 3 if get_tags(model).classifier_tags.multi_class else 2


def takes_sparse(model) -> bool:
    return get_tags(model).input_tags.sparse


def collection(model, **options):
    X, truth = topics(n_classes_of(model), **options)
    return (X if takes_sparse(model) else X.toarray()), truth


def test_learns_and_keeps_its_promises(model):
    X, truth = collection(model)
    y = smattering(truth)
    fitted = model.fit(X, y)
    assert fitted is model
    assert model.classes_.tolist() == sorted(set(truth.tolist()))
    assert model.posterior_.shape == (len(truth), len(model.classes_))
    for probabilities in (model.posterior_, model.predict_proba(X)):
        assert np.isfinite(probabilities).all() and (probabilities >= 0).all() and (probabilities <= 1).all()
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-6)
    assert model.transduction_.tolist() == model.classes_[model.posterior_.argmax(axis=1)].tolist()
    assert np.ndim(model.objective_) == 1 and np.isfinite(model.objective_).all()
    assert model.n_iter_ >= 1
    assert model.n_features_in_ == X.shape[1]
    assert (model.transduction_ == truth).mean() > 0.9, "four labels a class are plenty here"
    assert (model.predict(X) == truth).mean() > 0.9


@pytest.mark.parametrize("unlabeled", [None, "", float("nan")], ids=["None", "empty", "nan"])
def test_string_labels_with_any_marker(model, unlabeled):
    X, truth = collection(model)
    names = ["ham", "spam", "toast"][: n_classes_of(model)]
    model.fit(X, smattering(truth, names=names, unlabeled=unlabeled))
    assert model.classes_.tolist() == names
    assert (model.predict(X) == np.array(names)[truth]).mean() > 0.9


def test_renaming_the_classes_changes_nothing_else(model):
    """A tie may fall to another class, so posteriors are compared, not decisions."""
    X, truth = collection(model)
    names = ["c", "b", "a"][: n_classes_of(model)]
    straight = clone(model).fit(X, smattering(truth)).predict_proba(X)
    renamed = clone(model).fit(X, smattering(truth, names=names, unlabeled="")).predict_proba(X)
    if "random_state" in model.get_params():  # the seed deals random numbers out to classes in their sorted order
        assert (straight.argmax(axis=1) == renamed[:, ::-1].argmax(axis=1)).mean() > 0.95
    else:
        np.testing.assert_allclose(straight, renamed[:, ::-1], atol=1e-5)


def test_same_seed_same_answer(model):
    X, truth = collection(model)
    y = smattering(truth)
    first, second = clone(model).fit(X, y), clone(model).fit(X, y)
    np.testing.assert_array_equal(first.posterior_, second.posterior_)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))


def test_sparse_equals_dense(model):
    if not takes_sparse(model):
        with pytest.raises((InputError, TypeError), match="sparse"):
            model.fit(sp.csr_array(np.eye(4)), [0, 1, -1, -1])
        return
    X, truth = collection(model)
    y = smattering(truth)
    sparse = clone(model).fit(X, y)
    dense = clone(model).fit(X.toarray(), y)
    np.testing.assert_allclose(sparse.posterior_, dense.posterior_, atol=1e-5)
    np.testing.assert_allclose(sparse.predict_proba(X.tocsc()), dense.predict_proba(X.toarray()), atol=1e-5)


def test_survives_pickle_and_clone(model):
    X, truth = collection(model)
    model.fit(X, smattering(truth))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert not hasattr(clone(model), "classes_")


def test_rows_without_words_get_an_opinion_of_the_prior_and_a_warning(model):
    X, truth = collection(model)
    model.fit(X, smattering(truth))
    nothing = sp.csr_array((2, X.shape[1])) if sp.issparse(X) else np.zeros((2, X.shape[1]))
    if not model.empty_rows_are_blank:
        assert np.isfinite(model.predict_proba(nothing)).all()
        return
    with pytest.warns(EmptyRowsWarning, match="2 of 2 rows have no known word"):
        probabilities = model.predict_proba(nothing)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-6)
    np.testing.assert_allclose(probabilities[0], probabilities[1])


def test_a_training_row_without_words_is_no_accident(model):
    X, truth = collection(model)
    X = (X.toarray() if sp.issparse(X) else X).copy()
    X[-1] = 0.0
    model.fit(X, smattering(truth))
    assert np.isfinite(model.posterior_).all()


def test_every_row_labeled(model):
    X, truth = collection(model)
    model.fit(X, truth)
    assert (model.predict(X) == truth).mean() > 0.9


def test_one_label_a_class(model):
    X, truth = collection(model)
    model.fit(X, smattering(truth, n_labels=1))
    assert np.isfinite(model.posterior_).all()
    assert len(model.classes_) == n_classes_of(model)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda X, y: (X, np.full(len(y), -1)), "no labeled row"),
        (lambda X, y: (X, np.where(y == y.max(), 1, -1)), "one class only"),
        (lambda X, y: (X, y[:-1]), "inconsistent numbers of samples"),
        (lambda X, y: (X, None), "y.*is None"),
        (lambda X, y: (_with(X, np.nan), y), "contains NaN at row 3"),
        (lambda X, y: (_with(X, np.inf), y), "contains infinity at row 3"),
        (lambda X, y: (X[:0], y[:0]), "0 sample"),
        (lambda X, y: (X[:, :0], y), "0 feature"),
        (lambda X, y: (np.full((len(y), 3), "word"), y), "numeric|could not convert"),
        (lambda X, y: (X, np.linspace(0.1, 0.9, len(y))), "Unknown label type"),
    ],
    ids=[
        "no labels",
        "one class",
        "length",
        "None",
        "NaN",
        "infinity",
        "no rows",
        "no columns",
        "strings",
        "measurements",
    ],
)
def test_bad_input_is_refused_with_value_rule_and_remedy(model, spoil, message):
    X, truth = collection(model)
    bad_X, bad_y = spoil(X, smattering(truth))
    with pytest.raises((ValueError, LabelError), match=message):
        model.fit(bad_X, bad_y)


def _with(X, value):
    X = (X.toarray() if sp.issparse(X) else X).copy()
    X[3, 1] = value
    return X


def test_negative_counts_are_refused(model):
    X, truth = collection(model)
    if type(model).nonnegative or get_tags(model).input_tags.positive_only:
        with pytest.raises(InputError, match=r"Negative values in data.*X\[3, 1\] is -2.*pass counts"):
            model.fit(_with(X, -2.0), smattering(truth))
    else:
        model.fit(_with(X, -2.0), smattering(truth))
        assert np.isfinite(model.posterior_).all()


def test_another_number_of_features_is_refused(model):
    X, truth = collection(model)
    model.fit(X, smattering(truth))
    with pytest.raises(ValueError, match="features"):
        model.predict(X[:, :-1])


def test_every_public_name_is_importable():
    for name in MODELS:
        assert getattr(smatter, name) is MODELS[name]
        assert name in dir(smatter)


def test_convergence_warnings_name_the_parameter(model):
    if "max_iter" not in model.get_params():
        return
    X, truth = collection(model)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.set_params(max_iter=2).fit(X, smattering(truth))
    for warning in caught:
        if issubclass(warning.category, ConvergenceWarning):
            assert "max_iter" in str(warning.message)

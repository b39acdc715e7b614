import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from smatter.errors import InputError, LabelError
from smatter.evaluate.baselines import LabeledOnly

rng = np.random.default_rng(0)
X = rng.poisson(1.0, (40, 8)).astype(float)
y = np.array(["a", "b", "c", None] * 10, dtype=object)
labeled = np.array([label is not None for label in y])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix, sp.coo_array, pd.DataFrame])
def test_it_is_the_estimator_fitted_without_the_unlabeled_rows(form):
    model = LabeledOnly(MultinomialNB()).fit(form(X), y)
    plain = MultinomialNB().fit(X[labeled], y[labeled].astype(str))
    assert model.predict(form(X)).tolist() == plain.predict(X).tolist()
    assert model.predict_proba(form(X)) == pytest.approx(plain.predict_proba(X))
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_what_the_estimator_lacks_the_wrapper_lacks():
    model = LabeledOnly(make_pipeline(TfidfTransformer(), LinearSVC()))
    assert not hasattr(model, "predict_proba")
    assert model.fit(sp.csr_array(X), y).decision_function(sp.csr_array(X)).shape == (40, 3)


def test_texts_go_through_a_pipeline():
    texts = ["sugar and flour", "wind and sail", "flour", "sail"]
    model = LabeledOnly(make_pipeline(CountVectorizer(), MultinomialNB())).fit(texts, ["cook", "sea", None, None])
    assert model.predict(["flour", "sail"]).tolist() == ["cook", "sea"]


def test_labels_of_another_length_are_an_error():
    with pytest.raises(InputError, match="X has 40 rows, y has 39 labels"):
        LabeledOnly(MultinomialNB()).fit(X, y[1:])
    with pytest.raises(InputError, match="requires y to be passed"):
        LabeledOnly(MultinomialNB()).fit(X, None)


def test_scikit_learns_own_checks():
    """All but those in which -1 is a class, which it is not here, or X is nothing that rows can be picked from."""
    exceptions = {"check_classifiers_classes", "check_complex_data", "check_classifier_data_not_an_array"}
    results = check_estimator(LabeledOnly(LogisticRegression()), on_skip=None, on_fail=None)
    assert {result["check_name"] for result in results if result["status"] == "failed"} <= exceptions
    assert len(results) > 30


def test_no_label_at_all_is_an_error():
    with pytest.raises(LabelError, match="no labeled row"):
        LabeledOnly(MultinomialNB()).fit(X, [None] * 40)

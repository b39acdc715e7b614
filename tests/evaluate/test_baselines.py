import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from smatter.errors import LabelError
from smatter.evaluate.baselines import LabeledOnly

rng = np.random.default_rng(0)
X = rng.poisson(1.0, (40, 8)).astype(float)
y = np.array(["a", "b", "c", None] * 10, dtype=object)
labeled = np.array([label is not None for label in y])


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csr_matrix])
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


def test_no_label_at_all_is_an_error():
    with pytest.raises(LabelError, match="no labeled row"):
        LabeledOnly(MultinomialNB()).fit(X, [None] * 40)

import numpy as np
import pytest

import smatter
from smatter.errors import InputError


@pytest.fixture
def fitted():
    X = np.array([[4, 2, 0, 0, 1], [3, 3, 0, 0, 1], [0, 0, 4, 2, 1], [0, 0, 2, 4, 1], [2, 1, 0, 0, 1]], dtype=float)
    return smatter.SoftMislabelPLSA(1).fit(X, ["sun", "sun", "rain", "rain", ""])


def test_words_of_a_class_are_its_own(fitted):
    names = ["bright", "warm", "wet", "cold", "day"]
    assert {word for word, _ in fitted.top_words(of_class="sun", n_words=2, names=names)} == {"bright", "warm"}
    rain = int(np.flatnonzero(fitted.classes_ == "rain")[0])
    assert {word for word, _ in fitted.top_words(rain, n_words=2, names=names)} == {"wet", "cold"}
    assert [word for word, _ in fitted.top_words(rain, n_words=1)] in ([2], [3])


def test_a_decision_is_explained_by_shares(fitted):
    told = fitted.explain(np.array([[3.0, 0, 1, 0, 1]]), n_words=5)
    assert (told.decided, told.against) == ("sun", "rain")
    assert told.words[0][0] == 0
    assert told.words[0][1] > 0
    assert dict(told.words)[2] < 0
    assert sum(abs(share) for _, share in told.words) == pytest.approx(1)
    assert sum(abs(share) for _, share in told.aspects) == pytest.approx(1)


def test_questions_that_cannot_be_answered(fitted):
    with pytest.raises(InputError, match="either an aspect or of_class"):
        fitted.top_words()
    with pytest.raises(InputError, match="aspect=7"):
        fitted.top_words(7)
    with pytest.raises(InputError, match="'snow'"):
        fitted.top_words(of_class="snow")
    with pytest.raises(InputError, match="2 rows"):
        fitted.explain(np.ones((2, 5)))
    with pytest.raises(InputError, match="'snow'"):
        fitted.documents_of_cell("snow", "sun")

"""Real text: pairs of newsgroups with ten labels a class, and one group against nineteen."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.metrics import f1_score

from smatter import AnnealedS3VM, TransductiveSVM
from smatter.datasets import load
from smatter.features.counts import WordCounts

pytestmark = [pytest.mark.data, pytest.mark.slow]

# SVMlin with the true ratio, switching and annealing.
PAIRS = {
    ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware"): (0.806, 0.830),
    ("sci.space", "soc.religion.christian"): (0.981, 0.990),
    ("rec.sport.baseball", "rec.sport.hockey"): (0.948, 0.964),
}


@pytest.fixture(scope="module")
def newsgroups():
    collection = load("20newsgroups-bydate")
    X = WordCounts(min_df=5, stop_words="english").fit_transform(collection.documents)
    return TfidfTransformer(sublinear_tf=True).fit_transform(X).tocsr(), collection.labels.astype(str)


def ten_a_class(truth, seed):
    draw, y = np.random.RandomState(seed), np.full(len(truth), "", dtype=object)
    for name in np.unique(truth):
        chosen = draw.permutation(np.flatnonzero(truth == name))[:10]
        y[chosen] = name
    return y


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(("model", "place"), [(TransductiveSVM, 0), (AnnealedS3VM, 1)])
def test_pairs_reach_svmlin(newsgroups, pair, model, place):
    X, truth = newsgroups
    kept = np.isin(truth, pair)
    X, truth = X[kept], truth[kept]
    right = []
    for seed in range(5):
        y = ten_a_class(truth, seed)
        hidden = y == ""
        right.append((model(calibrate=False).fit(X, y).transduction_[hidden] == truth[hidden]).mean())
    assert np.mean(right) >= PAIRS[pair][place]


@pytest.mark.parametrize("model", [TransductiveSVM, AnnealedS3VM])
def test_five_percent_positive_is_no_collapse(newsgroups, model):
    X, truth = newsgroups
    y = ten_a_class(truth, 0)
    y = np.where(y == "", -1, y == "sci.space").astype(int)
    fitted = model(calibrate=False).fit(X, y)
    hidden = y < 0
    assert f1_score((truth == "sci.space")[hidden], fitted.transduction_[hidden]) > 0.7

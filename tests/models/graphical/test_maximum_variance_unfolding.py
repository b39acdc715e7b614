import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from smatter import HarmonicFunctions, KNNGraph, MaximumVarianceUnfolding
from smatter.errors import InputError, MissingExtraError
from smatter.models.graphical.maximum_variance_unfolding import rebuilt_from

cvxpy = pytest.importorskip("cvxpy")


def roll(n):
    """A curled strip: a spiral of known length."""
    t = np.linspace(0.5, 2.5, n) * np.pi
    return np.column_stack([t * np.cos(t), t * np.sin(t)]), t


def test_a_chain_unfolds_to_its_length():
    X, _ = roll(20)
    line = MaximumVarianceUnfolding(1, n_neighbors=1).fit_transform(X)[:, 0]
    # neighbors of neighbors keep their distances too, so that a chain of triangles is rigid but for mirrors
    steps = np.abs(np.diff(MaximumVarianceUnfolding(2, n_neighbors=1).fit_transform(X), axis=0))
    lengths = np.sqrt((np.diff(X, axis=0) ** 2).sum(axis=1))
    assert np.sqrt((steps**2).sum(axis=1)) == pytest.approx(lengths, rel=0.02)
    assert np.ptp(line) > 0.9 * lengths.sum()


def test_neighbors_keep_their_distances_and_variance_grows():
    X, t = roll(40)
    model = MaximumVarianceUnfolding(2, n_neighbors=2)
    Y = model.fit_transform(X)
    near = [(i, i + 1) for i in range(39)]
    before = [np.linalg.norm(X[i] - X[j]) for i, j in near]
    after = [np.linalg.norm(Y[i] - Y[j]) for i, j in near]
    assert after == pytest.approx(before, rel=0.1)
    assert Y.var() > 1.5 * X.var()
    assert np.abs(np.corrcoef(Y[:, 0], t)[0, 1]) > 0.95
    assert Y.sum(axis=0) == pytest.approx([0, 0], abs=1e-6)


def test_a_flat_sheet_stays_as_it_is():
    X = np.array([(float(i), float(j)) for i in range(4) for j in range(4)])
    Y = MaximumVarianceUnfolding(2, n_neighbors=8).fit_transform(X)
    pairs = ((X[:, None] - X) ** 2).sum(axis=2)
    assert ((Y[:, None] - Y) ** 2).sum(axis=2) == pytest.approx(pairs, rel=0.02, abs=0.05)


def test_landmarks_order_a_long_spiral():
    X, t = roll(200)
    model = MaximumVarianceUnfolding(1, n_neighbors=4, n_landmarks=15)
    Y = model.fit_transform(X)
    assert np.abs(np.corrcoef(Y[:, 0], t)[0, 1]) > 0.97
    assert (MaximumVarianceUnfolding(1, n_neighbors=4, n_landmarks=15).fit_transform(X) == Y).all()
    assert np.linalg.norm(model.transform(X[10:20] + 1e-6) - Y[10:20]) < 0.05 * np.ptp(Y)


def test_rows_are_rebuilt_from_landmarks_on_a_line():
    X = np.arange(12.0)[:, None]
    Q = rebuilt_from(X, np.array([0, 5, 11]), 2)
    assert Q @ X[[0, 5, 11]] == pytest.approx(X, abs=0.3)
    assert Q.sum(axis=1) == pytest.approx(np.ones(12), abs=1e-6)


def test_in_front_of_a_model():
    X, _ = roll(40)
    length = np.concatenate([[0], np.cumsum(np.sqrt((np.diff(X, axis=0) ** 2).sum(axis=1)))])
    truth = (length > length[-1] / 2).astype(int)
    y = np.full(40, -1)
    y[[2, 37]] = 0, 1
    line = make_pipeline(MaximumVarianceUnfolding(1, n_neighbors=3), HarmonicFunctions(KNNGraph(4, "gaussian")))
    line.fit(X, y)
    assert (line[-1].transduction_ == truth).mean() > 0.9
    assert (line.predict(X) == truth).mean() > 0.9
    assert line[:-1].get_feature_names_out().tolist() == ["maximumvarianceunfolding0"]


def test_components_could_fly_apart():
    X = np.concatenate([roll(10)[0], roll(10)[0] + 100])
    with pytest.raises(InputError, match=r"form 2 components.*raise n_neighbors"):
        MaximumVarianceUnfolding(n_neighbors=2).fit(X)


def test_one_row_is_too_few():
    with pytest.raises(InputError, match="2 at least are needed"):
        MaximumVarianceUnfolding().fit([[1.0]])


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cvxpy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'smatter\[sdp\]'"):
        MaximumVarianceUnfolding().fit(roll(10)[0])

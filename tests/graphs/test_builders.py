import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from reference import graphs as slow
from smatter import GaussianGraph, KNNGraph, KNNSpanningTreeGraph, LinearNeighborhoodGraph, SpanningTreeGraph
from smatter.errors import InputError
from smatter.graphs.components import components, reached_from_labels
from smatter.labels import encode_labels

BUILDERS = [
    KNNGraph(3),
    KNNGraph(3, "euclidean"),
    KNNGraph(3, "gaussian", symmetry="mutual"),
    GaussianGraph(),
    SpanningTreeGraph("euclidean"),
    SpanningTreeGraph(),
    KNNSpanningTreeGraph(3, "gaussian"),
    LinearNeighborhoodGraph(3),
]
rows = np.random.default_rng(0).gamma(1.0, size=(30, 5)) * (np.random.default_rng(1).random((30, 5)) > 0.4)


def dense(W):
    return W.toarray()


@pytest.mark.parametrize("kind", ["cosine", "euclidean", "gaussian"])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("k", [1, 4, 29, 200])
def test_knn_is_the_brute_force_graph(kind, storage, k):
    W = KNNGraph(k, kind, bandwidth=0.7, symmetry="none").build(storage(rows))
    expected = slow.knn(slow.similarities(rows, kind, 0.7), k)
    assert dense(W) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_rows_of_zeros_stand_between_no_others(storage):
    X = np.random.default_rng(6).random((30, 12)) * (np.random.default_rng(7).random((30, 12)) < 0.2)
    X[[3, 11, 12]] = 0.0
    S = slow.similarities(X, "cosine")
    W = KNNGraph(6, symmetry="none").build(storage(X))
    assert dense(W) == pytest.approx(slow.knn(S, 6), abs=1e-9)
    tree = SpanningTreeGraph().build(storage(X))
    assert tree.sum() / 2 == pytest.approx(slow.spanning_tree_weight(S))
    new = KNNGraph(6)
    new.build(storage(X))
    edges = new.neighbors_of(storage(X[:5]))
    assert np.diff(edges.indptr)[3] == 0 and (edges.data > 0).all()


def test_knn_of_vectors_with_negative_entries_has_positive_edges_only():
    X = np.random.default_rng(3).normal(size=(25, 4))
    expected = slow.knn(slow.similarities(X, "cosine"), 20)
    for storage in (np.asarray, sp.csr_array):
        W = KNNGraph(20, symmetry="none").build(storage(X))
        assert dense(W) == pytest.approx(expected, abs=1e-9)
        assert (W.data > 0).all()


def test_tiles_do_not_show(monkeypatch):
    X = sp.random_array((200, 40), density=0.2, rng=np.random.default_rng(0), format="csr")
    whole = KNNGraph(5).build(X)
    monkeypatch.setattr("smatter.graphs._neighbors.TILE", 37)
    assert abs(KNNGraph(5).build(X) - whole).max() < 1e-12


def test_symmetries():
    directed = dense(KNNGraph(3, "euclidean", symmetry="none").build(rows))
    assert dense(KNNGraph(3, "euclidean").build(rows)) == pytest.approx(np.maximum(directed, directed.T))
    assert dense(KNNGraph(3, "euclidean", symmetry="mutual").build(rows)) == pytest.approx(
        np.minimum(directed, directed.T)
    )


def test_gaussian_graph_is_the_formula():
    expected = slow.similarities(rows, "gaussian", 0.8)
    assert dense(GaussianGraph(0.8).build(rows)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", ["cosine", "euclidean", "gaussian"])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_spanning_tree_is_the_heaviest(kind, storage):
    W = SpanningTreeGraph(kind, bandwidth=1.5).build(storage(rows[rows.any(axis=1)]))
    S = slow.similarities(rows[rows.any(axis=1)], kind, 1.5)
    assert W.nnz <= 2 * (len(S) - 1)
    if kind != "cosine":  # pairs of similarity 0 leave a forest there
        assert W.nnz == 2 * (len(S) - 1)
        assert components(W).max() == 0
    assert W.sum() / 2 == pytest.approx(slow.spanning_tree_weight(S), rel=1e-6)


def test_spanning_forest_of_the_knn_graph_keeps_its_components():
    X = np.concatenate([rows, rows + 100.0])
    W, tree = KNNGraph(3, "euclidean").build(X), KNNSpanningTreeGraph(3, "euclidean").build(X)
    assert components(W).tolist() == components(tree).tolist()
    assert tree.nnz // 2 == len(X) - 1 - components(W).max()
    assert tree.sum() / 2 == pytest.approx(slow.spanning_tree_weight(dense(W)))


@pytest.mark.parametrize("ridge", [0.0, 1e-3, 0.1])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_linear_neighborhoods_solve_the_quadratic_program(storage, ridge):
    X = np.random.default_rng(5).normal(size=(20, 6))
    W = dense(LinearNeighborhoodGraph(4, "euclidean", ridge=ridge).build(storage(X)))
    for i in range(20):
        near = np.argsort(((X - X[i]) ** 2).sum(axis=1))[1:5]
        assert W[i, near] == pytest.approx(slow.simplex_weights(X[i], X[near], ridge), abs=1e-5)
    assert W.sum(axis=1) == pytest.approx(np.ones(20))


def test_a_row_on_a_line_is_rebuilt_exactly():
    W = LinearNeighborhoodGraph(2, "euclidean", ridge=0.0).build([[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]])
    assert dense(W)[1] == pytest.approx([2 / 3, 0, 1 / 3])


@pytest.mark.parametrize("builder", BUILDERS, ids=lambda b: type(b).__name__ + str(getattr(b, "similarity", "")))
class TestEveryBuilder:
    def test_relabeling_the_rows_relabels_the_graph(self, builder):
        X = rows[rows.any(axis=1)]
        order = np.random.default_rng(2).permutation(len(X))
        W = dense(clone(builder).build(X))
        assert dense(clone(builder).build(X[order])) == pytest.approx(W[np.ix_(order, order)], abs=1e-6)

    def test_no_loops_no_negatives_sorted(self, builder):
        W = clone(builder).build(rows)
        assert W.format == "csr" and W.has_sorted_indices
        assert (W.diagonal() == 0).all() and (W.data > 0).all()

    def test_one_row_is_a_graph_without_an_edge(self, builder):
        W = clone(builder).build([[1.0, 2.0]])
        assert W.shape == (1, 1) and W.nnz == 0

    def test_rows_of_zeros_and_copies_are_defined(self, builder):
        X = np.vstack([np.zeros((2, 5)), rows[:5], rows[:5], rows[:5]])
        W = clone(builder).build(X)
        assert np.isfinite(W.data).all()

    def test_new_rows_find_their_copies(self, builder):
        X = rows[rows.any(axis=1)]
        fitted = clone(builder)
        fitted.build(X)
        edges = fitted.neighbors_of(X)
        assert edges.shape == (len(X), len(X))
        best = np.asarray(edges.argmax(axis=1)).ravel()
        assert X[best] / np.linalg.norm(X[best], axis=1)[:, None] == pytest.approx(
            X / np.linalg.norm(X, axis=1)[:, None], abs=1e-3
        ) or "cosine" not in str(fitted)

    def test_neighbors_before_build_is_an_error(self, builder):
        with pytest.raises(NotFittedError, match="build"):
            clone(builder).neighbors_of(rows)


def test_similarity_to_classes_sums_over_labeled_rows():
    y = np.full(30, -1)
    y[[0, 3, 7, 9]] = [0, 1, 1, 0]
    for kind in ("cosine", "euclidean", "gaussian"):
        builder = KNNGraph(3, kind, bandwidth=0.9)
        builder.build(rows)
        S = slow.similarities(rows, kind, 0.9)
        unit = rows[y < 0]
        sums = builder.similarity_to_classes(unit, encode_labels(y))
        assert sums[:, 1] == pytest.approx(S[np.ix_(y < 0, [3, 7])].sum(axis=1))


@given(st.integers(0, 10_000), st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_joining_ties_each_lonely_component_by_its_strongest_edge(seed, k):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 2)) + 8 * rng.integers(0, 3, size=(20, 1))
    labeled = rng.random(20) < 0.2
    labeled[0] = True
    plain = KNNGraph(k, "euclidean").build(X, labeled)
    joined = KNNGraph(k, "euclidean", join_unlabeled=True).build(X, labeled)
    assert reached_from_labels(joined, labeled).all()
    S, component = slow.similarities(X, "euclidean"), components(plain)
    expected = plain.toarray()
    for lonely in set(component.tolist()) - set(component[labeled].tolist()):
        members = component == lonely
        pairs = S * np.outer(members, labeled)
        i, j = np.unravel_index(pairs.argmax(), S.shape)
        expected[i, j] = expected[j, i] = S[i, j]
    assert joined.toarray() == pytest.approx(expected)


def test_a_row_like_no_labeled_one_stays_alone():
    X = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]])
    labeled = np.array([True, False, False, False])
    W = KNNGraph(1, join_unlabeled=True).build(X, labeled)
    assert reached_from_labels(W, labeled).tolist() == [True, True, False, False]


def test_descent_reports_its_recall():
    pytest.importorskip("pynndescent")
    X = np.random.default_rng(0).normal(size=(500, 8))
    builder = KNNGraph(5, "euclidean", search="descent")
    W, exact = builder.build(X), KNNGraph(5, "euclidean").build(X)
    shared = (W != 0).multiply(exact != 0).nnz / exact.nnz
    assert 0.8 < builder.recall_ <= 1.0
    assert shared == pytest.approx(builder.recall_, abs=0.1)
    assert KNNGraph(5, "euclidean", search="descent").build(X).nnz == W.nnz


@pytest.mark.parametrize(
    ("builder", "message"),
    [
        (KNNGraph(0), "k=0 of KNNGraph must be a whole number of at least 1"),
        (KNNGraph(similarity="jaccard"), "similarity='jaccard'"),
        (KNNGraph(bandwidth=-1.0), "bandwidth=-1.0"),
        (GaussianGraph(bandwidth=0.0), "bandwidth=0.0"),
        (LinearNeighborhoodGraph(ridge=-1.0), "ridge=-1.0"),
    ],
)
def test_wrong_parameters_are_named(builder, message):
    with pytest.raises(InputError, match=message):
        builder.build(rows)


def test_a_complete_graph_of_too_many_rows_is_refused():
    with pytest.raises(InputError, match=r"takes at most 10000 rows: use KNNGraph"):
        GaussianGraph().build(np.zeros((10_001, 1)))


def test_labels_of_another_length_are_refused():
    with pytest.raises(InputError, match="labeled has 2 entries, X has 30 rows"):
        KNNGraph().build(rows, np.array([True, False]))


def test_threads_do_not_change_the_graph():
    import numba

    X = sp.random_array((300, 60), density=0.1, rng=np.random.default_rng(0), format="csr")
    many = KNNGraph(5).build(X)
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        one = KNNGraph(5).build(X)
    finally:
        numba.set_num_threads(before)
    assert (one.indices == many.indices).all() and (one.data == many.data).all()

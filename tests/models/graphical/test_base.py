import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.manifold import MDS, Isomap, LocallyLinearEmbedding, SpectralEmbedding
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import smatter
from smatter import GaussianGraph, KNNGraph, KNNSpanningTreeGraph, LabeledKFold
from smatter.errors import InputError, LabelError
from smatter.registry import family, models, public_names

FAMILY = [name for name in models() if family(public_names()[name]) == "graphical"]
TREES = {"MaxSum"}
DIRECTED = {
    "ConditionalHarmonicMixing",
    "DirectedLocalGlobalConsistency",
    "LinearNeighborhoodPropagation",
    "MarkovRandomWalk",
}
rng = np.random.default_rng(0)
CENTERS = np.array([[6.0, 1.0, 1.0], [1.0, 6.0, 1.0], [1.0, 1.0, 6.0]])
truth = np.repeat([0, 1, 2], 30)
rows = np.abs(CENTERS[truth] + rng.normal(size=(90, 3)))
y = np.where(np.arange(90) % 6 == 0, truth, -1)
QUIET = pytest.mark.filterwarnings("ignore::smatter.errors.LabelWarning")


def make(name, **parameters):
    model = getattr(smatter, name)(**parameters)
    return model.set_params(graph=KNNSpanningTreeGraph(k=5)) if name in TREES else model


def tree(n, seed=0, n_classes=3):
    random = np.random.default_rng(seed)
    W = np.zeros((n, n))
    for i in range(1, n):
        j = random.integers(i)
        W[i, j] = W[j, i] = random.random() + 0.1
    labels = np.full(n, -1)
    labels[random.choice(n, 2 * n_classes, replace=False)] = np.arange(2 * n_classes) % n_classes
    return W, labels


@pytest.mark.parametrize("name", FAMILY)
@QUIET
class TestEveryGraphModel:
    def test_learns_what_is_easy(self, name):
        model = make(name).fit(rows, y)
        assert (model.transduction_ == truth).mean() > 0.9
        assert model.posterior_.shape == (90, 3)
        assert model.posterior_.sum(axis=1) == pytest.approx(np.ones(90))
        assert (model.posterior_ >= 0).all()

    def test_sparse_rows_give_the_same_answer(self, name):
        assert make(name).fit(sp.csr_array(rows), y).posterior_ == pytest.approx(
            make(name).fit(rows, y).posterior_, abs=1e-4
        )

    def test_permuting_the_vertices_permutes_the_answer(self, name):
        if name == "RandomizedMincut":
            pytest.skip("the noise goes by the order of the edges")
        W, labels = tree(20)
        order = np.random.default_rng(1).permutation(20)
        model = make(name).fit_graph(W, labels)
        permuted = make(name).fit_graph(W[np.ix_(order, order)], labels[order])
        assert permuted.posterior_ == pytest.approx(model.posterior_[order], abs=1e-4)

    def test_renaming_the_classes_renames_the_answer(self, name):
        W, labels = tree(24, seed=3)
        names = np.array(["c", "b", "a"], dtype=object)
        renamed = np.where(labels < 0, None, names[labels])
        one, other = make(name).fit_graph(W, labels), make(name).fit_graph(W, renamed)
        assert other.classes_.tolist() == ["a", "b", "c"]
        assert other.posterior_[:, ::-1] == pytest.approx(one.posterior_, abs=1e-4)

    def test_isolated_vertices_and_unlabeled_components_get_the_prior(self, name):
        W = np.zeros((8, 8))
        for i, j in [(0, 1), (1, 2), (3, 4), (6, 7)]:  # 5 is alone, 6–7 have no label
            W[i, j] = W[j, i] = 1.0
        labels = np.array([0, 0, -1, 1, -1, -1, -1, -1])
        model = make(name).fit_graph(W, labels)
        assert model.transduction_[[2, 4]].tolist() == [0, 1]
        for lonely in (5, 6, 7):
            assert model.posterior_[lonely] == pytest.approx([2 / 3, 1 / 3], abs=0.17)
            assert model.transduction_[lonely] == 0

    def test_loops_and_stored_zeros_change_nothing(self, name):
        W, labels = tree(20)
        noisy = sp.csr_array(W + np.diag(np.arange(20.0)))
        zeros = sp.csr_array(
            (
                np.concatenate([noisy.data, [0.0, 0.0]]),
                (np.concatenate([noisy.tocoo().row, [0, 19]]), np.concatenate([noisy.tocoo().col, [19, 0]])),
            ),
            shape=(20, 20),
        )
        expected = make(name).fit_graph(W, labels).posterior_
        assert make(name).fit_graph(zeros, labels).posterior_ == pytest.approx(expected)

    def test_the_same_seed_the_same_answer(self, name):
        assert (make(name).fit(rows, y).posterior_ == make(name).fit(rows, y).posterior_).all()

    def test_the_graph_of_fit_brought_to_fit_graph(self, name):
        if name in {"MaxSum", "LoopyBeliefPropagation"}:
            pytest.skip("ties are settled by similarities that the bare graph does not hold")
        fitted = make(name).fit(rows, y)
        assert make(name).fit_graph(fitted.graph_, y).posterior_ == pytest.approx(fitted.posterior_, abs=1e-6)

    def test_unseen_rows_ask_their_neighbors(self, name):
        model = make(name).fit(rows, y)
        assert (model.predict(CENTERS) == [0, 1, 2]).all()
        assert model.predict_proba(rows).sum(axis=1) == pytest.approx(np.ones(90))
        edges = model.builder_.neighbors_of(CENTERS)
        vote = np.asarray(edges @ model.posterior_)
        assert model.predict_proba(CENTERS) == pytest.approx(vote / vote.sum(axis=1, keepdims=True))

    @pytest.mark.filterwarnings("ignore::smatter.errors.EmptyRowsWarning")
    def test_an_unseen_row_without_a_neighbor_gets_the_prior(self, name):
        assert make(name).fit(rows, y).predict_proba(np.zeros((1, 3))) == pytest.approx(np.full((1, 3), 1 / 3))

    def test_after_fit_graph_new_rows_are_weights(self, name):
        W, labels = tree(20)
        model = make(name).fit_graph(W, labels)
        new = np.zeros((2, 20))
        new[0, [3, 4]] = [1.0, 3.0]
        new[1, 5] = 2.0
        assert model.predict_proba(new)[0] == pytest.approx((model.posterior_[3] + 3 * model.posterior_[4]) / 4)
        assert model.predict_proba(new)[1] == pytest.approx(model.posterior_[5])
        with pytest.raises(InputError, match="a new row holds its weights of 0 or more"):
            model.predict(-new)

    def test_two_vertices_and_a_pickle(self, name):
        model = make(name).fit_graph([[0.0, 1.0], [1.0, 0.0]], ["a", "b"])
        assert (pickle.loads(pickle.dumps(model)).posterior_ == model.posterior_).all()
        assert clone(model).get_params().keys() == model.get_params().keys()

    def test_one_vertex_is_one_class(self, name):
        with pytest.raises(LabelError, match="one class only"):
            make(name).fit_graph([[0.0]], ["a"])

    def test_no_label_and_one_class_are_refused(self, name):
        W, _ = tree(10, n_classes=2)
        with pytest.raises(LabelError, match="no labeled row"):
            make(name).fit_graph(W, [None] * 10)
        with pytest.raises(LabelError, match="one class only"):
            make(name).fit_graph(W, ["a"] + [None] * 9)

    def test_wrong_graphs_are_refused(self, name):
        for W, message in [
            ([[0.0, -1.0], [-1.0, 0.0]], "is -1; a weight"),
            ([[0.0, np.nan], [np.nan, 0.0]], "is nan; a weight"),
            ([[0.0, 1.0, 1.0]], "shape"),
        ]:
            with pytest.raises(InputError, match=message):
                make(name).fit_graph(W, [0, 1])

    def test_direction_matters_where_it_must(self, name):
        W = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
        if name in DIRECTED:
            assert np.isfinite(make(name).fit_graph(W, [0, 1, -1]).posterior_).all()
        else:
            with pytest.raises(InputError, match="needs an undirected graph"):
                make(name).fit_graph(W, [0, 1, -1])

    def test_labels_of_another_length_are_refused(self, name):
        with pytest.raises(InputError, match="inconsistent numbers of samples"):
            make(name).fit_graph(np.zeros((3, 3)), [0, 1])

    def test_a_graph_that_is_no_builder_is_refused(self, name):
        with pytest.raises(InputError, match="must be None, or a graph builder"):
            make(name).set_params(graph=np.zeros((3, 3))).fit(rows, y)

    def test_k_beyond_the_rows_is_the_complete_graph(self, name):
        if name in TREES:
            pytest.skip("a complete graph is no tree")
        model = make(name).set_params(graph=KNNGraph(k=500))
        assert np.isfinite(model.fit(rows, y).posterior_).all()


@pytest.mark.parametrize(
    "step",
    [
        PCA(2),
        MDS(2, n_init=1, init="random", random_state=0, normalized_stress="auto"),
        Isomap(n_components=2, n_neighbors=10),
        LocallyLinearEmbedding(n_components=2, n_neighbors=12, random_state=0),
        SpectralEmbedding(n_components=2, random_state=0),
    ],
    ids=lambda step: type(step).__name__,
)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
def test_manifold_steps_in_front_of_a_model(step):
    model = smatter.HarmonicFunctions(KNNGraph(10, "gaussian"))
    flat = step.fit_transform(rows)
    assert (model.fit(flat, y).transduction_ == truth).mean() > 0.8
    if hasattr(step, "transform"):
        line = make_pipeline(clone(step), clone(model)).fit(rows, y)
        assert (line.predict(rows) == truth).mean() > 0.8


def test_k_is_chosen_by_cross_validation_over_the_labels():
    search = GridSearchCV(
        smatter.LocalGlobalConsistency(KNNGraph(similarity="euclidean")), {"graph__k": [1, 5, 10]}, cv=LabeledKFold(3)
    ).fit(rows, y)
    assert search.best_params_["graph__k"] in (1, 5, 10)
    assert (search.predict(rows) == truth).mean() > 0.9


def test_the_gaussian_graph_under_harmonic_functions():
    model = smatter.HarmonicFunctions(GaussianGraph()).fit(rows, y)
    assert (model.transduction_ == truth).mean() > 0.9
    assert (model.predict(rows + 0.01) == truth).mean() > 0.9

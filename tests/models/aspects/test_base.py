"""The estimators as their users see them: limiting cases, invariances, warm starts, bad input."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import smatter
from reference import aspects as slow
from smatter.errors import EmptyRowsWarning, InputError, LabelError, LabelWarning


def draw_corpus(rng, n, K, n_words=30, length=40):
    """One Dirichlet aspect a class."""
    P = rng.dirichlet(np.full(n_words, 0.15), size=K)
    y = np.arange(n) % K
    return np.array([rng.multinomial(length, 0.9 * P[k] + 0.1 / n_words) for k in y], dtype=float), y


VARIANTS = [
    "PLSA", "MissingLabelPLSA", "FakeLabelPLSA", "HardMislabelPLSA", "SoftMislabelPLSA", "FakeMislabelPLSA",
    "LDA", "MissingLabelLDA", "FakeLabelLDA", "HardMislabelLDA", "SoftMislabelLDA", "FakeMislabelLDA",
]  # fmt: skip
AS_PRINTED = {"count_exponent": 1.0, "unlabeled_weight": 1.0}


@pytest.fixture(params=VARIANTS)
def variant(request):
    return getattr(smatter, request.param)


def test_it_learns(variant, corpus):
    X, shown, y = corpus
    model = variant(aspects_per_class=1).fit(X, shown)
    assert (model.transduction_ == y).mean() > 0.9
    assert (model.predict(X) == y).mean() > 0.9
    np.testing.assert_allclose(model.posterior_.sum(axis=1), 1)
    np.testing.assert_allclose(model.word_given_aspect_.sum(axis=0), 1, rtol=1e-4)
    np.testing.assert_allclose(model.aspect_given_document_.sum(axis=1), 1, rtol=1e-4)
    np.testing.assert_allclose(model.class_given_aspect_.sum(axis=1), 1, rtol=1e-6)
    assert model.label_history_.shape == (model.n_iter_, len(y))
    assert (model.transduction_[shown >= 0] == shown[shown >= 0]).all()


def test_sparse_is_dense(variant, corpus):
    X, shown, _ = corpus
    dense, sparse = variant(2).fit(X, shown), variant(2).fit(sp.csr_matrix(X), shown)
    np.testing.assert_allclose(dense.posterior_, sparse.posterior_, rtol=1e-5, atol=1e-7)


def test_rows_may_be_permuted(variant, corpus):
    X, shown, _ = corpus
    order = np.random.default_rng(1).permutation(len(X))
    a, b = variant(2).fit(X, shown), variant(2).fit(X[order], shown[order])
    np.testing.assert_allclose(a.posterior_[order], b.posterior_, rtol=2e-3, atol=1e-4)


@pytest.mark.parametrize("name", VARIANTS[:6])
def test_words_and_classes_may_be_permuted(name, corpus):
    X, shown, _ = corpus
    order = np.random.default_rng(2).permutation(X.shape[1])
    a = getattr(smatter, name)(1).fit(X, shown)
    b = getattr(smatter, name)(1).fit(X[:, order], shown)
    np.testing.assert_allclose(a.posterior_, b.posterior_, rtol=2e-3, atol=1e-4)
    np.testing.assert_allclose(a.word_given_aspect_[order], b.word_given_aspect_, rtol=2e-3, atol=1e-5)
    renamed = np.where(shown >= 0, (shown + 1) % 3, -1)
    c = getattr(smatter, name)(1).fit(X, renamed)
    np.testing.assert_allclose(a.posterior_, np.roll(c.posterior_, -1, axis=1), rtol=2e-3, atol=1e-4)


def test_same_seed_same_answer_for_one_and_two_threads(variant):
    from numba import get_num_threads, set_num_threads

    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.poisson(0.5, size=(1500, 300)).astype(float))  # long enough for several parts
    y = np.where(np.arange(1500) < 200, np.arange(1500) % 4, -1)
    threads, results = get_num_threads(), []
    try:
        for n_threads in (1, min(2, threads)):
            set_num_threads(n_threads)
            results.append(variant(2, max_iter=3).fit(X, y))
    finally:
        set_num_threads(threads)
    np.testing.assert_array_equal(results[0].word_given_aspect_, results[1].word_given_aspect_)
    np.testing.assert_array_equal(results[0].posterior_, results[1].posterior_)
    assert results[0].objective_.tolist() == results[1].objective_.tolist()


def test_one_aspect_a_class_and_one_word_a_document_has_a_closed_form():
    X, y = np.eye(3)[[0, 0, 1, 2, 2, 2]], np.array([0, 0, 0, 1, 1, 1])
    model = smatter.PLSA(1, smoothing=0.0, **AS_PRINTED).fit(X, y)
    np.testing.assert_allclose(model.word_given_aspect_, [[2 / 3, 0], [1 / 3, 0], [0, 1]], atol=1e-6)
    assert model.objective_[-1] == pytest.approx(2 * np.log(2 / 3) + np.log(1 / 3), rel=1e-5)


def test_fold_in_is_that_of_the_slow_twin(corpus):
    X, shown, _ = corpus
    model = smatter.PLSA(2, **AS_PRINTED).fit(X, shown)
    expected = slow.fold_in(X, model.word_given_aspect_.astype(float), 4)
    np.testing.assert_allclose(model.fold_in(X), expected, rtol=2e-3, atol=1e-5)


def test_identity_beta_is_self_training(corpus):
    """With β = identity and P(y|α) in {0, 1}, an unlabeled document uses the aspects of its decided class alone."""
    X, shown, _ = corpus
    model = smatter.HardMislabelPLSA(2)
    model.fit(X, shown)
    model._solution.mislabel = np.eye(3)
    weights = model._aspect_weights(model._solution)
    np.testing.assert_array_equal(weights[3:], model.class_given_aspect_.T)
    np.testing.assert_array_equal(weights[3:], weights[:3])


def test_without_unlabeled_documents_the_plsa_variants_are_one(corpus):
    X, _, y = corpus
    posteriors = [
        getattr(smatter, name)(1).fit(X, y).predict_proba(X).argmax(axis=1)
        for name in ("PLSA", "MissingLabelPLSA", "HardMislabelPLSA", "SoftMislabelPLSA")
    ]
    for other in posteriors[1:]:
        np.testing.assert_array_equal(posteriors[0], other)


def test_lambda_zero_leaves_real_labels_alone(corpus):
    X, shown, _ = corpus
    model = smatter.FakeLabelPLSA(1, fake_weight=0.0).fit(X, shown)
    np.testing.assert_array_equal(model._decision_weights(model._solution), model._solution.label_given_aspect[:, :-1])
    uniform = smatter.FakeLabelPLSA(1, fake_weight=1 / 3).fit(X, shown)
    extra = uniform._decision_weights(uniform._solution) - uniform._solution.label_given_aspect[:, :-1]
    np.testing.assert_allclose(extra, extra[:, :1] * np.ones((1, 3)), atol=1e-12)


def test_unlabeled_rows_do_not_move_the_supervised_model(corpus):
    X, shown, _ = corpus
    alone = smatter.PLSA(2).fit(X[shown >= 0], shown[shown >= 0])
    among = smatter.PLSA(2).fit(X, shown)
    np.testing.assert_allclose(alone.word_given_aspect_, among.word_given_aspect_, rtol=1e-5, atol=1e-8)


def test_a_weight_is_a_number_of_copies(corpus):
    X, shown, _ = corpus
    weights = np.random.default_rng(0).integers(1, 4, size=len(X))
    a = smatter.SoftMislabelPLSA(2).fit(X, shown, weights)
    b = smatter.SoftMislabelPLSA(2).fit(np.repeat(X, weights, axis=0), np.repeat(shown, weights))
    np.testing.assert_allclose(a.word_given_aspect_, b.word_given_aspect_, rtol=5e-3, atol=1e-5)


def test_the_truth_is_found_from_a_corpus_drawn_from_the_model():
    rng = np.random.default_rng(5)
    K, n, n_words = 3, 900, 40
    P = rng.dirichlet(np.full(n_words, 0.3), size=K).T
    y = np.arange(n) % K
    mixtures = 0.85 * np.eye(K)[y] + 0.05
    X = np.array([rng.multinomial(200, P @ mixtures[i]) for i in range(n)], dtype=float)
    shown = np.where(np.arange(n) < 90, y, -1)
    model = smatter.SoftMislabelPLSA(1, smoothing=0.0, max_iter=60, **AS_PRINTED).fit(X, shown)
    assert np.abs(model.word_given_aspect_ - P).sum(axis=0).max() < 0.35
    assert (model.transduction_ == y).mean() > 0.97
    np.testing.assert_allclose(model.mislabel_matrix_.sum(axis=0), 1)
    assert np.diag(model.mislabel_matrix_).min() > 0.7


def test_beta_shows_wrong_decisions_between_twin_classes():
    """Two classes share their words but for a few: their cells of β hold more than those of a class apart."""
    rng = np.random.default_rng(8)
    twins = rng.dirichlet(np.full(30, 0.5), size=2)
    twins[1] = 0.8 * twins[0] + 0.2 * twins[1]
    P = np.zeros((3, 60))
    P[:2, :30], P[2, 30:] = twins, rng.dirichlet(np.full(30, 0.5))
    y = np.arange(600) % 3
    X = np.array([rng.multinomial(30, 0.95 * P[k] + 0.05 / 60) for k in y], dtype=float)
    model = smatter.SoftMislabelPLSA(1).fit(X, np.where(np.arange(600) < 60, y, -1))
    beta = model.mislabel_evidence_
    assert beta[0, 1] + beta[1, 0] > beta[0, 2] + beta[2, 0] + beta[1, 2] + beta[2, 1]


def test_cells_of_beta_are_fed_by_documents(corpus):
    X, shown, _ = corpus
    model = smatter.SoftMislabelPLSA(1).fit(X, shown)
    decided = model.label_history_[-1]
    rows, shares = model.documents_of_cell(model.classes_[0], model.classes_[1], n_documents=5)
    assert len(rows) <= 5
    assert (decided[rows] == 0).all()
    assert (shown[rows] == -1).all()
    assert (np.diff(shares) <= 0).all()
    feeding = np.zeros((3, 3))
    for x in np.flatnonzero(shown < 0):
        feeding[decided[x]] += model.mislabel_counts_[x]
    np.testing.assert_allclose(feeding / feeding.sum(axis=0), model.mislabel_evidence_, atol=1e-6)


def test_a_warm_start_goes_on(variant, corpus):
    X, shown, y = corpus
    model = variant(2, max_iter=5, warm_start=True, tol=0).fit(X, shown)
    cold = model.objective_[0]
    model.fit(X, shown)
    assert model.objective_[0] > cold
    shown = np.where(np.arange(len(y)) < 24, y, shown)
    more = model.fit(X, shown)
    assert (more.transduction_[shown >= 0] == y[shown >= 0]).all()


def test_more_documents_arrive(variant, corpus):
    X, shown, y = corpus
    model = variant(1)
    model.partial_fit(X[:30], shown[:30], classes=[0, 1, 2])
    model.partial_fit(X[30:], shown[30:])
    assert (model.predict(X) == y).mean() > 0.9
    assert len(model.posterior_) == 30


def test_empty_documents_get_the_prior(variant, corpus):
    X, shown, _ = corpus
    X = X.copy()
    X[[3, 40]] = 0
    model = variant(1).fit(X, shown)
    assert np.isfinite(model.posterior_).all()
    with pytest.warns(EmptyRowsWarning, match="no known word"):
        posterior = model.predict_proba(X[40:42])
    assert posterior[0].max() < 0.9


def test_a_document_of_a_million_words(variant, corpus):
    X, shown, _ = corpus
    X = X.copy()
    X[20] *= 1e6 / X[20].sum()
    model = variant(1, count_exponent=1.0).fit(X, shown)
    assert np.isfinite(model.posterior_).all()
    assert np.isfinite(model.objective_).all()


def test_more_aspects_than_labeled_documents_is_a_warning(corpus):
    X, shown, _ = corpus
    with pytest.warns(LabelWarning, match="more aspects than labeled documents"):
        smatter.PLSA(9).fit(X, shown)


def test_a_class_without_labels_is_refused(corpus):
    X, shown, _ = corpus
    with pytest.raises(LabelError, match="no labeled document"):
        smatter.SoftMislabelPLSA(1).partial_fit(X, shown, classes=[0, 1, 2, 3])


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"aspects_per_class": [1, 2]}, "2 entries for 3 classes"),
        ({"aspects_per_class": [1, 0, 2]}, "at least 1"),
        ({"aspects_per_class": 0}, "aspects_per_class=0"),
        ({"aspects_per_class": "many"}, "aspects_per_class='many'"),
        ({"free_aspects": -1}, "free_aspects=-1"),
        ({"smoothing": -0.1}, "smoothing=-0.1"),
        ({"temperature": 0}, "temperature=0"),
        ({"count_exponent": 0}, "count_exponent=0"),
        ({"unlabeled_weight": 2}, "unlabeled_weight=2"),
        ({"n_init": 0}, "n_init=0"),
    ],
)
def test_parameters_that_break_a_rule(corpus, parameters, match):
    X, shown, _ = corpus
    with pytest.raises(InputError, match=match):
        smatter.SoftMislabelPLSA(**parameters).fit(X, shown)


def test_a_fake_weight_above_one_over_k_is_refused(corpus):
    X, shown, _ = corpus
    with pytest.raises(InputError, match=r"fake_weight=0\.5"):
        smatter.FakeLabelPLSA(fake_weight=0.5).fit(X, shown)


def test_free_aspects_learn_their_class(corpus):
    X, shown, y = corpus
    model = smatter.SoftMislabelPLSA(1, free_aspects=2).fit(X, shown)
    assert model.class_given_aspect_.shape == (5, 3)
    np.testing.assert_allclose(model.class_given_aspect_.sum(axis=1), 1)
    assert (model.transduction_ == y).mean() > 0.75


def test_a_free_aspect_takes_the_second_topic_of_a_class():
    """Topic 1 of class 0 looks like class 1 to a single aspect a class; a free aspect takes it, and stays alive."""
    rng = np.random.default_rng(3)
    P = rng.dirichlet(np.full(40, 0.2), size=3)
    P[1] = 0.5 * P[1] + 0.5 * P[2]
    topic = np.arange(300) % 3
    X = np.array([rng.multinomial(15, P[t]) for t in topic], dtype=float)
    y = np.where(topic == 2, 1, 0)
    train, new = np.arange(300) < 150, np.arange(300) >= 150
    alone = smatter.PLSA(1, random_state=0).fit(X[train], y[train])
    free = smatter.PLSA(1, free_aspects=2, n_init=5, max_iter=60, random_state=0).fit(X[train], y[train])
    assert free.objective_[-1] > alone.objective_[-1]
    mass = free.aspect_given_document_.sum(axis=0)
    assert mass[2:].max() > 20
    assert free.class_given_aspect_[2 + mass[2:].argmax(), 0] > 0.9
    assert (free.predict(X[new]) == y[new]).mean() >= (alone.predict(X[new]) == y[new]).mean()


@pytest.mark.parametrize("n_free", [5, 20])
def test_free_aspects_that_nothing_needs_do_no_harm(n_free):
    """An aspect that no document uses holds pseudo-counts alone, and takes no part in a fold-in."""
    X, y = draw_corpus(np.random.default_rng(4), n=240, K=8)
    train = np.arange(240) < 120
    right = [
        (smatter.PLSA(1, free_aspects=free).fit(X[train], y[train]).predict(X[~train]) == y[~train]).mean()
        for free in (0, n_free)
    ]
    assert right[1] > right[0] - 0.03


def test_several_starts_are_averaged(corpus):
    X, shown, _ = corpus
    one, three = smatter.SoftMislabelPLSA(2).fit(X, shown), smatter.SoftMislabelPLSA(2, n_init=3).fit(X, shown)
    assert three.objective_[-1] >= one.objective_[-1] - 1e-3 * abs(one.objective_[-1])
    np.testing.assert_allclose(three.predict_proba(X).sum(axis=1), 1)


def test_nothing_is_said_where_nothing_is_wrong(corpus):
    X, shown, _ = corpus
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        smatter.SoftMislabelPLSA(2).fit(X, shown).predict(X)

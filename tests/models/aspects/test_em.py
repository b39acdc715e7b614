"""One step of every variant against its slow twin, and the likelihoods that never fall."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import smatter
from reference import aspects as slow
from smatter.labels import UNLABELED
from smatter.models.aspects import _layout
from smatter.models.aspects._corpus import Workers, build_corpus
from smatter.models.aspects._em import Allowed, Solution, Step
from smatter.models.aspects._priors import Smoothing

WEIGHTS = {
    "MissingLabelPLSA": slow.weights_supervised,
    "FakeLabelPLSA": slow.weights_fake,
    "HardMislabelPLSA": slow.weights_hard,
    "SoftMislabelPLSA": slow.weights_soft,
    "FakeMislabelPLSA": slow.weights_fake_mislabel,
}


class Bench:
    """A model in the middle of EM, with parameters drawn at random, beside its twin."""

    def __init__(self, name, seed=0, aspects_per_class=2, smoothing=0.3, temperature=1.0, n=14, n_words=9):
        rng = np.random.default_rng(seed)
        K = 3
        self.n = rng.poisson(0.8, size=(n, n_words)).astype(float)
        self.n[:, 0] += 1
        self.y = np.where(np.arange(n) < 6, np.arange(n) % K, UNLABELED)
        self.decided = rng.integers(K, size=n)
        model = getattr(smatter, name)(aspects_per_class, smoothing=smoothing, temperature=temperature)
        model.classes_ = np.arange(K)
        model.aspect_class_ = np.repeat(np.arange(K), aspects_per_class)
        self.model, self.A, self.K = model, K * aspects_per_class, K
        self.allowed = _layout.class_given_aspect(model.aspect_class_, K) > 0
        self.pseudo = smoothing * n_words * rng.dirichlet(np.ones(n_words))
        self.twin = self._draw(rng)
        self._prepare()

    def _draw(self, rng):
        A, K, n, V = self.A, self.K, *self.n.shape
        documents = rng.dirichlet(np.ones(A), size=n)
        documents[self.y >= 0] *= self.allowed[:, self.y[self.y >= 0]].T
        labels = rng.random((A, K + 1)) * np.column_stack([self.allowed, np.ones(A)])
        return slow.Parameters(
            rng.dirichlet(np.ones(V), size=A).T,
            documents / documents.sum(axis=1, keepdims=True),
            self.allowed.astype(float),
            labels / labels.sum(axis=1, keepdims=True),
            rng.dirichlet(np.ones(K), size=A),
            rng.dirichlet(np.ones(K), size=K).T,
        )

    def _prepare(self):
        p, width = self.twin, -self.A % 8
        corpus = build_corpus(self.n, self.y, self.K)
        corpus.kinds[corpus.n_labeled :] = self.K + self.decided[corpus.rows[corpus.n_labeled :]]
        prior = Smoothing(self.pseudo)
        self.step = Step(corpus, Allowed.of(self.allowed), prior, self.model.temperature, Workers(None))
        self.solution = Solution(
            np.ascontiguousarray(np.pad(p.word_given_aspect, ((0, 0), (0, width))), dtype=np.float32),
            np.ascontiguousarray(np.pad(p.aspect_given_document[corpus.rows], ((0, 0), (0, width))), dtype=np.float32),
            p.class_given_aspect.copy(),
            p.imperfect_class_given_aspect.copy(),
            p.label_given_aspect.copy(),
            p.mislabel.copy(),
            np.zeros((2 * self.K, self.A)),
            np.zeros((self.n.shape[1], self.A + width), dtype=np.float32),
        )

    def move(self):
        """One EM step of the fast code; return the log-likelihood before it and the log-prior after it."""
        weights = self.model._aspect_weights(self.solution)
        before = self.step.e_step(self.solution, weights)
        self.step.m_step(self.solution)
        self.model._update_labels(self.solution, weights)
        return before, self.solution.log_prior

    @property
    def words(self):
        return self.solution.word_given_aspect[:, : self.A]

    @property
    def documents(self):
        rows = np.argsort(self.step.corpus.rows)
        return self.solution.aspect_given_document[rows, : self.A]


@pytest.mark.parametrize("temperature", [1.0, 0.8])
@pytest.mark.parametrize("aspects_per_class", [1, 2, 3])
@pytest.mark.parametrize("name", WEIGHTS)
def test_a_step_is_that_of_the_slow_twin(name, aspects_per_class, temperature):
    bench = Bench(name, seed=aspects_per_class, aspects_per_class=aspects_per_class, temperature=temperature)
    p = bench.twin
    g = WEIGHTS[name](p, bench.y, bench.decided)
    pi = slow.posterior(p, g, temperature)
    words, documents = slow.update_words_and_documents(bench.n, pi, bench.pseudo)
    log_likelihood, _ = bench.move()
    assert log_likelihood == pytest.approx(slow.likelihood(bench.n, p, g, temperature), rel=1e-5)
    np.testing.assert_allclose(bench.words, words, rtol=2e-4, atol=1e-6)
    np.testing.assert_allclose(bench.documents, documents, rtol=2e-4, atol=1e-6)
    if name.startswith("Fake"):
        expected = slow.update_fake(bench.n, pi, p, bench.y, bench.allowed)
        np.testing.assert_allclose(bench.solution.label_given_aspect, expected, rtol=1e-4, atol=1e-6)
    if "Mislabel" in name:
        true_class = p.class_given_aspect if name.startswith("Hard") else p.imperfect_class_given_aspect
        beta, tilde = slow.update_mislabel(bench.n, pi, p, bench.y, bench.decided, true_class)
        np.testing.assert_allclose(bench.solution.mislabel, beta, rtol=1e-4, atol=1e-6)
        if not name.startswith("Hard"):
            np.testing.assert_allclose(bench.solution.imperfect_class_given_aspect, tilde, rtol=1e-4, atol=1e-6)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 10_000), smoothing=st.sampled_from([0.0, 0.2]), name=st.sampled_from(sorted(WEIGHTS)))
def test_the_objective_never_falls_while_the_decisions_stay(seed, smoothing, name):
    bench = Bench(name, seed=seed, smoothing=smoothing, n=20, n_words=15)
    objective, log_prior = [], None
    for _ in range(12):
        log_likelihood, next_prior = bench.move()
        if log_prior is not None:
            objective.append(log_likelihood + log_prior)
        log_prior = next_prior
    assert (np.diff(objective) >= -2e-6 * abs(objective[-1])).all()


@pytest.mark.parametrize("name", ["SoftMislabelLDA", "FakeLabelLDA", "MissingLabelLDA"])
def test_the_evidence_bound_never_falls_while_the_decisions_stay(name):
    bench = Bench(name, seed=3, n=20, n_words=15)
    bench.step.prior = bench.model._prior(15, np.full(15, 1 / 15))
    objective = []
    for i in range(15):
        log_prior = bench.solution.log_prior
        log_likelihood, _ = bench.move()
        if i:
            objective.append(log_likelihood + log_prior)
    assert (np.diff(objective) >= -2e-6 * abs(objective[-1])).all()


def test_labeled_documents_touch_their_own_aspects_only():
    bench = Bench("MissingLabelPLSA", aspects_per_class=2)
    bench.move()
    own = bench.allowed[:, bench.y[bench.y >= 0]].T
    assert (bench.documents[bench.y >= 0][~own] == 0).all()
    np.testing.assert_allclose(bench.documents.sum(axis=1), 1, rtol=1e-5)


def test_a_word_that_no_aspect_knows_says_nothing():
    bench = Bench("MissingLabelPLSA", smoothing=0.0)
    bench.pseudo[:] = 0
    bench.solution.word_given_aspect[3] = 0
    bench.move()
    assert np.isfinite(bench.words).all()
    assert np.isfinite(bench.documents).all()


def test_identity_beta_is_self_training_step_by_step():
    """With β = identity the mislabeling model is supervised PLSA on the decisions, and β stays the identity."""
    bench = Bench("HardMislabelPLSA", seed=5)
    bench.solution.mislabel = np.eye(bench.K)
    p, labels = bench.twin, np.where(bench.y >= 0, bench.y, bench.decided)
    for _ in range(3):
        pi = slow.posterior(p, slow.weights_supervised(p, labels, bench.decided), 1.0)
        words, documents = slow.update_words_and_documents(bench.n, pi, bench.pseudo)
        bench.move()
        np.testing.assert_allclose(bench.words, words, rtol=5e-4, atol=1e-6)
        np.testing.assert_allclose(bench.documents, documents, rtol=5e-4, atol=1e-6)
        np.testing.assert_allclose(bench.solution.mislabel, np.eye(bench.K), atol=1e-9)
        p = replace(p, word_given_aspect=words, aspect_given_document=documents)

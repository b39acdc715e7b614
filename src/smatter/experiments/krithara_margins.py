"""Krithara's transductive SVM against the labeled share (figures 6.4, 6.5): hers, and a well-made one."""

from typing import Any

from smatter.evaluate.baselines import LabeledOnly
from smatter.evaluate.protocols import Protocol, percent
from smatter.experiments._recipes import WordCounts
from smatter.experiments.engine.definition import Experiment

SVM = "linear SVM, labeled only"
TSVM = "TransductiveSVM"
ANNEALED = "AnnealedS3VM"
NAIVE_BAYES_EM = "naive Bayes EM-λ"


def _weighted(model: Any) -> Any:
    """The features of this family: tf-idf of damped counts, rows of length 1."""
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.pipeline import make_pipeline

    return make_pipeline(TfidfTransformer(sublinear_tf=True), model)


def _svm() -> Any:
    from sklearn.svm import LinearSVC

    return LabeledOnly(_weighted(LinearSVC(C=10.0)))


def _transductive() -> Any:
    from smatter.models.margins.transductive_svm import TransductiveSVM

    return _weighted(TransductiveSVM(calibrate=False))


def _annealed() -> Any:
    from smatter.models.margins.annealed_s3vm import AnnealedS3VM

    return _weighted(AnnealedS3VM(calibrate=False))


def _naive_bayes_em() -> Any:
    from smatter.models.bayes.naive_bayes_em import NaiveBayesEM

    return NaiveBayesEM(unlabeled_weight="loo")


margins = Experiment(
    name="krithara-margins",
    title="Transductive support vector machines from few labels (Krithara, figures 6.4–6.5)",
    collections={name: WordCounts(name) for name in ("20newsgroups", "webkb", "reuters")},
    methods={SVM: _svm, TSVM: _transductive, ANNEALED: _annealed, NAIVE_BAYES_EM: _naive_bayes_em},
    baseline=SVM,
    budgets=percent(0.3, 1, 2, 5, 10, 20, 40, 60, 80, 100),
    protocol=Protocol(
        "shuffled",
        folds=10,
        starts=10,
        train_share=0.72,
        test_share=0.2,
        stratified_folds=False,
        stratified=False,
        every_class=False,
    ),
    notes="""
Protocol: that of krithara-naive-bayes, micro-averaged F on the test part, which no method sees while it is trained
(inductive, as in the thesis). Labels are drawn at random; at the smallest shares a class can be without one, and then
counts as never found. The thesis optimized SVMlight's cost by nested cross-validation; here every parameter is at its
default for all collections and shares: C = 10, all unlabeled rows weigh as much as all labeled ones, one class against
the rest, the class ratio estimated from the labels. The baseline is liblinear's SVM of the same C on the labeled rows
alone, so that what stands under "over" is the gain from unlabeled documents. Nothing of TSVM is printed in the thesis
as a number that could stand beside; its figures show TSVM as the worst of the methods at every share.
""",
)

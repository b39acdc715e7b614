"""Nguyen's graphs on real data: mincut and the graphical model (tables 3.3–3.5), supervised models (3.6–3.8)."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from smatter.evaluate.baselines import LabeledOnly
from smatter.evaluate.protocols import Protocol, percent
from smatter.evaluate.reports import Measure
from smatter.experiments._graph_search import NeighborsByCV, SearchedKNNGraph, SearchedKNNSpanningTreeGraph
from smatter.experiments._recipes import TopWordWeights
from smatter.experiments.engine.definition import Experiment, Published, PublishedValue

LOGISTIC, SVM, TUNED_SVM = "logistic regression", "svm rbf", "svm rbf, C and γ chosen"
MINCUT, MESSAGES, BALANCED = "mincut", "graphical model", "mincut, balanced"
_PUBLISHED_METHODS = {"mincut": MINCUT, "graphical model with influence index": MESSAGES}
_BEST_GRAPH = {"abalone": "knn", "digits odd-even": "knn-mst", "20news comp-rec": "knn"}
_COLLECTIONS = {"abalone": "abalone", "digits odd-even": "digits", "20news comp-rec": "comp-rec"}


@dataclass(frozen=True)
class Numbers:
    """A collection of measurements as it is: not scaled, as the thesis does not say that it did."""

    collection: str

    def __call__(self) -> tuple[Any, Any, Any]:
        """Return rows, labels and no names."""
        from smatter.datasets import load

        collection = load(self.collection)
        return collection.features, collection.labels, None


def _graph_model(method: str, graph: str, similarity: str) -> Callable[[], Any]:
    def make() -> Any:
        from smatter import LoopyBeliefPropagation, MaxSum, Mincut, SpanningTreeGraph

        builders: dict[str, Any] = {
            "knn": SearchedKNNGraph(similarity=similarity, join_unlabeled=True),
            "mst": SpanningTreeGraph(similarity),
            "knn-mst": SearchedKNNSpanningTreeGraph(similarity=similarity, join_unlabeled=True),
        }
        models: dict[str, Any] = {
            MINCUT: Mincut(),
            BALANCED: Mincut(class_shares="labeled", slack=0.1),
            MESSAGES: LoopyBeliefPropagation() if graph == "knn" else MaxSum(),
        }
        model = models[method].set_params(graph=builders[graph])
        return model if graph == "mst" else NeighborsByCV(model)

    return make


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LabeledOnly(LogisticRegression(max_iter=5000))


def _svm() -> Any:
    """N's: γ = 1 / (number of features), C = 1, on the rows as they are."""
    from sklearn.svm import SVC

    return LabeledOnly(SVC(gamma="auto"))


def _tuned_svm() -> Any:
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import SVC

    grid = {"C": [1, 10, 100, 1000], "gamma": ["auto", "scale", 0.001, 0.01, 0.1, 1.0]}
    return LabeledOnly(GridSearchCV(SVC(), grid, scoring="f1_macro", cv=3))


def _methods(similarity: str) -> dict[str, Callable[[], Any]]:
    graphs = {
        f"{method}, {graph}": _graph_model(method, graph, similarity)
        for graph in ("knn", "mst", "knn-mst")
        for method in (MINCUT, MESSAGES)
    }
    return {
        **graphs,
        f"{BALANCED}, knn": _graph_model(BALANCED, "knn", similarity),
        LOGISTIC: _logistic,
        SVM: _svm,
        TUNED_SVM: _tuned_svm,
    }


def _graph_row(row: Mapping[str, str]) -> Iterator[PublishedValue]:
    collection = _COLLECTIONS[row["data"].split(" (")[0]]
    method = f"{_PUBLISHED_METHODS[row['method']]}, {row['graph']}"
    yield (collection, method, _budget(row)), "transductive_macro_f", float(row["f1"])


def _supervised_row(row: Mapping[str, str]) -> Iterator[PublishedValue]:
    method, collection = row["method"], row["data"]
    if method == "graphical model":
        method = f"{MESSAGES}, {_BEST_GRAPH[collection]}"
    yield (_COLLECTIONS[collection], method, _budget(row)), "transductive_macro_f", float(row["f1_average"])


def _budget(row: Mapping[str, str]) -> str:
    return f"{100 - int(row['unlabelled_percent'])}%"


_MEASURE = Measure("transductive_macro_f", "average F")
_PROTOCOL = Protocol("shuffled", folds=5, starts=1, train_share=0.997, every_class=True)
_PUBLISHED = (Published("nguyen_graph.csv", _graph_row), Published("nguyen_supervised.csv", _supervised_row))
_NOTES = """
Protocol: all rows are vertices; 30, 10 and 3 % of them are labeled (70, 90 and 97 % are not), stratified, five times
over; the average of the two classes' F over the unlabeled rows. k is chosen from 1 … 10 by the F on a third of the
labels, held out once (the log that was published beside the thesis has one fold too), with the graph of all rows. Three
rows in a thousand stay outside of the graph, because the engine scores a test part as well.

The graphical model is max-sum on trees and loopy belief propagation on k-NN graphs, with the influence index. Its k-NN
graphs follow the rule that a component without a labeled row is joined to its most similar labeled row.
"""

_NUMBERS_NOTES = """
Cells that differ by more than 0.02:

- **Digits, graphical model on k-NN graphs, 10 and 3 % labeled** (published 0.89 and 0.84; here higher). The thesis says
  that its messages did not converge on a group of vertices. Here rounds go on until no message changes, and messages
  are kept relative to their maximum. Then the graphical model is level with mincut, as it is on trees.
- **Digits, spanning trees at 3 %** (published 0.93). Fifty-three labels; the F of one draw moves by several hundredths.
- **Digits, SVM with γ = 1/64** (published 0.91 … 0.99). With that γ on the pixels as they are the kernel is nearly the
  identity and the SVM nearly a coin; scaled pixels (tried: standardized, 0 … 1) bring the same γ to 0.77 … 0.97. The
  published numbers are those of a tuned SVM: with C and γ chosen by cross-validation we meet them.
- **Abalone, logistic regression at 10 and 3 %, graphical model on k-NN graphs at 30 and 3 %**: 0.02 to 0.04 apart, on
  both sides. Five draws have a spread of up to 0.02, the coding of the sex is not told, and k is chosen on few labels.

Mincut and max-sum agree on trees in nearly every draw, as in print: both are the exact optimum and differ on ties only.
The balanced cut, which the thesis does not have, is never worse than the plain one.
"""

_TEXT_NOTES = """
What a careful SVM gives: with rows of length 1 and γ = 1/600 the kernel is nearly constant, and with C = 1 the SVM
gives every row to the larger class, at all three shares; this is the published 0.36 at 3 %. (The published 0.89 and
0.83 at 30 and 10 % need rows of another length, which the thesis does not tell.) With C and γ chosen by
cross-validation on the labeled rows it is the best method of the table, beside logistic regression.

Cells that differ by more than 0.02:

- **mincut on k-NN graphs at 3 %** (published 0.41, nearly all rows negative): the thesis's cut degenerates for the k
  that it chose. With ten neighbors it does here too (see the cuts in ``benchmarks/README.md``); the k that held-out
  labels choose avoids that.
- **mincut and the graphical model on k-NN graphs at 10 and 30 %**: up to 0.03 apart, on both sides; other words (600 by
  summed tf-idf of all messages), other draws, another choice of k.

Trees cost text dearly: both tree graphs stay far below the k-NN graphs and below logistic regression.
"""

numbers = Experiment(
    name="nguyen-graph-numbers",
    title="Graphs on Abalone and Digits (Nguyen, tables 3.3, 3.4, 3.6, 3.7)",
    collections={"abalone": Numbers("abalone"), "digits": Numbers("digits")},
    methods=_methods("euclidean"),
    baseline=SVM,
    budgets=percent(30, 10, 3),
    protocol=_PROTOCOL,
    measures=(_MEASURE,),
    published=_PUBLISHED,
    transductive=True,
    notes=_NOTES + _NUMBERS_NOTES,
)

text = Experiment(
    name="nguyen-graph-text",
    title="Graphs on comp versus rec (Nguyen, tables 3.5, 3.8)",
    collections={"comp-rec": TopWordWeights("20newsgroups-comp-rec", "comp", scale=1.0)},
    methods=_methods("cosine"),
    baseline=SVM,
    budgets=percent(30, 10, 3),
    protocol=_PROTOCOL,
    measures=(_MEASURE,),
    published=_PUBLISHED,
    transductive=True,
    notes=_NOTES + _TEXT_NOTES,
)

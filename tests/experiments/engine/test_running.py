import json
from collections import Counter

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from experiments.tiny import experiment
from smatter.errors import InputError, UnreadableError
from smatter.experiments import run
from smatter.experiments.engine.cells import cells, key_of
from smatter.experiments.engine.running import rewrite
from smatter.experiments.engine.store import Store
from smatter.progress import listening


class Failing(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise RuntimeError("this method never fits")


class StopError(Exception):
    pass


def keys(folder):
    return Counter(key_of(record) for record in Store(folder / "tiny" / "cells.jsonl").records())


def stop_after(n_done):
    def listener(progress):
        if progress.what == "experiment tiny" and progress.done == n_done:
            raise StopError

    return listener


def test_every_cell_is_run_once_and_the_results_are_written(tmp_path):
    outcome = run(experiment(), tmp_path, n_jobs=1)
    assert (outcome.cells, outcome.done_before, outcome.failed) == (2 * 2 * 3 * 3 * 2, 0, ())
    assert set(keys(tmp_path).values()) == {1} and len(keys(tmp_path)) == outcome.cells
    written = {path.name for path in outcome.folder.iterdir()}
    assert written == {"cells.jsonl", "results.csv", "table.md", "tiny.png", "tiny.svg"}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_stopped_run_goes_on_where_it_was(tmp_path, n_jobs):
    with listening(stop_after(17)), pytest.raises(StopError):
        run(experiment(), tmp_path, n_jobs=n_jobs)
    assert sum(keys(tmp_path).values()) == 17
    outcome = run(experiment(), tmp_path, n_jobs=1)
    assert outcome.done_before == 17
    planned = {cell.key for cell in cells(experiment(), folds=3, starts=2)}
    assert keys(tmp_path) == Counter(planned)


def test_processes_and_threads_do_not_change_the_scores(tmp_path):
    small = experiment(protocol=experiment().protocol.__class__(folds=2, starts=1))
    scores = []
    for n_jobs in (1, 2):
        run(small, tmp_path / str(n_jobs), n_jobs=n_jobs)
        records = Store(tmp_path / str(n_jobs) / "tiny" / "cells.jsonl").records()
        scores.append({key_of(record): (record["micro_f"], record["log_loss"]) for record in records})
    assert scores[0] == scores[1]


def test_a_line_cut_short_is_dropped_and_its_cell_run_again(tmp_path):
    run(experiment(), tmp_path, n_jobs=1, folds=1, starts=1)
    path = tmp_path / "tiny" / "cells.jsonl"
    content = path.read_bytes()
    last = content.rstrip(b"\n").rfind(b"\n") + 1
    path.write_bytes(content[: last + 25])
    assert len(Store(path).records()) == 11
    outcome = run(experiment(), tmp_path, n_jobs=1, folds=1, starts=1)
    assert (outcome.cells, outcome.done_before) == (12, 11)
    assert set(keys(tmp_path).values()) == {1} and len(keys(tmp_path)) == 12
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_a_broken_line_in_the_middle_is_an_error_that_names_it(tmp_path):
    path = tmp_path / "cells.jsonl"
    path.write_text('{"a": 1}\n{"a":\n{"a": 3}\n')
    with pytest.raises(UnreadableError, match=r"Line 2 of .*cells.jsonl is not JSON.*delete that line"):
        Store(path).records()


def test_a_failing_cell_is_noted_the_rest_goes_on_and_it_is_tried_again(tmp_path):
    broken = experiment(methods={**experiment().methods, "failing": Failing})
    outcome = run(broken, tmp_path, n_jobs=1, folds=1, starts=1)
    assert (outcome.cells, len(outcome.failed)) == (18, 6)
    assert outcome.failed[0]["error"] == "RuntimeError: this method never fits"
    assert "6 fits failed" in (outcome.folder / "table.md").read_text()
    again = run(broken, tmp_path, n_jobs=1, folds=1, starts=1)
    assert (again.done_before, len(again.failed)) == (12, 6)


def test_more_folds_add_to_what_is_there(tmp_path):
    run(experiment(), tmp_path, n_jobs=1, folds=1, starts=1)
    assert "1 of the protocol's 3 folds × 1 of its 2 starts" in (tmp_path / "tiny" / "table.md").read_text()
    assert run(experiment(), tmp_path, n_jobs=1, folds=3, starts=1).done_before == 12
    assert "3 of the protocol's 3 folds × 1 of its 2 starts" in (tmp_path / "tiny" / "table.md").read_text()


def test_a_changed_definition_is_run_anew(tmp_path):
    from sklearn.naive_bayes import MultinomialNB

    from smatter.evaluate.baselines import LabeledOnly

    run(experiment(), tmp_path, n_jobs=1, folds=1, starts=1)
    methods = {**experiment().methods, "supervised": lambda: LabeledOnly(MultinomialNB(alpha=0.1))}
    outcome = run(experiment(methods=methods), tmp_path, n_jobs=1, folds=1, starts=1)
    assert outcome.done_before == 6
    assert "(12 fits)" in (outcome.folder / "table.md").read_text()


def test_only_restricts_the_cells(tmp_path):
    outcome = run(experiment(), tmp_path, n_jobs=1, only={"collection": ["more"], "budget": ["50%"]})
    assert outcome.cells == 2 * 3 * 2
    with pytest.raises(InputError, match=r"'collection=most' is not in experiment 'tiny'.*'made', 'more'"):
        run(experiment(), tmp_path, only={"collection": ["most"]})
    with pytest.raises(InputError, match=r"'fold' is not in experiment.*'method'"):
        run(experiment(), tmp_path, only={"fold": ["1"]})


def test_folds_beyond_the_protocol_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"folds=4 must be between 1 and the protocol's 3"):
        run(experiment(), tmp_path, folds=4)


def test_a_second_run_at_the_same_time_is_refused(tmp_path):
    with Store(tmp_path / "tiny" / "cells.jsonl").appending(), pytest.raises(InputError, match="another run"):
        run(experiment(), tmp_path, n_jobs=1)


def test_all_methods_see_the_same_rows_and_records_say_how_they_were_made(tmp_path):
    run(experiment(), tmp_path, n_jobs=1, folds=2, starts=2)
    records = Store(tmp_path / "tiny" / "cells.jsonl").records()
    by_run = {}
    for record in records:
        where = (record["collection"], record["budget"], record["fold"], record["start"])
        by_run.setdefault(where, set()).add((record["n_train"], record["n_labeled"], record["n_test"]))
        assert record["fit_seconds"] > 0 and "numpy" in record["versions"] and "commit" in record
        assert np.isfinite(record["log_loss"])
    assert {len(sizes) for sizes in by_run.values()} == {1}


def test_the_page_can_be_written_again_without_running(tmp_path):
    folder = run(experiment(), tmp_path, n_jobs=1, folds=2, starts=1).folder
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert rewrite(experiment(), tmp_path) == folder
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before

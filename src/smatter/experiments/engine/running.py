"""Runs what is missing of an experiment, on all cores, and goes on where it was stopped."""

import os
import signal
import uuid
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing import current_process
from pathlib import Path

from smatter.errors import InputError, SmatterError
from smatter.evaluate.curves import Record
from smatter.experiments.engine import provenance
from smatter.experiments.engine.cells import Cell, Only, cells, key_of, run_cell
from smatter.experiments.engine.definition import Experiment
from smatter.experiments.engine.discovery import find
from smatter.experiments.engine.results import write_results
from smatter.experiments.engine.store import Store
from smatter.progress import Progress, report

RESULTS = Path("docs/results")


@dataclass(frozen=True)
class Outcome:
    """What a run has done, and where its results are."""

    folder: Path
    cells: int
    done_before: int
    failed: tuple[Record, ...]


def run(
    experiment: str | Experiment,
    out: str | Path | None = None,
    n_jobs: int | None = None,
    folds: int | None = None,
    starts: int | None = None,
    only: Only | None = None,
) -> Outcome:
    """Run the missing cells of an experiment, then write its table, CSV and plot.

    Every finished cell is on the disk before the next is awaited; stopping loses the cells that are being computed,
    and the same call goes on from there. A cell that fails is noted and tried again by the next run. Asking for more
    folds or starts later adds to what is there.

    Parameters
    ----------
    experiment : str or Experiment
        One of :func:`all_experiments` by name, or one of your own.
    out : path, default ``docs/results``
        The folder in which the experiment's folder of results is made.
    n_jobs : int, optional
        How many processes of one thread each; all cores by default. 1 computes in this process.
    folds, starts : int, optional
        Run only the first so many of the protocol's.
    only : dict, optional
        Restrict ``collection``, ``method`` or ``budget``, as ``{"collection": ["webkb"]}``.
    """
    definition = find(experiment) if isinstance(experiment, str) else experiment
    folds = _up_to("folds", folds, definition.protocol.folds)
    starts = _up_to("starts", starts, definition.protocol.starts)
    folder = Path(out or RESULTS) / definition.name
    store = Store(folder / "cells.jsonl")
    planned = list(cells(definition, folds=folds, starts=starts, only=only))
    with store.appending() as appender:
        finished = {key_of(record) for record in store.records() if not record["error"]}
        missing = [cell for cell in planned if cell.key not in finished]
        made_with = {"commit": provenance.commit(), "versions": provenance.versions()}
        failed = []
        done_before = len(planned) - len(missing)
        _report(definition, done_before, len(planned))
        with _computing(definition, missing, n_jobs) as records:
            for done, record in enumerate(records, start=done_before + 1):
                appender.add({**record, **made_with})
                failed += [record] if record["error"] else []
                _report(definition, done, len(planned))
    write_results(definition, store.records(), folder)
    return Outcome(folder, len(planned), done_before, tuple(failed))


def rewrite(experiment: str | Experiment, out: str | Path | None = None) -> Path:
    """Write the table, CSV and plot again from the cells that are there; return their folder."""
    definition = find(experiment) if isinstance(experiment, str) else experiment
    folder = Path(out or RESULTS) / definition.name
    write_results(definition, Store(folder / "cells.jsonl").records(), folder)
    return folder


@contextmanager
def _computing(experiment: Experiment, missing: Sequence[Cell], n_jobs: int | None) -> Iterator[Iterator[Record]]:
    """Give the records as they come, in any order; leaving early ends the processes."""
    work = partial(run_cell, experiment, token=uuid.uuid4().hex)
    n_jobs = min(n_jobs or os.cpu_count() or 1, max(1, len(missing)))
    if n_jobs == 1:
        yield map(work, missing)
        return
    from joblib import Parallel, delayed, parallel_config
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    with parallel_config(backend="loky", inner_max_num_threads=1):
        pool = Parallel(n_jobs=n_jobs, batch_size=1, pre_dispatch="2 * n_jobs", return_as="generator_unordered")
        records = pool(delayed(_in_worker)(work, cell) for cell in missing)
    try:
        yield records
    except TerminatedWorkerError as error:
        raise SmatterError(
            f"A process of {experiment.name!r} was ended from outside, perhaps for want of memory; {n_jobs} ran at "
            "once: run again with a smaller n_jobs, it goes on where it stopped."
        ) from error
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # joblib's, of the cells that stopping gives up on purpose
            records.close()


def _in_worker(work: partial[Record], cell: Cell) -> Record:
    if current_process().name != "MainProcess":
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends its processes
    return work(cell)


def _up_to(name: str, asked: int | None, published: int) -> int:
    if asked is None:
        return published
    if not 1 <= asked <= published:
        raise InputError(f"{name}={asked} must be between 1 and the protocol's {published}: change {name}.")
    return asked


def _report(experiment: Experiment, done: int, total: int) -> None:
    report(Progress(f"experiment {experiment.name}", done, total))

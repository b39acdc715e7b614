import csv

from experiments.tiny import experiment
from smatter.evaluate.protocols import Protocol, percent
from smatter.evaluate.reports import Measure
from smatter.experiments.engine.cells import cells
from smatter.experiments.engine.results import write_results

SMALL = experiment(
    collections={"made": experiment().collections["made"]},
    budgets=percent(10),
    protocol=Protocol(folds=4, starts=1),
    measures=(Measure("micro_f", "micro F, %", 100, 2), Measure("f[music]", "F of music")),
    notes="A note.",
)
SCORES = {"supervised": (0.5, 0.6, 0.7), "complement": (0.6, 0.75, 0.75)}

PAGE = """\
# A tiny experiment

A note.

Run: 3 of the protocol's 4 folds × 1 of its 1 starts (6 fits).

| collection | labeled | method     | micro F, % |     ± | F of music |     ± | over supervised | p paired | p corrected | runs |
| ---------- | ------- | ---------- | ---------: | ----: | ---------: | ----: | --------------: | -------: | ----------: | ---: |
| made       | 10%     | supervised |      60.00 | 10.00 |      0.250 | 0.000 |               – |        – |           – |    3 |
| made       | 10%     | complement |      70.00 |  8.66 |      0.250 | 0.000 |          +10.00 |   0.0742 |      0.1340 |    3 |

±: one standard deviation over the runs. Over supervised: gain in micro F, % on the same splits and labels. \
p paired: t-test over all runs, as the seeds do; p corrected: Nadeau and Bengio (2003) over the folds' means. \
Bold: significant at 5 %.

![learning curves](tiny.svg)

1 fits failed and are not in the table:

- made, supervised: 1 × ValueError: no

Made by `python -m smatter.experiments run tiny --folds 3 --starts 1` at commit abc; numpy 2.0, python 3.12; \
0.50 hours of fitting on one core.
"""  # noqa: E501


def records():
    made = [
        {
            "collection": "made",
            "method": cell.method,
            "budget": "10%",
            "x": 10.0,
            "fold": cell.fold,
            "start": 0,
            "settings": cell.settings,
            "error": None,
            "n_train": 30,
            "n_labeled": 3,
            "n_test": 10,
            "micro_f": SCORES[cell.method][cell.fold],
            "f[music]": 0.25,
            "fit_seconds": 300.0,
            "commit": "abc",
            "versions": {"python": "3.12", "numpy": "2.0"},
        }
        for cell in cells(SMALL, folds=3, starts=1)
    ]
    failed = {**made[0], "fold": 3, "error": "ValueError: no"}
    stale = {**made[0], "settings": "of another definition", "micro_f": 0.0}
    return [*made, failed, stale]


def test_the_page_of_an_experiment(tmp_path):
    write_results(SMALL, records(), tmp_path)
    assert (tmp_path / "table.md").read_text() == PAGE


def test_the_order_in_which_cells_were_finished_leaves_no_trace(tmp_path):
    write_results(SMALL, records(), tmp_path / "a")
    write_results(SMALL, records()[::-1], tmp_path / "b")
    files = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert files == ["results.csv", "table.md", "tiny.png", "tiny.svg"]
    for name in files:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_cell_that_failed_first_and_succeeded_later_counts_once(tmp_path):
    first = {**records()[0], "error": "ValueError: no"}
    write_results(SMALL, [first, *records()], tmp_path)
    with (tmp_path / "results.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 6
    assert {row["method"] for row in rows} == set(SCORES)
    assert [row["micro_f"] for row in rows if row["method"] == "supervised"] == ["0.5", "0.6", "0.7"]


def test_a_page_without_a_single_fit_says_so(tmp_path):
    write_results(SMALL, [], tmp_path)
    page = (tmp_path / "table.md").read_text()
    assert "No cell has been run yet." in page and "![" not in page
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.csv", "table.md"]

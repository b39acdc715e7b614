# ruff: noqa: E501
import csv

import pytest

from smatter.evaluate.comparison import Comparison
from smatter.evaluate.curves import Point
from smatter.evaluate.reports import Measure, comparison_table, markdown_table, write_csv
from smatter.evaluate.significance import TestResult

MICRO = Measure("micro_f", "micro F, %", 100, 2)
MACRO = Measure("macro_f", "macro F")


def point(method, budget, x, mean, deviation=0.01):
    return Point("news", method, budget, x, mean, deviation, 10)


def comparisons(shift=0.0):
    strong, weak = TestResult(0.1, 9.0, 9, 0.00001), TestResult(0.1, 1.2, 9, 0.2604)
    return [
        Comparison(point("em", "10%", 10.0, 0.8 + shift), 0.05, strong, weak),
        Comparison(point("em", "5%", 5.0, 0.7512 + shift), 0.1534, strong, TestResult(0.1, 3.0, 9, 0.0149)),
        Comparison(point("nb", "5%", 5.0, 0.5978 + shift, float("nan"))),
        Comparison(point("nb", "10%", 10.0, 0.75 + shift)),
    ]


def test_the_table_of_an_experiment():
    published = {(("news", "em", "5%"), "micro_f"): 0.67}
    table = comparison_table({MICRO: comparisons(), MACRO: comparisons(-0.01)}, baseline="nb", published=published)
    assert table == "\n".join(
        [
            "| collection | labeled | method | micro F, % |    ± | published | difference | macro F |     ± | over nb |    p paired | p corrected | runs |",
            "| ---------- | ------- | ------ | ---------: | ---: | --------: | ---------: | ------: | ----: | ------: | ----------: | ----------: | ---: |",
            "| news       | 5%      | nb     |      59.78 |    – |         – |          – |   0.588 |     – |       – |           – |           – |   10 |",
            "| news       | 5%      | em     |      75.12 | 1.00 |     67.00 |      +8.12 |   0.741 | 0.010 |  +15.34 | **<0.0001** |  **0.0149** |   10 |",
            "| news       | 10%     | nb     |      75.00 | 1.00 |         – |          – |   0.740 | 0.010 |       – |           – |           – |   10 |",
            "| news       | 10%     | em     |      80.00 | 1.00 |         – |          – |   0.790 | 0.010 |   +5.00 | **<0.0001** |      0.2604 |   10 |",
        ]
    )


def test_without_published_numbers_their_columns_are_left_out():
    table = comparison_table({MICRO: comparisons()}, baseline="nb", published={})
    assert "published" not in table and "difference" not in table


def test_a_bar_in_a_name_does_not_break_the_table():
    assert markdown_table(["a"], [["x|y"]]) == "|    a |\n| ---: |\n| x\\|y |"


def test_csv_is_tidy_and_reads_back(tmp_path):
    path = tmp_path / "deep" / "results.csv"
    write_csv(path, [{"method": "nb, plain", "f": 0.1 + 0.2, "n": 3}, {"method": 'the "other"', "g": float("nan")}])
    with path.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert rows[0] == {"method": "nb, plain", "f": "0.30000000000000004", "n": "3", "g": ""}
    assert rows[1] == {"method": 'the "other"', "f": "", "n": "", "g": ""}
    assert b"\r" not in path.read_bytes()


def test_chosen_columns_only(tmp_path):
    write_csv(tmp_path / "some.csv", [{"b": 1, "a": 2}], ["a"])
    assert (tmp_path / "some.csv").read_text() == "a\n2\n"


@pytest.mark.parametrize(("value", "text", "signed"), [(0.12345, "12.35", "+12.35"), (None, "–", "–")])
def test_measures_are_shown_on_their_scale(value, text, signed):
    assert (MICRO.text(value), MICRO.signed(value)) == (text, signed)

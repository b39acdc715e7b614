import pytest

from experiments.tiny import experiment
from smatter.errors import UnreadableError
from smatter.experiments import run
from smatter.experiments.engine.definition import Published
from smatter.experiments.engine.published import folder, published_values


def read(row):
    yield (row["dataset"], "complement", f"{row['percent']}%"), "micro_f", float(row["f1"]) / 100


TABLE = Published("table.csv", read)


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.setenv("SMATTER_DATA", str(tmp_path / "data"))
    (tmp_path / "published").mkdir()
    return tmp_path


def test_the_numbers_lie_beside_the_data_folder(data):
    (data / "published" / "table.csv").write_text("dataset,percent,f1\nmade,10,61.5\n")
    assert folder() == data / "published"
    assert published_values(experiment(published=(TABLE,))) == {(("made", "complement", "10%"), "micro_f"): 0.615}


def test_rows_of_other_experiments_are_passed_over(data):
    (data / "published" / "table.csv").write_text("dataset,percent,f1\nmade,10,61.5\nother,10,50\nmade,99,50\n")
    assert len(published_values(experiment(published=(TABLE,)))) == 1


def test_they_stand_in_the_table_with_the_difference(data):
    (data / "published" / "table.csv").write_text("dataset,percent,f1\nmade,10,50\n")
    outcome = run(experiment(published=(TABLE,)), data / "out", n_jobs=1, folds=1, starts=1)
    page = (outcome.folder / "table.md").read_text()
    (line,) = (line for line in page.splitlines() if "| made " in line and "| 10%" in line and "complement" in line)
    ours, published, difference = (float(cell) for cell in line.split("|")[4:8:1] if cell.strip() != "–")
    assert published == 50 and difference == pytest.approx(ours - 50)
    assert "Difference: ours − published." in page


@pytest.mark.parametrize("present", [True, False])
def test_without_them_the_page_says_so(data, present):
    if not present:
        (data / "published").rmdir()
    assert published_values(experiment(published=(TABLE,))) is None
    outcome = run(experiment(published=(TABLE,)), data / "out", n_jobs=1, folds=1, starts=1)
    page = (outcome.folder / "table.md").read_text()
    assert "not at hand" in page and "difference" not in page.split("![")[0].split("±:")[0]


def test_a_row_that_does_not_read_is_an_error_that_shows_it(data):
    (data / "published" / "table.csv").write_text("dataset,percent,f1\nmade,10,high\n")
    with pytest.raises(UnreadableError, match=r"A row of .*table.csv reads .*'f1': 'high'.*correct the file"):
        published_values(experiment(published=(TABLE,)))


@pytest.mark.data
def test_the_definitions_read_the_real_files():
    from smatter.experiments import all_experiments

    if folder() is None:
        pytest.skip("no folder of published numbers beside the data")
    for definition in all_experiments().values():
        if definition.published:
            values = published_values(definition)
            assert values and all(0 < value < 1 for value in values.values())

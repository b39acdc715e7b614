import pytest

from experiments.tiny import experiment
from smatter.errors import InputError
from smatter.experiments import all_experiments
from smatter.experiments.engine import running


@pytest.fixture
def tiny(monkeypatch):
    def find(name):
        if name != "tiny":
            raise InputError(f"There is no experiment {name!r}")
        return experiment()

    monkeypatch.setattr(running, "find", find)


def test_list_names_them_all(run):
    output = run("experiment", "list").output
    assert all(name in output for name in all_experiments())


def test_run_and_report(run, tmp_path, tiny):
    options = ["--folds", "2", "--starts", "1", "--jobs", "1", "--only", "collection=made", "--only", "budget=10%"]
    result = run("experiment", "run", "tiny", "--out", tmp_path, *options)
    assert result.exit_code == 0, result.output
    assert "4 fits, 0 failed" in result.output
    assert (tmp_path / "tiny" / "table.md").exists()
    assert run("experiment", "report", "tiny", "--out", tmp_path).exit_code == 0


def test_errors_are_a_sentence(run, tmp_path, tiny):
    result = run("experiment", "run", "nothing", "--out", tmp_path)
    assert result.exit_code == 2 and "error: There is no experiment 'nothing'" in result.stderr
    result = run("experiment", "run", "tiny", "--only", "method")
    assert result.exit_code == 2 and "must read collection=" in result.stderr


def test_ctrl_c_says_that_it_goes_on(run, tmp_path, tiny, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("smatter.experiments.run", interrupted)
    result = run("experiment", "run", "tiny", "--out", tmp_path)
    assert result.exit_code == 130
    assert "the same command goes on from here" in result.stderr

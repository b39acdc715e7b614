import pytest
from typer.testing import CliRunner

from experiments.tiny import experiment
from smatter.errors import InputError
from smatter.experiments import __main__ as module
from smatter.experiments import all_experiments
from smatter.experiments.engine import running

runner = CliRunner()


@pytest.fixture
def tiny(monkeypatch):
    def find(name):
        if name != "tiny":
            raise InputError(f"There is no experiment {name!r}")
        return experiment()

    monkeypatch.setattr(running, "find", find)


def test_list_names_them_all():
    result = runner.invoke(module.app, ["list"])
    assert result.exit_code == 0
    assert [line.split("\t")[0] for line in result.output.splitlines()] == list(all_experiments())


def test_run_passes_everything_on_and_says_where_the_results_are(tmp_path, tiny):
    options = ["--folds", "2", "--starts", "1", "--jobs", "1", "--only", "collection=made", "--only", "budget=10%"]
    result = runner.invoke(module.app, ["run", "tiny", "--out", str(tmp_path), *options])
    assert result.exit_code == 0
    assert "4 fits, 0 failed" in result.output
    assert (tmp_path / "tiny" / "table.md").exists()
    again = runner.invoke(module.app, ["report", "tiny", "--out", str(tmp_path)])
    assert again.exit_code == 0


def test_errors_are_a_sentence_not_a_traceback(tmp_path, tiny):
    result = runner.invoke(module.app, ["run", "nothing", "--out", str(tmp_path)])
    assert result.exit_code == 1
    assert "error: There is no experiment 'nothing'" in result.output
    assert runner.invoke(module.app, ["run", "tiny", "--only", "method"]).exit_code == 2


def test_ctrl_c_says_that_it_goes_on(tmp_path, tiny, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(module, "run_experiment", interrupted)
    result = runner.invoke(module.app, ["run", "tiny", "--out", str(tmp_path)])
    assert result.exit_code == 130
    assert "goes on from here" in result.output

"""The command line as a whole: help, version, errors, signals, documentation."""

import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from smatter.cli import app, main
from smatter.cli._progress import showing_progress
from smatter.errors import UnreadableError
from smatter.progress import Progress, report

DOCS = Path(__file__).parents[2] / "docs" / "cli.md"
BLOCK = """
import time
from smatter.documents import tables
def write(stream, table):
    stream.write("half a file")
    print("READY", flush=True)
    time.sleep(60)
tables._WRITERS[".csv"] = write
"""


def commands(group=None, path=("smatter",)):
    """Every command that does something, as it is typed."""
    group = group or typer.main.get_command(app)
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def test_every_command_and_option_is_documented_and_has_an_example():
    """Documentation that lags behind fails here."""
    text = DOCS.read_text(encoding="utf-8")
    missing = [name for name, _ in commands() if f"## `{name}" not in text]
    assert missing == [], "each command has a heading of its own in docs/cli.md"
    for name, command in commands():
        section = text.split(f"## `{name}")[1].split("\n## ")[0]
        options = [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
        assert [option for option in options if option not in section and option != "--help"] == [], name
        assert f"\n{name}" in text, f"an example of {name}"


def test_what_is_documented_exists():
    headings = re.findall(r"^## `(smatter [a-z ]*[a-z])", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(headings) == sorted(name for name, _ in commands())


@pytest.mark.parametrize("name", [name for name, _ in commands()])
def test_help_of_every_command(run, name):
    result = run(*name.split()[1:], "--help")
    assert result.exit_code == 0
    assert "Usage:" in result.output and "Traceback" not in result.output


def test_version_and_bare_call(run):
    assert run("--version").output.startswith("smatter ")
    assert "categorize" in run().output


def test_help_and_version_load_nothing_heavy():
    code = (
        "import sys; from typer.testing import CliRunner; from smatter.cli import app; "
        "assert CliRunner().invoke(app, ['categorize', '--help']).exit_code == 0; "
        "heavy = {'numpy', 'scipy', 'sklearn', 'numba', 'pandas', 'matplotlib'} & set(sys.modules); "
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_real_process_writes_the_file(finished, table, tmp_path):
    out = tmp_path / "out.csv"
    done = finished("categorize", table, "--out", out, "--folds", "0")
    assert done.returncode == 0, done.stderr
    assert out.exists() and "Written" in done.stdout


def test_a_real_process_fails_with_two_lines_at_most(finished, tmp_path):
    done = finished("categorize", tmp_path / "nothing.csv", "--out", tmp_path / "out.csv")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") <= 2
    assert done.stderr.startswith("error: ") and "does not exist" in done.stderr


@pytest.mark.parametrize("place", [0, 1, None])
def test_debug_lets_the_traceback_through_wherever_it_stands(run, tmp_path, place):
    arguments = ["categorize", tmp_path / "nothing.csv", "--out", tmp_path / "out.csv"]
    arguments.insert(len(arguments) if place is None else place, "--debug")
    with pytest.raises(UnreadableError):
        run(*arguments)


def test_an_error_that_was_not_foreseen_is_owned_up_to(table, tmp_path, monkeypatch, capsys):
    def broken(*_):
        raise RuntimeError("not foreseen")

    monkeypatch.setattr("smatter.cli.categorize.read_input", broken)
    monkeypatch.setattr("sys.argv", ["smatter", "categorize", str(table), "--out", str(tmp_path / "out.csv")])
    with pytest.raises(SystemExit) as leaving:
        main()
    assert leaving.value.code == 1
    errors = capsys.readouterr().err
    assert "RuntimeError: not foreseen" in errors and "--debug" in errors and "Traceback" not in errors
    monkeypatch.setattr("sys.argv", ["smatter", "--debug", *sys.argv[1:]])
    with pytest.raises(RuntimeError):
        main()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_no_partial_file(program, table, tmp_path, number, code):
    out = tmp_path / "out.csv"
    out.write_text("before")
    process = subprocess.Popen(
        program("categorize", table, "--out", out, "--folds", "0", before=BLOCK),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "READY\n"
    process.send_signal(number)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == code
    assert out.read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mail.csv", "out.csv"]
    if number == signal.SIGINT:
        assert errors.splitlines()[-1] == "Stopped: nothing was written."
    assert "Traceback" not in errors


def test_a_reader_that_leaves_early_is_no_error(program):
    process = subprocess.Popen(program("--help"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    errors = process.stderr.read()
    process.wait(timeout=120)
    assert "Traceback" not in errors


def test_a_terminal_without_unicode(finished):
    done = finished("--help", before="import sys; sys.stdout.reconfigure(encoding='ascii')")
    assert done.returncode == 0, done.stderr
    assert "categorize" in done.stdout


def test_an_unreadable_or_full_disk_is_a_clean_message(run, table, tmp_path, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("smatter.documents.tables.written_whole", full)
    result = run("categorize", table, "--out", tmp_path / "out.csv")
    assert result.exit_code == 2
    assert "No space left on device" in result.stderr


def test_progress_is_drawn_on_a_terminal_after_two_seconds():
    code = (
        "import time\n"
        "from smatter.cli import _progress\n"
        "from smatter.progress import Progress, report\n"
        "_progress.PATIENCE = 0.2\n"
        "with _progress.showing_progress() as say:\n"
        "    say('Learning [x]')\n"
        "    for done in range(5):\n"
        "        report(Progress('NaiveBayesEM', done, 5))\n"
        "        time.sleep(0.4)\n"
    )
    parent, child = pty.openpty()
    process = subprocess.Popen([sys.executable, "-c", code], stderr=child, env={**os.environ, "TERM": "xterm"})
    os.close(child)
    drawn = b""
    while True:
        try:
            drawn += os.read(parent, 4096)
        except OSError:
            break
    os.close(parent)
    assert process.wait(timeout=30) == 0
    assert b"Learning [x]" in drawn and b"NaiveBayesEM" in drawn and b"4/5" in drawn


def test_quick_work_and_other_outputs_see_no_bar(capfd):
    with showing_progress() as say:
        say("Quick")
        report(Progress("quick", 1, 2))
    assert capfd.readouterr().err == ""

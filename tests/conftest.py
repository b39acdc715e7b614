"""Tests marked ``data`` need the public collections; where those are missing they are skipped, and said so loudly."""

import pytest

from smatter.datasets.folders import SETTING, data_folder

_REASON = f"the public collections are not in {{folder}}: set {SETTING} to the folder that holds their archives"


def _reason() -> str:
    return _REASON.format(folder=data_folder())


def _missing() -> bool:
    folder = data_folder()
    return not folder.is_dir() or not any(folder.iterdir())


def pytest_report_header() -> str:
    """Say in the first lines where the collections are read from."""
    return f"collections: NOT FOUND, {_reason()}" if _missing() else f"collections: {data_folder()}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs the collections where there are none."""
    if _missing():
        for item in items:
            if item.get_closest_marker("data"):
                item.add_marker(pytest.mark.skip(reason=_reason()))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in the last lines how much was not tested."""
    if not _missing():
        return
    skipped = [report for report in terminalreporter.stats.get("skipped", []) if SETTING in str(report.longrepr)]
    if skipped:
        terminalreporter.section("NOT TESTED", sep="!", red=True, bold=True)
        terminalreporter.write_line(f"{len(skipped)} tests on real data were skipped; {_reason()}", red=True)

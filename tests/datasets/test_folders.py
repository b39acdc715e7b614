"""Where collections are looked for."""

from pathlib import Path

import pytest

from smatter.datasets.folders import cache_folder, data_folder


def test_data_folder_is_the_setting(monkeypatch, tmp_path):
    monkeypatch.setenv("SMATTER_DATA", str(tmp_path))
    assert data_folder() == tmp_path


def test_data_folder_beside_a_checkout(monkeypatch):
    monkeypatch.delenv("SMATTER_DATA", raising=False)
    assert data_folder() == Path(__file__).resolve().parents[3] / "shared" / "data"


def test_data_folder_of_an_installed_package_is_the_cache(monkeypatch, tmp_path):
    monkeypatch.delenv("SMATTER_DATA", raising=False)
    monkeypatch.setattr("smatter.datasets.folders._CHECKOUT", tmp_path)
    assert data_folder() == cache_folder() / "archives"


@pytest.mark.parametrize(
    ("platform", "setting", "folder"),
    [
        ("linux", {"XDG_CACHE_HOME": "/c"}, Path("/c/smatter")),
        ("linux", {"XDG_CACHE_HOME": ""}, Path("/home/ann/.cache/smatter")),
        ("darwin", {}, Path("/home/ann/Library/Caches/smatter")),
        ("win32", {"LOCALAPPDATA": "/local"}, Path("/local/smatter/Cache")),
    ],
)
def test_cache_folder_of_each_platform(monkeypatch, platform, setting, folder):
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(Path, "home", lambda: Path("/home/ann"))
    for name, value in setting.items():
        monkeypatch.setenv(name, value)
    assert cache_folder() == folder

import json

import numpy as np
import pytest
import scipy.sparse as sp

from smatter.active.catalog import read_strategy
from smatter.experiments import krithara_active as active


@pytest.fixture
def tiny(monkeypatch):
    """Sixty documents of two classes in place of the collections."""
    random = np.random.default_rng(0)
    codes = np.arange(60) % 2
    X = sp.csr_array(random.poisson(np.where(codes[:, None] == np.arange(8) % 2, 1.5, 0.5)).astype(float))
    monkeypatch.setattr(active, "COLLECTIONS", {"webkb": lambda: (X, codes, None)})
    monkeypatch.setattr(active, "QUESTIONS", {"webkb": 10})
    active._data.cache_clear()
    yield
    active._data.cache_clear()


def test_every_strategy_can_be_read():
    for _, text in active.methods().values():
        read_strategy(text)


def test_it_runs_resumes_and_reports(tiny, tmp_path):
    wanted = ["mem-soft, random", "mem-soft, class entropy"]
    active.run(tmp_path, folds=1, starts=1, method=wanted)
    cells = tmp_path / active.NAME / "cells.jsonl"
    first = cells.read_text(encoding="utf-8")
    assert [json.loads(line)["x"] for line in first.splitlines()] == [[2, 7, 12]] * 2
    active.run(tmp_path, folds=2, starts=1, method=wanted)
    second = cells.read_text(encoding="utf-8")
    assert second.startswith(first)
    assert len(second.splitlines()) == 4
    page = (tmp_path / active.NAME / "table.md").read_text(encoding="utf-8")
    assert "mem-soft, class entropy" in page
    assert "Run: 4 games" in page

import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from matplotlib.image import imread

from smatter.errors import InputError, MissingExtraError
from smatter.evaluate.curves import Point
from smatter.evaluate.plots import plot_curves
from smatter.evaluate.reports import Measure

MICRO = Measure("micro_f", "micro F, %", 100, 2)
POINTS = [
    Point(collection, method, f"{x:g}%", x, 0.5 + offset + 0.1 * np.log10(x), 0.02, 10)
    for collection in ("news", "web")
    for method, offset in (("em", 0.1), ("nb", 0.0))
    for x in (1.0, 5.0, 20.0, 100.0)
]
PUBLISHED = {(("news", "em", "5%"), "micro_f"): 0.67}


def draw(path):
    return plot_curves(POINTS, path, measure=MICRO, baseline="nb", published=PUBLISHED, title="A title")


def test_both_pictures_are_valid(tmp_path):
    png, svg = draw(tmp_path / "curve.v1")
    assert (png.name, svg.name) == ("curve.v1.png", "curve.v1.svg")
    pixels = imread(png)
    assert pixels.shape[0] > 400 and pixels.shape[1] > 800 and pixels.std() > 0.01
    root = ElementTree.parse(svg).getroot()
    assert root.tag.endswith("svg")
    text = " ".join(root.itertext())
    for word in ("news", "web", "em", "nb", "A title", "micro F, %", "labeled share of the training part, %"):
        assert word in text


def test_the_same_points_give_the_same_bytes_in_another_process_too(tmp_path):
    files = draw(tmp_path / "a") + draw(tmp_path / "b")
    code = (
        "import sys; sys.path.insert(0, 'tests'); from pathlib import Path; "
        f"from evaluate.test_plots import draw; draw(Path({str(tmp_path)!r}) / 'c')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    contents = [file.read_bytes() for file in [*files, tmp_path / "c.png", tmp_path / "c.svg"]]
    assert contents[0] == contents[2] == contents[4]
    assert contents[1] == contents[3] == contents[5]


def test_no_global_state_of_matplotlib_is_touched(tmp_path):
    from matplotlib import rcParams

    before = dict(rcParams)
    draw(tmp_path / "a")
    assert dict(rcParams) == before


def test_points_of_a_single_run_have_no_band(tmp_path):
    single = [Point("news", "nb", "5%", 5.0, 0.7, float("nan"), 1)]
    assert all(file.exists() for file in plot_curves(single, tmp_path / "one", measure=MICRO, baseline="nb"))


def test_nothing_to_draw_is_an_error(tmp_path):
    with pytest.raises(InputError, match="0 points to draw"):
        plot_curves([], tmp_path / "none", measure=MICRO, baseline="nb")


def test_a_missing_matplotlib_names_its_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"smatter\[plots\]"):
        draw(tmp_path / "a")


def test_importing_the_module_loads_no_matplotlib():
    code = "import smatter.evaluate.plots, smatter.experiments, sys; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

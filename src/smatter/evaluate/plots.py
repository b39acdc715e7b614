"""Learning curves as pictures: PNG to look at, SVG to keep; the same points give the same bytes."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from smatter.errors import InputError, MissingExtraError
from smatter.evaluate.curves import Point
from smatter.evaluate.reports import Key, Measure
from smatter.files import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette: told apart by color-blind readers too, as are the markers.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X")
_BASELINE = {"color": "#555555", "linestyle": "--", "marker": "o"}
_STAR: Any = {"marker": "*", "s": 110, "facecolor": "white", "linewidth": 1.2, "zorder": 3}
_SETTINGS: Any = {"svg.hashsalt": "smatter", "svg.fonttype": "none", "font.size": 10, "axes.spines.top": False}
_METADATA: dict[str, dict[str, Any]] = {"png": {"Software": None}, "svg": {"Date": None, "Creator": "smatter"}}


def plot_curves(
    points: Sequence[Point],
    path: str | Path,
    *,
    measure: Measure,
    baseline: str,
    published: Mapping[tuple[Key, str], float] | None = None,
    title: str = "",
) -> list[Path]:
    """Draw one panel a collection and one line a method, and write ``path`` as ``.png`` and ``.svg``.

    The band is one standard deviation over the runs to either side of the mean. Stars are published numbers. The
    supervised baseline is the dashed gray line.

    Parameters
    ----------
    points : sequence of Point
        From :func:`smatter.evaluate.curves.summarize`.
    path : path
        Without its suffix.
    measure : Measure
        What the points are of.
    baseline : str
        The supervised method.
    published : dict, optional
        As for :func:`smatter.evaluate.reports.comparison_table`.
    title : str
        Above the panels.
    """
    if not points:
        raise InputError("There are 0 points to draw; a curve needs one at least: run something first.")
    try:
        from matplotlib import rc_context
    except ImportError as error:
        raise MissingExtraError("matplotlib is not installed; plots need it: install smatter[plots].") from error
    base = Path(path)
    files = [base.with_name(f"{base.name}.{kind}") for kind in ("png", "svg")]
    with rc_context(_SETTINGS):
        figure = _draw(points, measure, baseline, published or {}, title)
        for file in files:
            kind = file.suffix[1:]
            with written_whole(file, "wb") as stream:
                figure.savefig(stream, format=kind, dpi=150, metadata=_METADATA[kind])
    return files


def _draw(
    points: Sequence[Point],
    measure: Measure,
    baseline: str,
    published: Mapping[tuple[Key, str], float],
    title: str,
) -> "Figure":
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    collections = list(dict.fromkeys(point.collection for point in points))
    figure = Figure(figsize=(1.2 + 4.6 * len(collections), 4.6), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, len(collections), squeeze=False)[0]
    styles = _styles(points, baseline)
    for panel, collection in zip(panels, collections, strict=True):
        own = [point for point in points if point.collection == collection]
        _draw_panel(panel, own, styles, measure, published)
        panel.set_title(collection)
    panels[0].set_ylabel(measure.heading)
    if any((_key(point), measure.name) in published for point in points):
        panels[0].scatter([], [], label="published", edgecolor="#333333", **_STAR)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(4, len(labels)), frameon=False)
    if title:
        figure.suptitle(title)
    return figure


def _styles(points: Sequence[Point], baseline: str) -> dict[str, dict[str, Any]]:
    others = [name for name in dict.fromkeys(point.method for point in points) if name != baseline]
    styles: dict[str, dict[str, Any]] = {baseline: _BASELINE}
    for index, name in enumerate(others):
        styles[name] = {
            "color": _COLORS[index % len(_COLORS)],
            "marker": _MARKERS[(index // len(_COLORS) + index) % len(_MARKERS)],
            "linestyle": "-",
        }
    return styles


def _draw_panel(
    panel: "Axes",
    points: Sequence[Point],
    styles: Mapping[str, Mapping[str, Any]],
    measure: Measure,
    published: Mapping[tuple[Key, str], float],
) -> None:
    for method, style in styles.items():
        own = sorted((point for point in points if point.method == method), key=lambda point: point.x)
        if not own:
            continue
        x = [point.x for point in own]
        mean = [measure.scale * point.mean for point in own]
        spread = [0.0 if point.deviation != point.deviation else measure.scale * point.deviation for point in own]
        panel.plot(x, mean, label=method, markersize=4, linewidth=1.5, **style)
        low, high = zip(*((m - s, m + s) for m, s in zip(mean, spread, strict=True)), strict=True)
        panel.fill_between(x, low, high, color=style["color"], alpha=0.15, linewidth=0)
        _draw_published(panel, own, str(style["color"]), measure, published)
    _set_axes(panel, points)


def _draw_published(
    panel: "Axes", points: Sequence[Point], color: str, measure: Measure, published: Mapping[tuple[Key, str], float]
) -> None:
    keys = [(_key(point), measure.name) for point in points]
    stars = [
        (point.x, measure.scale * published[key]) for point, key in zip(points, keys, strict=True) if key in published
    ]
    if stars:
        x, y = zip(*stars, strict=True)
        panel.scatter(x, y, edgecolor=color, **_STAR)


def _set_axes(panel: "Axes", points: Sequence[Point]) -> None:
    ticks = sorted({point.x for point in points})
    if len(ticks) > 1 and ticks[-1] / max(ticks[0], 1e-9) > 10:
        panel.set_xscale("log")
    panel.set_xticks(ticks, [f"{tick:g}" for tick in ticks], rotation=45 if len(ticks) > 6 else 0)
    panel.set_xticks([], minor=True)
    shares = points[0].budget.endswith("%")
    panel.set_xlabel("labeled share of the training part, %" if shares else "labels per class")
    panel.grid(axis="y", alpha=0.3)


def _key(point: Point) -> Key:
    return point.collection, point.method, point.budget

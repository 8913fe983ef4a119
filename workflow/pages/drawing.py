"""How figures look and become inline SVG: one style, accessible colours, the same bytes every time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from workflow.numbers import ten_to

# After Okabe and Ito, darkened so that each has a contrast of 3 to 1 at least with white. A line's meaning is
# also carried by its dashes, a point's by its shape.
BLUE, ORANGE, GREEN, VERMILLION, SKY = "#0072B2", "#C27C00", "#00835F", "#A63C00", "#3594D1"
INK, MUTED, GRID = "#1b1f24", "#57606a", "#e3e6ea"
_SERIES = (GREEN, BLUE, INK, SKY, MUTED)  # not the colours of the bounds
_HATCHES = ("", "///", "...", "xxx", "+++")

Style = dict[str, Any]


def _line(label: str, color: str, linewidth: float, linestyle: Any) -> Style:
    return {"label": label, "color": color, "linewidth": linewidth, "linestyle": linestyle}


EXACT = _line("exact", BLUE, 2.2, "-")
CKS20 = _line("tight zCDP bound (CKS20)", ORANGE, 1.8, (0, (6, 1.5, 1.5, 1.5)))
ZCDP = _line("zCDP bound", VERMILLION, 1.8, (0, (6, 2)))
GAUSSIAN = _line("Gaussian limit (not a bound)", INK, 1.4, (0, (1, 2.2)))


def zcdp_line(name: str) -> Style:
    """The line of the loosest bound, by the name of its conversion."""
    return ZCDP | {"label": f"{name} bound"}


_STYLE: Any = {
    "svg.hashsalt": "exact-census",
    "svg.fonttype": "none",
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
}
_NO_METADATA = {"Creator": None, "Date": None, "Format": None, "Type": None}


@contextmanager
def canvas(width: float, height: float) -> Iterator[Figure]:
    """A figure of `width` x `height` inches in the report's style; draw inside the `with` block."""
    with matplotlib.rc_context(_STYLE):
        yield Figure(figsize=(width, height), layout="constrained")


def inline_svg(figure: Figure, name: str, description: str) -> Markup:
    """The figure as an <svg> element for an HTML page; `name` keeps its ids apart from other figures' ids.

    `description` is what a screen reader says.
    """
    buffer = StringIO()
    with matplotlib.rc_context(_STYLE):
        figure.savefig(buffer, format="svg", metadata=_NO_METADATA, transparent=True)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(url\(#|xlink:href="#)', rf"\g<1>{name}-", svg)
    view_box = re.search(r'viewBox="[^"]*"', svg)
    assert view_box is not None
    opening = f'<svg class="plot" {view_box[0]} role="img" aria-label="{escape(description)}">'
    return Markup(opening + svg[svg.index(">") + 1 :])


def titled(svg: Markup, group: str, titles: Iterable[str]) -> Markup:
    """The SVG with a title, shown on hovering, for each shape of the group of this id."""
    start = svg.index(f'id="{group}"')
    end = svg.index("</g>", start)
    texts = iter(titles)

    def with_title(shape: re.Match[str]) -> str:
        return f"<path{shape[1]}><title>{escape(next(texts))}</title></path>"

    shapes = re.sub(r"<path([^>]*)/>", with_title, str(svg[start:end]))
    return svg[:start] + Markup(shapes) + svg[end:]


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure to a .svg or .png file, the same bytes for the same figure."""
    metadata = _NO_METADATA if path.suffix == ".svg" else {"Software": None}
    with matplotlib.rc_context({**_STYLE, "svg.fonttype": "path"}):
        figure.savefig(path, dpi=200, metadata=metadata, facecolor="white")


def list_axis(axes: Axes, names: Sequence[str], xlabel: str) -> None:
    """One row for each name, from top to bottom; no left edge, no ticks, no lines across."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.set_xlabel(xlabel)


def legend_above(axes: Axes, **options: Any) -> None:
    """The legend in one row above the axes."""
    place: Style = {"loc": "lower center", "bbox_to_anchor": (0.45, 1.0), "ncols": 3, "columnspacing": 1.2}
    axes.legend(**(place | options))


def dumbbell(axes: Axes, row: int, exact: Decimal, cks20: Decimal, loose: Decimal, zcdp: str) -> None:
    """One row: the exact figure, CKS20's and that by the conversion named `zcdp`, joined by a line."""
    axes.plot([float(exact), float(loose)], [row, row], color=MUTED, linewidth=1.2, zorder=1)
    marks = (
        (exact, "o", EXACT, "exact"),
        (cks20, "D", CKS20, "tight zCDP (CKS20)"),
        (loose, "s", ZCDP, zcdp),
    )
    for place, marker, style, name in marks:
        label = name if row == 0 else None
        axes.plot(float(place), row, marker, color=style["color"], markersize=8, label=label)


def text_beside(axes: Axes, text: str, place: tuple[float, float], right: int, **style: Any) -> None:
    """Text that starts so many points to the right of a place, or ends to the left of it (negative)."""
    align: Style = {"ha": "left" if right > 0 else "right", "va": "center"}
    axes.annotate(text, place, xytext=(right, 0), textcoords="offset points", **(align | style))


def grouped_bars(
    axes: Axes, groups: Sequence[str], series: Sequence[tuple[str, Sequence[float]]]
) -> list[Any]:
    """Horizontal bars of every series in every group, told apart by colour and, beyond the last, by hatch.

    Returns the bars of each series, for `Axes.bar_label`.
    """
    height = 0.8 / len(series)
    bars = []
    for number, (label, values) in enumerate(series):
        places = np.arange(len(groups)) + (number - (len(series) - 1) / 2) * height
        color = BLUE if len(series) == 1 else _SERIES[number % len(_SERIES)]
        hatch = _HATCHES[number // len(_SERIES) % len(_HATCHES)]
        look: Style = {"color": color, "hatch": hatch, "edgecolor": "white", "label": label}
        bars.append(axes.barh(places, values, height * 0.88, **look))
    return bars


def powers_of_ten(*scales: Axis) -> None:
    """Label logarithmic axes by powers of ten."""
    for scale in scales:
        scale.set_major_formatter(FuncFormatter(lambda value, _: ten_to(round(np.log10(value)))))
        scale.set_minor_formatter(NullFormatter())


def percentages(axis: Axis, places: int = 0) -> None:
    """Label an axis of shares by percentages."""
    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.{places}f}\u00a0%"))

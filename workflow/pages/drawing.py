"""How figures look and become inline SVG: one style, accessible colours, the same bytes every time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# After Okabe and Ito, darkened so that each has a contrast of 3 to 1 at least with white. A line's meaning is
# also carried by its dashes, a point's by its shape.
BLUE, ORANGE, GREEN, VERMILLION, SKY = "#0072B2", "#C27C00", "#00835F", "#A63C00", "#3594D1"
INK, MUTED, GRID = "#1b1f24", "#57606a", "#e3e6ea"

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


def write_figure(figure: Figure, path: Path) -> None:
    """Write a figure to a .svg or .png file, the same bytes for the same figure."""
    metadata = _NO_METADATA if path.suffix == ".svg" else {"Software": None}
    with matplotlib.rc_context({**_STYLE, "svg.fonttype": "path"}):
        figure.savefig(path, dpi=200, metadata=metadata, facecolor="white")


def plain_axis(axes: Axes) -> None:
    """Take away what a list of bars or dots does not need: the left edge, its ticks and the lines across."""
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")

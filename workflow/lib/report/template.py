"""The templates' environment, and files inside a page."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from . import numbers

TEMPLATES = Path(__file__).parents[2] / "report"


def environment() -> Environment:
    """The templates, and how numbers are printed in them."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    made.filters |= {
        "round_up": numbers.round_up,
        "round_down": numbers.round_down,
        "percent_down": numbers.percent_down,
        "bound": numbers.scientific_up,
        "delta": numbers.delta_text,
        "rational": numbers.rational_text,
        "size": numbers.size_text,
        "integer": numbers.integer_text,
        "words": lambda name: name.replace("_", " "),
    }
    return made


def base64_text(path: Path) -> str:
    """A file's content, for a data: URL."""
    return b64encode(path.read_bytes()).decode("ascii")

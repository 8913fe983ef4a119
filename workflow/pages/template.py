"""The templates' environment, and files inside a page."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from workflow import numbers

TEMPLATES = Path(__file__).parents[1] / "templates"


def environment() -> Environment:
    """The templates, and how numbers are printed in them."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    made.filters |= {
        "round_up": numbers.round_up,
        "round_down": numbers.round_down,
        "percent_down": numbers.percent_down,
        "percent_up": numbers.percent_up,
        "bound": numbers.scientific_up,
        "bound_down": numbers.scientific_down,
        "delta": numbers.delta_text,
        "rational": numbers.rational_text,
        "share_of": numbers.share_text,
        "size": numbers.size_text,
        "integer": numbers.integer_text,
        "significant": significant,
        "words": lambda name: name.replace("_", " "),
    }
    return made


def significant(value: float, digits: int = 5) -> str:
    """A number with so many significant digits, zeros at the end kept."""
    text = f"{value:#.{digits}g}"
    return text.rstrip(".") if "e" not in text else f"{value:.{digits - 1}e}"


def base64_text(path: Path) -> str:
    """A file's content, for a data: URL."""
    return b64encode(path.read_bytes()).decode("ascii")


def script_and_digest() -> tuple[Markup, str]:
    """The page's script, and its digest as a content security policy names it: no other script may run."""
    text = (TEMPLATES / "report.js").read_text(encoding="utf-8")
    return Markup(text), b64encode(sha256(text.encode()).digest()).decode("ascii")

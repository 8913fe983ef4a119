"""Runs the Python examples of a document and writes it as a page with their output and plots.

    python tools/notebook.py docs/python.md results/python.html

Examples run in order, in one namespace. One whose fence says `needs=MODULE` is shown but not run without it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib.util import find_spec
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from matplotlib import pyplot

from workflow.pages.template import environment

PAGE = """{% extends "base.html.j2" %}{% block title %}{{ title }}{% endblock %}{% block content %}
<style>pre { overflow-x: auto; padding: 8px 12px; background: #f6f8fa; } svg { max-width: 760px; }</style>
{{ body }}{% endblock %}
"""


def run_examples(tokens: list[Token]) -> Iterator[tuple[Token, Token | None, str]]:
    """Each example, the block of output shown below it, and what it printed. Leaves its figures open."""
    space: dict[str, Any] = {}
    for token, after in pairwise([*tokens, Token("end", "", 0)]):
        needed = token.info.partition("needs=")[2]
        if not token.info.startswith("python") or (needed and not find_spec(needed)):
            continue
        with redirect_stdout(StringIO()) as printed:
            exec(compile(token.content, f"example below line {(token.map or [0])[0] + 1}", "exec"), space)
        yield token, after if after.info == "text" else None, printed.getvalue()


def figures() -> Iterator[str]:
    """The open figures as SVG, which closes them."""
    for number in pyplot.get_fignums():
        text = StringIO()
        pyplot.figure(number).savefig(text, format="svg")
        yield text.getvalue()[text.getvalue().index("<svg") :]
    pyplot.close("all")


def main(document: Path, page: Path) -> None:
    matplotlib.use("Agg")
    markdown = MarkdownIt().enable("table")
    tokens = markdown.parse(document.read_text(encoding="utf-8"))
    for example, below, printed in run_examples(tokens):
        if below is not None:
            below.content = printed
        plots = Token("html_block", "", 0, content="".join(figures()))
        tokens.insert(tokens.index(example) + 1, plots)
    body = markdown.renderer.render(tokens, markdown.options, {})
    made = environment().from_string(PAGE).render(title=document.stem, body=Markup(body))
    page.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""Options that take one of a few words: a misspelt one is answered with the word that is meant."""

from __future__ import annotations

from typing import Any

import click


class Words(click.Choice[str]):
    """As click.Choice, but its complaint says what may have been meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word. Fails with one line that names the value and what is allowed."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            from workflow.words import shorten, suggestion

            choices = [str(choice) for choice in self.choices]
            hint = suggestion(str(value), choices)
            self.fail(f"{shorten(str(value))}: {hint}allowed: {', '.join(choices)}.", param, ctx)

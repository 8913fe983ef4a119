"""Exact numbers from text: `1e-10`, `0.1` and `11/10000` are read as rationals, never through a float."""

from __future__ import annotations

import re
from fractions import Fraction

MAX_CHARACTERS = 1000
MAX_EXPONENT = 9999
_INTEGER = re.compile(r"[0-9]+")
_NUMBER = re.compile(r"([+-]?)(?:([0-9]+)/([0-9]+)|([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?)")


def parse_rational(text: str) -> Fraction:
    """The rational that a decimal number or a fraction p/q stands for, exactly.

    Raises ValueError (one plain sentence, without the text itself) for anything else: nan, inf, a zero
    denominator, more than 1000 characters or an exponent beyond 9999.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"a number has at most {MAX_CHARACTERS} characters")
    match = _NUMBER.fullmatch(text.strip(" "))
    if match is None:
        raise ValueError("must be an exact number such as 1e-10, 0.1 or 11/10000")
    sign, numerator, denominator, mantissa, exponent = match.groups()
    if mantissa is None:
        if int(denominator) == 0:
            raise ValueError("the denominator of a fraction must not be 0")
        value = Fraction(int(numerator), int(denominator))
    else:
        if abs(int(exponent or 0)) > MAX_EXPONENT:
            raise ValueError(f"the exponent of a number must lie between -{MAX_EXPONENT} and {MAX_EXPONENT}")
        value = Fraction(mantissa) * Fraction(10) ** int(exponent or 0)
    return -value if sign == "-" else value


def parse_count(text: str, low: int, high: int) -> int:
    """A whole number written in plain digits. Raises ValueError unless low <= number <= high."""
    if not _INTEGER.fullmatch(text) or len(text) > MAX_CHARACTERS or not low <= int(text) <= high:
        raise ValueError(f"must be a whole number from {low} to {high}, in plain digits")
    return int(text)

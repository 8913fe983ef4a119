"""Exact numbers from text: `1e-10`, `0.1` and `11/10000` are read as rationals, never through a float."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import lcm

# Together they keep every number below 4300 digits, where Python refuses to print integers.
MAX_CHARACTERS = 200
MAX_EXPONENT = 4000
LEAST_RHO, MOST_RHO = Fraction(1, 10**30), Fraction(10**30)
_ABOUT = Context(prec=16, Emax=MAX_EMAX, Emin=MIN_EMIN)
_INTEGER = re.compile(r"[0-9]+")
_RATIO = re.compile(r"-?[0-9]+(/[0-9]*[1-9][0-9]*)?", re.ASCII)
_NUMBER = re.compile(r"([+-]?)(?:([0-9]+)/([0-9]+)|([0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE]([+-]?[0-9]+))?)")


def parse_rational(text: str) -> Fraction:
    """The rational that a decimal number or a fraction p/q stands for, exactly.

    Raises ValueError (one plain sentence, without the text itself) for anything else: nan, inf, a zero
    denominator, more than 200 characters or an exponent beyond 4000.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"a number has at most {MAX_CHARACTERS} characters")
    match = _NUMBER.fullmatch(text.strip(" "))
    if match is None:
        comma = text.count(",") == 1 and _NUMBER.fullmatch(text.strip(" ").replace(",", "."))
        hint = " (a decimal point, no comma)" if comma else ""
        raise ValueError(f"must be an exact number such as 1e-10, 0.1 or 11/10000{hint}")
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


def parse_ratio(text: str) -> Fraction:
    """A rational as str(Fraction) writes it, of any length: what this project's own files hold.

    Raises ValueError for anything else; an exponent could stand for a number that takes hours to write out.
    """
    if _RATIO.fullmatch(text) is None:
        raise ValueError("must be p or p/q in digits")
    return Fraction(text)


def parse_rho(text: str) -> Fraction:
    """A privacy parameter: an exact number from 1e-30 to 1e30. Raises ValueError as parse_rational does."""
    value = parse_rational(text)
    if value <= 0:
        raise ValueError("must be above 0")
    if not LEAST_RHO <= value <= MOST_RHO:
        raise ValueError("must lie between 1e-30 and 1e30")
    return value


def common_denominator(numbers: Iterable[Fraction], digits: int) -> int:
    """Least common denominator. Raises ValueError, without finishing it, beyond that many digits."""
    common, limit = 1, 10**digits
    for number in numbers:
        common = lcm(common, number.denominator)
        if common >= limit:
            raise ValueError(f"the common denominator of these numbers has more than {digits} digits")
    return common


def shown(number: Fraction) -> str:
    """The number for a message: as it is when short, else a decimal approximation that says so."""
    if number.numerator.bit_length() + number.denominator.bit_length() < 200:
        return str(number)
    return f"about {_ABOUT.divide(Decimal(number.numerator), number.denominator).normalize(_ABOUT)}"


def with_decimals(number: Fraction) -> str:
    """The number for a message: as it is, and what it is in decimals where that is not the same."""
    text = shown(number)
    if "/" not in text:
        return text
    decimals = _ABOUT.divide(Decimal(number.numerator), number.denominator).normalize(_ABOUT)
    written = f"{decimals:f}" if -8 <= decimals.adjusted() < 16 else str(decimals)
    return f"{text} ({'' if Fraction(decimals) == number else 'about '}{written})"


def wrong_sum(what: str, total: Fraction, wanted: Fraction) -> str:
    """The message that numbers add up to something else than is wanted, and by how much."""
    how = "much" if total > wanted else "little"
    return (
        f"{what} add up to {with_decimals(total)}, {with_decimals(abs(total - wanted))} too {how}; "
        f"they must add up to exactly {with_decimals(wanted)}"
    )


def parse_count(text: str, low: int, high: int) -> int:
    """A whole number written in plain digits. Raises ValueError unless low <= number <= high."""
    if not _INTEGER.fullmatch(text) or len(text) > MAX_CHARACTERS or not low <= int(text) <= high:
        raise ValueError(f"must be a whole number from {low} to {high}, in plain digits")
    return int(text)

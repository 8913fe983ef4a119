"""Broken versions of a text or file: bytes changed, pieces moved, words put in that readers trip over."""

from __future__ import annotations

import random
import re

WORDS = tuple(
    word.encode("utf-8", "surrogatepass")
    for word in (
        *(
            "nan",
            "inf",
            "-1",
            "0",
            "1/0",
            "0/0",
            "1e-10",
            "1e999999999",
            "1e-4001",
            ".",
            "-",
            "+.5",
            "1_000",
            "0x1F",
        ),
        *(
            "0o17",
            "012",
            "12:30:45",
            "yes",
            "null",
            "~",
            "true",
            "NaN",
            "９",
            "½",
            "²",
            "1e",
            "9" * 4400,
            "0." + "3" * 300,
        ),
        *(
            "&a ",
            "*a",
            "!!python/object/apply:os.system ",
            "!x ",
            "<<: ",
            "? ",
            "--- ",
            "... ",
            "|\n",
            ">\n",
            "%YAML 9.9\n",
        ),
        *(
            "[",
            "]",
            "{",
            "}",
            ",",
            ":",
            ": ",
            "- ",
            "#",
            "'",
            '"',
            "\\",
            "\n",
            "\r",
            "\t",
            "\0",
            "\ufeff",
            "\u2028",
            "\x85",
        ),
        *(
            "[" * 40,
            "{a: " * 40,
            "- " * 40,
            "../../etc/passwd",
            "/etc/passwd",
            "/dev/zero",
            "a/../b",
            "-rf",
            "<script>",
        ),
        *(
            "{{7*7}}",
            "$(id)",
            "`id`",
            "%s%n",
            "name",
            "joint",
            "patterns",
            "default",
            "complete",
            "geounits",
            "geocodes",
        ),
        *(
            "digits",
            "levels",
            "budget",
            "State",
            "County",
            "M00",
            "M99",
            "+",
            "00",
            "\U0001f4a9",
            "e\u0301",
            "\u202e",
        ),
        *(
            "a" * 300,
            "\x1b[31m",
            ",,,,",
            '""',
            "''",
            "\ud800",
            "18446744073709551616",
            "-9223372036854775809",
            "1e400",
        ),
    )
)

_WORD = re.compile(rb"[A-Za-z0-9_./+-]+")


def mutated(rng: random.Random, data: bytes, others: tuple[bytes, ...], words: bool = True) -> bytes:
    """`data` after a few random changes; `words`: whether words that texts trip over are among them."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        _CHANGES[rng.randrange(len(_CHANGES) if words else _BLIND)](rng, changed, others)
    return bytes(changed)


def _place(rng: random.Random, data: bytearray) -> int:
    return rng.randrange(len(data) + 1)


def _span(rng: random.Random, data: bytearray) -> slice:
    start = _place(rng, data)
    return slice(start, start + rng.choice((1, 1, 2, 4, 8, 30, 200)))


def _flip(rng: random.Random, data: bytearray, _: tuple[bytes, ...]) -> None:
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _set(rng: random.Random, data: bytearray, _: tuple[bytes, ...]) -> None:
    if data:
        data[rng.randrange(len(data))] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))


def _fill(rng: random.Random, data: bytearray, _: tuple[bytes, ...]) -> None:
    span = _span(rng, data)
    data[span] = bytes([rng.choice((0, 255))]) * len(data[span])


def _copy_over(rng: random.Random, data: bytearray, _: tuple[bytes, ...]) -> None:
    piece, place = data[_span(rng, data)], _place(rng, data)
    data[place : place + len(piece)] = piece


def _cut(rng: random.Random, data: bytearray, _: tuple[bytes, ...]) -> None:
    del data[_span(rng, data)]


def _end(rng: random.Random, data: bytearray, _: tuple[bytes, ...]) -> None:
    if rng.random() < 0.1:
        del data[_place(rng, data) :]


def _insert(rng: random.Random, data: bytearray, _: tuple[bytes, ...]) -> None:
    data[(place := _place(rng, data)) : place] = rng.randbytes(rng.randint(1, 4))


def _repeat(rng: random.Random, data: bytearray, _: tuple[bytes, ...]) -> None:
    data[(place := _place(rng, data)) : place] = data[_span(rng, data)] * rng.choice((1, 1, 2, 20))


def _splice(rng: random.Random, data: bytearray, others: tuple[bytes, ...]) -> None:
    piece = bytearray(rng.choice(others))
    data[_span(rng, data)] = piece[_span(rng, piece)]


def _word(rng: random.Random, data: bytearray, _: tuple[bytes, ...]) -> None:
    place = _place(rng, data)
    data[place : place + rng.choice((0, 0, 1, 4))] = rng.choice(WORDS)


def _other_word(rng: random.Random, data: bytearray, _: tuple[bytes, ...]) -> None:
    """A word of the text replaced by one that readers trip over, or by another one of the text."""
    found = list(_WORD.finditer(data))
    if found:
        old = rng.choice(found)
        new = rng.choice(WORDS) if rng.random() < 0.5 else bytes(rng.choice(found).group())
        data[old.start() : old.end()] = new


def _other_digit(rng: random.Random, data: bytearray, _: tuple[bytes, ...]) -> None:
    """A digit replaced by another one, so that the text stays well formed."""
    places = [place for place, byte in enumerate(data) if 48 <= byte <= 57]
    if places:
        data[rng.choice(places)] = rng.randrange(48, 58)


def _line(rng: random.Random, data: bytearray, others: tuple[bytes, ...]) -> None:
    """A line left out, repeated, moved, or taken from another text."""
    lines = bytes(data).split(b"\n")
    line = lines.pop(rng.randrange(len(lines))) if rng.random() < 0.6 else rng.choice(lines)
    if rng.random() < 0.3:
        line = rng.choice(rng.choice(others).split(b"\n"))
    if rng.random() < 0.7:
        lines.insert(rng.randrange(len(lines) + 1), line)
    data[:] = b"\n".join(lines)


#: The first ones keep the length or change it blindly; the rest are for texts.
_CHANGES = (_flip, _set, _fill, _copy_over, _end, _flip, _set, _cut, _insert, _repeat, _splice)
_BLIND = 7
_CHANGES += (_word, _word, *[_other_word] * 6, *[_other_digit] * 4, *[_line] * 4)

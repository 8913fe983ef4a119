"""Broken versions of a text or file: spans changed, left out, repeated, moved, replaced by other words.

Drawn by `random`: Hypothesis takes some 5 ms to draw such an input, most readers less than 1 ms to read it.
"""

from __future__ import annotations

import random
import re

_SPACED = """
nan inf -1 0 1/0 0/0 1e-10 1e999999999 1e-4001 . - +.5 1_000 0x1F 0o17 012 12:30:45 yes null ~ true NaN
９ ½ ² 1e 1e400 18446744073709551616 -9223372036854775809 *a ... ? > [ ] { } , : # ' " \\ ,,,, "" '' + 00
\U0001f4a9 e\u0301 \u202e ../../etc/passwd /etc/passwd /dev/zero a/../b -rf <script> {{7*7}} $(id) `id`
%s%n \ud800 \x1b[31m name joint patterns default complete geounits geocodes digits levels budget State
County M00 M99
"""
_OTHERS = (
    *(
        "&a ",
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
    *(": ", "- ", "\n", "\r", "\t", "\0", "\ufeff", "\u2028", "\x85"),
    *("9" * 4400, "0." + "3" * 300, "a" * 300, "[" * 40, "{a: " * 40, "- " * 40),
)
WORDS = tuple(word.encode("utf-8", "surrogatepass") for word in (*_SPACED.split(), *_OTHERS))

_WORD, _DIGIT, _LINE = (re.compile(part) for part in (rb"[A-Za-z0-9_./+-]+", rb"[0-9]", rb"[^\n]*\n?"))
#: What is replaced in a text, as often as it stands here; None: a span from anywhere to anywhere.
_PARTS = (None, None, None, _WORD, _WORD, _WORD, _DIGIT, _DIGIT, _LINE, _LINE)


def mutated(rng: random.Random, data: bytes, others: tuple[bytes, ...], words: bool = True) -> bytes:
    """`data` after a few random changes; words: whether it is a text, with words that texts trip over.

    What is no text mostly keeps its length, so that its parts stay where they are said to be.
    """
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        part = rng.choice(_PARTS) if words else None
        span = _span(rng, data, part)
        piece = _piece(rng, data[span], data, others, part if words else None, words)
        if not words and rng.random() < 0.9:
            piece = piece[: span.stop - span.start].ljust(span.stop - span.start, b"\0")
        data = data[: span.start] + piece + data[span.stop :]
    return data[: rng.randrange(len(data) + 1)] if rng.random() < 0.02 else data


def _span(rng: random.Random, data: bytes, part: re.Pattern[bytes] | None) -> slice:
    """Any span of the data, or one of its parts of a kind."""
    if part is not None and (found := list(part.finditer(data))):
        return slice(*rng.choice(found).span())
    start = rng.randrange(len(data) + 1)
    return slice(start, min(len(data), start + rng.choice((0, 0, 1, 1, 2, 4, 8, 30, 200))))


def _piece(
    rng: random.Random,
    old: bytes,
    data: bytes,
    others: tuple[bytes, ...],
    part: re.Pattern[bytes] | None,
    words: bool,
) -> bytes:
    """What comes in the place of a span."""
    if part is _DIGIT:  # the text stays well formed
        return bytes([rng.randrange(48, 58)])
    kind = rng.randrange(8 if words else 4)
    if kind == 0:
        return rng.choice((b"", old * 2, old * 20, b"\xff" * len(old)))
    if kind == 1:
        return bytes(byte ^ 1 << rng.randrange(8) for byte in old)
    if kind == 2:
        return rng.randbytes(rng.randint(1, 4))
    if kind < 5:
        source = rng.choice((data, *others))
        return source[_span(rng, source, part)]
    return rng.choice(WORDS)

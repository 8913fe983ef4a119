"""What a study file may hold: a typed model, closed at every level, as for allocation files."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator

from kernels.uldp.domain import Domain
from workflow.input.model import Closed, File, Prose, Slug, count, number
from workflow.input.rational import parse_rational

Mechanism = Literal["uBD", "uRR", "uSS", "uHR", "uOUE", "uOLH"]
MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)

LEAST_EPS, MOST_EPS = Fraction(1, 1000), Fraction(20)
MOST_SYMBOLS = 1000
MOST_MAP_SYMBOLS = 256


def _eps(text: str) -> Fraction:
    value = parse_rational(text)
    if not LEAST_EPS <= value <= MOST_EPS:
        raise ValueError(f"eps must lie between {LEAST_EPS} and {MOST_EPS}")
    return value


def _text(text: str) -> str:
    if not text.isprintable() or len(text) > 200:
        raise ValueError("must be at most 200 printable characters")
    return text


def _edge(text: str) -> Fraction:
    return parse_rational(text)


def _some(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Eps = Annotated[Fraction, PlainValidator(number(_eps))]
Edge = Annotated[Fraction, PlainValidator(number(_edge))]
Text = Annotated[str, AfterValidator(_text)]
Values = Annotated[list[Text], BeforeValidator(_some), Field(min_length=1, max_length=1000)]
EpsList = Annotated[list[Eps], Field(min_length=1, max_length=1000)]
Whole = Annotated[int, count(1, MOST_SYMBOLS)]


class GridFile(Closed):
    """Domains of `symbols` symbols, each number in `sensitive` with each eps, at the least favourable P."""

    symbols: Annotated[int, count(2, MOST_SYMBOLS)]
    sensitive: Annotated[list[Whole], Field(min_length=1, max_length=MOST_SYMBOLS)]
    eps: EpsList

    @property
    def points(self) -> list[tuple[Domain, Fraction]]:
        """Every domain with every eps."""
        return [(Domain(self.symbols, v), eps) for v in self.sensitive for eps in self.eps]


class TableFile(Closed):
    """A distribution from a CSV file: the symbols are the combinations of values in `columns` that occur.

    `count` is the column with the number of persons, absent where each row is one person. `bands` groups the
    numbers of a column, from one edge to below the next. A symbol is sensitive when it fits an entry of
    `sensitive`: every column named there has one of the values given.
    """

    name: Slug
    title: Prose
    source: Prose
    file: File
    columns: Annotated[list[Text], Field(min_length=1, max_length=20)]
    count: Text | None = None
    bands: dict[Text, Annotated[list[Edge], Field(min_length=1, max_length=200)]] = Field(default={})
    sensitive: Annotated[list[dict[Text, Values]], Field(min_length=1, max_length=1000)]
    eps: EpsList


class EpsRange(Closed):
    """Values of eps at equal steps."""

    least: Eps
    most: Eps
    points: Annotated[int, count(2, 1000)]

    @property
    def values(self) -> tuple[Fraction, ...]:
        """All of them."""
        step = (self.most - self.least) / (self.points - 1)
        return tuple(self.least + step * i for i in range(self.points))


class MapFile(Closed):
    """Which mechanism is optimal: every number of sensitive symbols up to `symbols`, and a range of eps."""

    symbols: Annotated[int, count(2, MOST_MAP_SYMBOLS)]
    eps: EpsRange


class StudyFile(Closed):
    """One study file."""

    name: Slug
    title: Prose
    source: Prose
    seed: Annotated[int, count(0, (1 << 64) - 1)]
    clients: Annotated[int, count(1, 10**9)]
    repetitions: Annotated[int, count(2, 10**9)]
    mechanisms: list[Mechanism] = Field(default=list(MECHANISMS), min_length=1)
    grid: Annotated[list[GridFile], Field(min_length=1, max_length=100)]
    tables: list[TableFile] = Field(default=[], max_length=100)
    map: MapFile

    @property
    def points(self) -> list[tuple[Domain, Fraction]]:
        """Domains and eps of the whole grid, at each of which P is the least favourable one."""
        return [point for entry in self.grid for point in entry.points]

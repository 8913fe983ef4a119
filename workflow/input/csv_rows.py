"""Rows of a CSV table with a header, read one by one; each mistake is one ConfigError."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO

from workflow.errors import ConfigError
from workflow.files import check_regular
from workflow.words import how_many, listing, printable, shorten, suggestion, unreadable

MAX_LINE = 1 << 20  # characters


def csv_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Line number and the values of the named columns, without blanks at their ends, of every row.

    Further columns and empty lines are passed over. Raises ConfigError: the file or a column is missing, a
    row has another number of values than the header, a value is longer than 131,072 characters, a line longer
    than MAX_LINE, not UTF-8.
    """
    name = printable(str(path))
    try:
        check_regular(path)
        with open(path, encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(_lines(stream, name), strict=True)
            header = [cell.strip() for cell in next(reader, [])]
            places = [place(f"{name}:1", header, column) for column in columns]
            for row in reader:
                if len(row) != len(header):
                    if not row:
                        continue
                    found, wanted = how_many(len(row), "values"), how_many(len(header), "columns")
                    raise ConfigError(f"{name}:{reader.line_num}: {found}, but the header has {wanted}")
                yield reader.line_num, [row[place].strip() for place in places]
    except OSError as error:
        raise ConfigError(unreadable(path, error)) from None
    except UnicodeDecodeError:
        raise ConfigError(f"{name}: not UTF-8 text") from None
    except csv.Error as error:
        raise ConfigError(f"{name}:{reader.line_num}: not valid CSV: {error}") from None


def _lines(stream: TextIO, name: str) -> Iterator[str]:
    number = 0
    while line := stream.readline(MAX_LINE + 1):
        number += 1
        if len(line) > MAX_LINE:
            raise ConfigError(f"{name}:{number}: a line has at most {MAX_LINE} characters")
        yield line


def place(where: str, header: Sequence[str], column: str) -> int:
    """Where a column stands in the header. Raises ConfigError, which begins with `where`, unless it is there
    once."""
    if header.count(column) == 1:
        return header.index(column)
    if column in header:
        raise ConfigError(f"{where}: column {column} occurs twice")
    hint = suggestion(column, header).replace("did you mean", "is it called")
    found = listing(shorten(cell) for cell in header) or "nothing"
    raise ConfigError(f"{where}: column {column} is missing; {hint}the header holds {found}")

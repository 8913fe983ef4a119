"""What the certificate of the results says, for the report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from workflow.files import read_json, whole
from workflow.results.tables import ReportError
from workflow.words import printable

Kind = TypeVar("Kind")

#: Words for what is checked, in the order of the table.
_QUANTITIES = {
    "alpha": "false-positive rates α",
    "beta": "false-negative rates β",
    "delta": "points of δ(ε)",
    "epsilon": "ε at a δ, both sides of its interval",
    "reduction": "variance reductions, both sides",
    "sieve": "sums of the nodes left out",
}


@dataclass(frozen=True, slots=True)
class CertificateSummary:
    """A certificate in figures; beyond: groups with values out of reach; rows: quantity in words, values
    checked, values that hold."""

    passed: bool
    checked: int
    hold: int
    out_of_reach: int
    beyond: int
    of: int
    groups: int
    all_groups: int
    fault_count: int
    faults: list[str]
    digest: str
    rows: list[tuple[str, int, int]]


def read_certificate(path: Path, file_digest: str) -> CertificateSummary | None:
    """The summary of a certificate; None where there is no such file.

    Raises ReportError when it cannot be read or is the certificate of other results.
    """
    if not path.exists():
        return None
    try:
        certificate = read_json(path)
        verdict, sample = certificate["verdict"], certificate["sample"]
        if certificate["file_digest"] != file_digest:
            raise ReportError(f"{path}: the certificate of other results")
        checked = Counter(value["quantity"] for value in certificate["values"])
        hold = Counter(value["quantity"] for value in certificate["values"] if value["holds"])
        return CertificateSummary(
            passed=_expected(verdict["passed"], bool),
            checked=whole(verdict["values_checked"]),
            hold=whole(verdict["values_hold"]),
            out_of_reach=whole(verdict["values_out_of_reach"]),
            beyond=len({value["group"] for value in certificate["values"] if value.get("out_of_reach")}),
            of=whole(sample["of"]),
            groups=whole(verdict["groups_checked"]),
            all_groups=whole(verdict["groups"]),
            fault_count=whole(verdict["fault_count"]),
            faults=[_expected(fault, str) for fault in _expected(verdict["faults"], list)],
            digest=_expected(certificate["digest"], str),
            rows=[(words, checked[name], hold[name]) for name, words in _QUANTITIES.items() if checked[name]],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        what = printable(f"{type(error).__name__}: {error}")
        raise ReportError(f"{path}: not a certificate: {what}") from error


def _expected(value: Any, kind: type[Kind]) -> Kind:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r:.80} is no {kind.__name__}")
    return value

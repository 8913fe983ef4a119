"""The certificate as a JSON document that carries the SHA-256 of all it says."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from .claims import Finding

FORMAT = "exact-census certificate"
FORMAT_VERSION = 2


def signed(document: dict[str, Any]) -> dict[str, Any]:
    """The document with its digest."""
    return {**document, "digest": digest(document)}


def digest(document: dict[str, Any]) -> str:
    """SHA-256 (hexadecimal) of all but the digest as canonical JSON: keys sorted, no spaces, ASCII."""
    content = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def finding_fields(group: str, finding: Finding) -> dict[str, Any]:
    """One checked value as JSON fields."""
    fields: dict[str, Any] = {
        "group": group,
        "quantity": finding.quantity,
        "index": finding.index,
        "at": finding.at,
        "stored": finding.stored,
        "found": {name: list(pair) for name, pair in finding.found.items()},
        "holds": not finding.wrong,
        "out_of_reach": finding.out_of_reach,
    }
    return fields | ({"wrong": finding.wrong} if finding.wrong else {})


def text_digest(text: str) -> str:
    """SHA-256 (hexadecimal) of a text in UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


def as_text(document: dict[str, Any]) -> str:
    """The document as JSON for a file, one checked value per line."""
    document = dict(document)
    values = ",\n  ".join(json.dumps(value) for value in document.pop("values"))
    head = json.dumps(document, indent=1)
    return f'{head[:-2]},\n "values": [\n  {values}\n ]\n}}\n'

"""Whether the certificate in a folder of results still stands, so that a larger one is kept.

Beside a certificate lie one or two files that say by which code it was made, and of how many values that were
asked for. A run demands one of them by its name: `certified-CODE-SAMPLE.txt` where it asks for a sample, else
`certified-CODE.txt`, which every certificate of at least USUAL_SAMPLE values has. So other code and another
sample are noticed where Snakemake's own records are gone, and no sample is taken for a smaller one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workflow.files import read_json, write_text

USUAL_SAMPLE = 100
"""Stored values that are derived anew where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Certified:
    """The certificate that a run demands: by which code, and of how many values (None: of USUAL_SAMPLE at
    least)."""

    certificate: Path
    code: str
    sample: int | None = None

    @property
    def record(self) -> Path:
        """The file that says that the certificate is as demanded."""
        return self._record(self.sample)

    @property
    def options(self) -> str:
        """Shell words that say what is demanded."""
        return f"--code {self.code}" + ("" if self.sample is None else f" --sample {self.sample}")

    def stands(self, results_digest: str) -> bool:
        """Whether the certificate there is as demanded, and of the results with this digest.

        Snakemake takes `record` away before it makes it again, so any of the files may say it.
        """
        try:
            document = read_json(self.certificate)
            return document["file_digest"] == results_digest and any(map(self._suffices, self._sizes()))
        except (OSError, ValueError, LookupError, TypeError):
            return False

    def keep(self) -> None:
        """Make a certificate that stands newer than the results, and say again what it is."""
        made = max(filter(self._suffices, self._sizes()))
        os.utime(self.certificate)
        self._say(made)

    def replace(self, text: str) -> None:
        """Write a certificate made as demanded. A writer that is killed leaves none that seems to be."""
        for old in self.certificate.parent.glob("certified-*.txt"):
            old.unlink(missing_ok=True)
        write_text(self.certificate, text)
        self._say(self.sample or USUAL_SAMPLE)

    def _suffices(self, made: int) -> bool:
        return made >= USUAL_SAMPLE if self.sample is None else made == self.sample

    def _record(self, sample: int | None) -> Path:
        size = "" if sample is None else f"-{sample}"
        return self.certificate.with_name(f"certified-{self.code}{size}.txt")

    def _sizes(self) -> Iterator[int]:
        for path in self.certificate.parent.glob(f"certified-{self.code}*.txt"):
            yield int(path.read_text(encoding="utf-8").split()[0])

    def _say(self, made: int) -> None:
        for sample in (made, None) if made >= USUAL_SAMPLE else (made,):
            write_text(self._record(sample), f"{made} values asked for, derived anew by code {self.code}\n")

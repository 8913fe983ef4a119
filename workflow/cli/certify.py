"""`exact-census certify`: a result file re-derived in ball arithmetic, and the certificate of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kernels.certificate.document import as_text
from kernels.errors import Refused
from workflow.allocation.write import standalone_text
from workflow.certificate.make import DEFAULT_SAMPLE, DEFAULT_SEED, Request, first_problem
from workflow.certificate.make import certify as derive
from workflow.cli.answer import emit_json, emit_table, relation
from workflow.cli.computing import progress
from workflow.cli.options import check_output, jobs_option, json_option
from workflow.errors import ConfigError
from workflow.files import write_text


@click.command()
@click.argument("file", metavar="FILE.h5", type=click.Path(path_type=Path))
@click.option("--sample", type=click.IntRange(1, 10_000_000), help="Number of values to check; default 2000.")
@click.option("--all", "everything", is_flag=True, help="Check every value. Takes long for large files.")
@click.option("--seed", type=click.IntRange(0), help="Seed of the sample; another one checks other values.")
@click.option(
    "--allocation",
    metavar="NAME|FILE",
    help="The allocation file that the results must be for, word for word; without it the copy in FILE.h5 "
    "is trusted.",
)
@jobs_option()
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Where to write the certificate, JSON."
)
@json_option
def certify(
    file: Path,
    sample: int | None,
    everything: bool,
    seed: int | None,
    allocation: str | None,
    jobs: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Check that a result FILE says the truth, without the code that computed it.

    Cells are derived from the allocation's text anew. Then values are: errors alpha and beta at the stored
    thresholds, delta of the privacy profile, eps and variance reductions (by the inequality on both sides of
    their intervals), the nodes left out. All in ball arithmetic (Arb), on other nodes than the kernels,
    found in another way. A value counts as right only if it is proven to lie within its stated bound.

    Ends with exit code 1 when anything is not. tools/check_certificate.py checks the certificate itself.
    """
    if everything and sample is not None:
        raise ConfigError("--all cannot go with --sample: it checks every value.")
    check_output(out, force=True, option="--out")
    if out is not None and out.exists() and file.exists() and out.samefile(file):
        raise ConfigError(f"--out: {out}: is the file to be certified; name another file.")
    size = None if everything else sample or DEFAULT_SAMPLE
    try:
        text = standalone_text(allocation) if allocation else None
    except UnicodeDecodeError as error:
        raise ConfigError(str(error)) from None
    with progress(f"certifying {file}") as advance:
        request = Request(size, DEFAULT_SEED if seed is None else seed)
        certificate = derive(file, request, jobs=jobs, allocation_text=text, advance=advance)
    if out is not None:
        write_text(out, as_text(certificate))
    if as_json:
        emit_json(certificate)
    else:
        _print(file, certificate, out)
    if not certificate["verdict"]["passed"]:
        certified = "certified in part" if certificate["verdict"]["outcome"] == "partly" else "not certified"
        raise Refused(f"{file}: {certified}: {first_problem(certificate)}")


def _print(file: Path, certificate: dict[str, Any], out: Path | None) -> None:
    verdict, sample = certificate["verdict"], certificate["sample"]
    rows = []
    for quantity in sorted({value["quantity"] for value in certificate["values"]}):
        values = [value for value in certificate["values"] if value["quantity"] == quantity]
        rows.append([quantity, str(len(values)), str(sum(value["holds"] for value in values))])
    passed = {"passed": "yes", "partly": "IN PART", "failed": "NO"}[verdict["outcome"]]
    emit_table(
        [f"{file}: certificate for {certificate['allocation']}.", relation(certificate["neighbours"])],
        ["quantity", "checked", "proven to hold"],
        [*rows, ["all", str(verdict["values_checked"]), str(verdict["values_hold"])]],
        words=1,
        notes=[
            f"Groups: {verdict['groups_checked']} of {verdict['groups']}; values: "
            f"{verdict['values_checked']} of {sample['of']}, seed {sample['seed']}.",
            f"Faults: {verdict['fault_count']}. Passed: {passed}. {certificate['seconds']} seconds.",
            *([f"Certificate: {out}, digest {certificate['digest']}."] if out else []),
        ],
    )

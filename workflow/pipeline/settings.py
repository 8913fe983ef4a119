"""The settings of one run of the workflow: a typed, closed model, checked before any job is planned."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from kernels import KERNEL_VERSION
from kernels.accounting.census.allocation import Allocation
from workflow.allocation.read import find_allocation, load_allocation
from workflow.certificate.keep import stands
from workflow.code_digest import code_digest
from workflow.digests import allocation_digest, short_digest
from workflow.errors import ConfigError
from workflow.origin import Origin
from workflow.pipeline.shards import shard_names
from workflow.words import shorten, suggestion

# Slurm's pmi2 plugin treats one read of 1,024 bytes as a whole request, and fails on longer ones
# ("value not properly terminated in client request"). MPICH announces a UCX address, unused memory too, in
# requests of up to 1,082 bytes, an OFI address in one of 71. A netmod that is set already is kept.
_SHORT_ADDRESSES = "MPIR_CVAR_CH4_NETMOD=${MPIR_CVAR_CH4_NETMOD:-ofi}"


def _as_written(number: Any) -> Any:
    """A number as its shortest decimal text, since Snakemake turns options into numbers."""
    return str(number) if isinstance(number, int | float) and not isinstance(number, bool) else number


class RunSettings(BaseModel):
    """Keys for `snakemake --config` or a profile. Every default is here and nowhere else."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    allocation: Annotated[str, Field(min_length=1)] = "dhc_persons_us"
    """Name in allocations/ or path of an allocation file."""
    study: Annotated[str, Field(min_length=1)] = "uldp_default"
    """Name in allocations/ or path of a local-privacy study file."""
    scan: str = ""
    """Path of a scan file, for the target `scan`."""
    results: Annotated[str, Field(min_length=1)] = "results"
    """Folder in which each allocation has its own."""
    shards: Annotated[int, Field(ge=1, le=10_000)] = 1
    """Jobs into which the pairs are divided."""
    tasks: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """MPI ranks of each shard; as many as there are cores when absent, on one machine."""
    mpi: Annotated[str, Field(min_length=1)] | None = None
    """Launcher of the ranks, without their number; the environment's mpiexec when absent."""
    mem_mb_per_task: Annotated[int, Field(ge=100, le=10_000_000)] = 1000
    """Memory of each rank. A job that is tried again asks for more."""
    checkpoint_seconds: Annotated[int, Field(ge=1, le=3600)] = 20
    """Finished results are kept this often, so it is what a kill can cost."""
    runtime: Annotated[int, Field(ge=1, le=100_000)] = 60
    """Minutes for each shard. A job that is tried again asks for more."""
    certify_sample: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    """Stored values that the certificate re-derives. Default: 100, or as many as a larger one has that
    is still valid."""
    tune_eps: Annotated[str, BeforeValidator(_as_written)] = ""
    """eps to which the target `tune` tunes the allocation, an exact number."""
    tune_delta: Annotated[str, BeforeValidator(_as_written)] = "1e-10"
    """delta of that promise, an exact number."""


@dataclass(frozen=True, slots=True)
class Run:
    """What the rules need to know about this run."""

    settings: RunSettings
    allocation: Allocation
    allocation_file: str
    folder: str
    shards: list[str]
    tasks: int
    mpi: str
    python: str = sys.executable
    scripts: str = str(Path(__file__).parents[1] / "scripts")
    kernel_version: str = KERNEL_VERSION

    @property
    def launch(self) -> str:
        """Shell words that start the ranks of a shard; one rank needs no launcher."""
        environment = f"{_SHORT_ADDRESSES} " if self.mpi.split()[:1] == ["srun"] else ""
        return f"{environment}{self.mpi} -n {self.tasks}" if self.tasks > 1 else ""

    @property
    def allocation_digest(self) -> str:
        """Changes with what the allocation file says, not with its comments."""
        return allocation_digest(self.allocation)

    @property
    def tune_digest(self) -> str:
        """Changes with what the target `tune` is made from."""
        promise = (self.settings.tune_eps, self.settings.tune_delta)
        return short_digest(self.allocation_digest, self.kernel_version, *promise)

    @property
    def certificate_is_outdated(self) -> bool:
        """Whether there is a certificate by other code, or of another sample than is asked for."""
        certificate = Path(self.folder, "certificate.json")
        return certificate.exists() and not stands(certificate, self.settings.certify_sample)

    @property
    def certify_anew(self) -> str:
        """An empty file that is asked for, and not there, where the certificate is outdated."""
        return f"{self.folder}/.certified"

    @property
    def certify_options(self) -> str:
        """Shell words that say what is asked of the certificate."""
        sample = self.settings.certify_sample
        return "" if sample is None else f"--sample {sample}"

    @property
    def origin(self) -> Origin:
        """The allocation file and its folder."""
        return Origin(self.allocation_file, self.allocation_digest, self.folder)

    @staticmethod
    def code_digest(rule: str) -> str:
        """Changes with the code that a rule's script runs, not with comments in Python."""
        return code_digest(f"workflow/scripts/{rule}.py")


def configure(config: Mapping[str, Any], cores: int | None) -> Run:
    """Check the settings and the allocation file. Raises ConfigError."""
    try:
        settings = RunSettings.model_validate(dict(config))
    except ValidationError as error:
        raise ConfigError(_first_problem(error)) from None
    tasks = settings.tasks or cores
    if tasks is None:
        raise ConfigError("config: tasks must be set, the ranks of a shard, where jobs are submitted")
    allocation = load_allocation(settings.allocation)
    mpiexec = Path(sys.executable).with_name("mpiexec")
    folder = f"{settings.results}/{allocation.name}"
    return Run(
        settings=settings,
        allocation=allocation,
        allocation_file=str(find_allocation(settings.allocation)),
        folder=folder,
        shards=shard_names(settings.shards),
        tasks=tasks,
        mpi=settings.mpi or (str(mpiexec) if mpiexec.exists() else "mpiexec"),
    )


def _first_problem(error: ValidationError) -> str:
    problem = min(error.errors(include_url=False), key=lambda item: item["type"] != "extra_forbidden")
    key = ".".join(map(str, problem["loc"][:1]))
    known = RunSettings.model_fields
    if problem["type"] == "extra_forbidden":
        return f"config: unknown key {shorten(key)}; {suggestion(key, known)}allowed: " + ", ".join(known)
    message = problem["msg"][0].lower() + problem["msg"][1:]
    return f"config: {key} = {shorten(str(problem['input']))}: {message}"

import sys
from pathlib import Path

from snakemake.utils import min_version

from workflow.pipeline.settings import configure
from workflow.design.scan import configure_scan
from workflow.errors import ConfigError
from workflow.study.run import configure_study

min_version("9.0")

try:
    RUN = configure(config, workflow.resource_settings.cores)
    STUDY = configure_study(RUN.settings)
    SCAN = configure_scan(RUN.settings.scan, RUN.settings.results)
except ConfigError as error:
    sys.exit(f"ConfigError: {error}")


def own(origin):
    """Input function: the file of a run, unless its folder holds the results of another one. Its age counts
    only where it says something else than what the results were made from."""

    def file(wildcards):
        try:
            path = origin.checked_file()
            return ancient(path) if origin.is_recorded() else path
        except ConfigError as error:
            sys.exit(f"ConfigError: {error}")

    return file


# The tables are named too: a failed stage aggregate takes them away, while the page of the run before stays.
rule all:
    input:
        f"{RUN.folder}/report.html",
        f"{RUN.folder}/summary.csv",
        f"{RUN.folder}/reductions.csv",
        f"{RUN.folder}/attack.csv",
        [RUN.certify_anew] if RUN.certificate_is_outdated else [],


rule uldp:
    input:
        f"{STUDY.folder}/report.html",
        f"{STUDY.folder}/surveys.csv",
        f"{STUDY.folder}/limits.csv",


include: "workflow/rules/mechanisms.smk"
include: "workflow/rules/curves.smk"
include: "workflow/rules/aggregate.smk"
include: "workflow/rules/certify.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/theory.smk"
include: "workflow/rules/tune.smk"
include: "workflow/rules/scan_plan.smk"
include: "workflow/rules/scan.smk"
include: "workflow/rules/uldp_plan.smk"
include: "workflow/rules/uldp_surveys.smk"
include: "workflow/rules/uldp_aggregate.smk"
include: "workflow/rules/uldp_report.smk"

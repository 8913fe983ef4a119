# The self-contained page for people.
rule report:
    input:
        allocation=own(RUN.origin),
        curves=f"{RUN.folder}/curves.h5",
        summary=f"{RUN.folder}/summary.csv",
        reductions=f"{RUN.folder}/reductions.csv",
        attack=f"{RUN.folder}/attack.csv",
        certificate=f"{RUN.folder}/certificate.json",
    output:
        report(f"{RUN.folder}/report.html", caption="../templates/report.rst", category="Result"),
    params:
        allocation=RUN.allocation_digest,
        code=RUN.code_digest("report"),
        folder=RUN.folder,
    log:
        f"{RUN.folder}/logs/report.log",
    benchmark:
        f"{RUN.folder}/benchmarks/report.tsv"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    shell:
        "{RUN.python:q} {RUN.scripts:q}/report.py --allocation {input.allocation:q} --results {params.folder:q}"
        " --out {output:q} 2>&1 | tee {log:q}"

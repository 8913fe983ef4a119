# The study's self-contained page for people.
rule uldp_report:
    input:
        study=own(STUDY.origin),
        results=f"{STUDY.folder}/study.h5",
        surveys=f"{STUDY.folder}/surveys.csv",
        limits=f"{STUDY.folder}/limits.csv",
    output:
        f"{STUDY.folder}/report.html",
    params:
        study=STUDY.study.digest,
        code=RUN.code_digest("uldp_report"),
        folder=STUDY.folder,
    log:
        f"{STUDY.folder}/logs/uldp_report.log",
    benchmark:
        f"{STUDY.folder}/benchmarks/uldp_report.tsv"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    shell:
        "{RUN.python:q} {RUN.scripts:q}/uldp_report.py --study {input.study:q} --results {params.folder:q}"
        " --out {output:q} 2>&1 | tee {log:q}"

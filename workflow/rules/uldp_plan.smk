# From the study file and its tables to the plan: surveys, rows of the regime map, predicted costs, shards.
# The study file's content counts (params), not its age unless that content changed (own).
rule uldp_plan:
    input:
        study=own(STUDY.origin),
        tables=STUDY.tables,
    output:
        update(f"{STUDY.folder}/plan.json"),
    params:
        study=STUDY.study.digest,
        shards=len(RUN.shards),
        version=STUDY.version,
    log:
        f"{STUDY.folder}/logs/uldp_plan.log",
    benchmark:
        f"{STUDY.folder}/benchmarks/uldp_plan.tsv"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    shell:
        "{RUN.python:q} {RUN.scripts:q}/uldp_plan.py --study {input.study:q} --shards {params.shards}"
        " --out {output:q} 2>&1 | tee {log:q}"

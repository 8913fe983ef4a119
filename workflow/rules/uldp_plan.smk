# From the study file and its tables to the plan: surveys, rows of the regime map, predicted costs, shards.
# The study file's content counts (params), not its age (ancient).
rule uldp_plan:
    input:
        study=ancient(own(STUDY.origin)),
        tables=STUDY.tables,
    output:
        plan=update(f"{STUDY.folder}/plan.json"),
        origin=STUDY.origin.record_file,
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
        " --out {output.plan:q} 2>&1 | tee {log:q}"

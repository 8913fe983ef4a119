# All shards of the study into one verified file, and the tables.
rule uldp_aggregate:
    input:
        plan=f"{STUDY.folder}/plan.json",
        shards=expand(f"{STUDY.folder}/surveys/{{shard}}.h5", shard=RUN.shards),
    output:
        results=update(f"{STUDY.folder}/study.h5"),
        surveys=f"{STUDY.folder}/surveys.csv",
        limits=f"{STUDY.folder}/limits.csv",
    params:
        code=RUN.code_digest("uldp_aggregate"),
    log:
        f"{STUDY.folder}/logs/uldp_aggregate.log",
    benchmark:
        f"{STUDY.folder}/benchmarks/uldp_aggregate.tsv"
    threads: 1
    retries: 0
    resources:
        mem_mb=1000,
        runtime=10,
    shell:
        "{RUN.python:q} {RUN.scripts:q}/uldp_aggregate.py --plan {input.plan:q} --results {output.results:q}"
        " --surveys {output.surveys:q} --limits {output.limits:q} {input.shards:q} 2>&1 | tee {log:q}"

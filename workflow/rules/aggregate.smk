# All shards into one verified file, and the tables. Where shards are damaged, the rest goes into files named
# *.partial.*, and the job fails: trying again at once cannot help.
rule aggregate:
    input:
        mechanisms=f"{RUN.folder}/mechanisms.json",
        shards=expand(f"{RUN.folder}/curves/{{shard}}.h5", shard=RUN.shards),
    output:
        curves=update(f"{RUN.folder}/curves.h5"),
        summary=report(f"{RUN.folder}/summary.csv", caption="../templates/summary.rst", category="Tables"),
        reductions=report(f"{RUN.folder}/reductions.csv", caption="../templates/reductions.rst", category="Tables"),
        attack=report(f"{RUN.folder}/attack.csv", caption="../templates/attack.rst", category="Tables"),
    params:
        code=RUN.code_digest("aggregate"),
    log:
        f"{RUN.folder}/logs/aggregate.log",
    benchmark:
        f"{RUN.folder}/benchmarks/aggregate.tsv"
    threads: 1
    retries: 0
    resources:
        mem_mb=2000,
        runtime=20,
    shell:
        "{RUN.python:q} {RUN.scripts:q}/aggregate.py --plan {input.mechanisms:q} --results {output.curves:q}"
        " --summary {output.summary:q} --reductions {output.reductions:q}"
        " --attack {output.attack:q} {input.shards:q} 2>&1 | tee {log:q}"

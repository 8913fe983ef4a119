# From the allocation file to the plan: mechanisms, pairs, predicted costs, shards. Compiles the kernels for all.
# The file's content counts (params), not its age unless that content changed (own): a changed comment changes nothing.
rule mechanisms:
    input:
        allocation=own(RUN.origin),
    output:
        update(f"{RUN.folder}/mechanisms.json"),
    params:
        allocation=RUN.allocation_digest,
        shards=len(RUN.shards),
        kernels=RUN.kernel_version,
    log:
        f"{RUN.folder}/logs/mechanisms.log",
    benchmark:
        f"{RUN.folder}/benchmarks/mechanisms.tsv"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 10 * attempt,
    shell:
        "{RUN.python:q} {RUN.scripts:q}/mechanisms.py --allocation {input.allocation:q} --shards {params.shards}"
        " --out {output:q} 2>&1 | tee {log:q}"

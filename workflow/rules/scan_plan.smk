# From a scan file to its candidate allocations, as files, and to the plan of their first pairs by shard.
rule scan_plan:
    input:
        scan=own(SCAN.origin),
    output:
        plan=update(f"{SCAN.folder}/mechanisms.json"),
        candidates=directory(f"{SCAN.folder}/candidates"),
    params:
        scan=SCAN.digest,
        shards=len(RUN.shards),
        kernels=RUN.kernel_version,
    log:
        f"{SCAN.folder}/logs/scan_plan.log",
    benchmark:
        f"{SCAN.folder}/benchmarks/scan_plan.tsv"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 20 * attempt,
    shell:
        "{RUN.python:q} {RUN.scripts:q}/scan_plan.py --scan {input.scan:q} --shards {params.shards}"
        " --candidates {output.candidates:q} --out {output.plan:q} 2>&1 | tee {log:q}"

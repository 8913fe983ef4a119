# The candidates of a scan: their shards are made as those of an allocation's pairs, then the tables of them all.
use rule curves as scan_curves with:
    input:
        f"{SCAN.folder}/mechanisms.json",
    output:
        curves=update(f"{SCAN.folder}/curves/{{shard}}.h5"),
        stats=f"{SCAN.folder}/curves/{{shard}}.stats.json",
    log:
        f"{SCAN.folder}/logs/curves/{{shard}}.log",
    benchmark:
        f"{SCAN.folder}/benchmarks/curves/{{shard}}.tsv"


rule scan:
    input:
        scan=own(SCAN.origin),
        plan=f"{SCAN.folder}/mechanisms.json",
        shards=expand(f"{SCAN.folder}/curves/{{shard}}.h5", shard=RUN.shards),
    output:
        curves=update(f"{SCAN.folder}/curves.h5"),
        table=f"{SCAN.folder}/scan.csv",
        summary=f"{SCAN.folder}/summary.csv",
        reductions=f"{SCAN.folder}/reductions.csv",
        attack=f"{SCAN.folder}/attack.csv",
    params:
        scan=SCAN.digest,
        code=RUN.code_digest("scan"),
    log:
        f"{SCAN.folder}/logs/scan.log",
    benchmark:
        f"{SCAN.folder}/benchmarks/scan.tsv"
    threads: 1
    retries: 0
    resources:
        mem_mb=2000,
        runtime=20,
    shell:
        "{RUN.python:q} {RUN.scripts:q}/scan.py --scan {input.scan:q} --plan {input.plan:q} --results {output.curves:q}"
        " --summary {output.summary:q} --reductions {output.reductions:q} --attack {output.attack:q}"
        " --out {output.table:q} {input.shards:q} 2>&1 | tee {log:q}"

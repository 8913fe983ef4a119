# Budget in, noise out: a new allocation file, tuned to tune_eps at tune_delta. Not part of `all`. The second output says
# what it was made from, and its name changes with that, so that a changed promise is noticed without Snakemake's records.
rule tune:
    input:
        allocation=ancient(own(RUN.origin)),
    output:
        tuned=f"{RUN.folder}/{RUN.allocation.name}_tuned.yaml",
        promise=f"{RUN.folder}/tuned-{RUN.tune_digest}.txt",
    params:
        allocation=RUN.allocation_digest,
        kernels=RUN.kernel_version,
        eps=RUN.settings.tune_eps,
        delta=RUN.settings.tune_delta,
    log:
        f"{RUN.folder}/logs/tune.log",
    benchmark:
        f"{RUN.folder}/benchmarks/tune.tsv"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    shell:
        "{RUN.python:q} {RUN.scripts:q}/tune.py --allocation {input.allocation:q} --target-eps {params.eps:q}"
        " --delta {params.delta:q} --jobs {threads} --force --output {output.tuned:q} 2>&1 | tee {log:q};"
        " rm -f {RUN.folder:q}/tuned-*.txt;"
        " printf 'eps %s at delta %s, allocation %s, kernels %s\\n' {params.eps:q} {params.delta:q}"
        " {params.allocation} {params.kernels} > {output.promise:q}"

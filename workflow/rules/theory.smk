# How near the exact curves are to their Gaussian limit and to each other. Not part of `all`.
rule theory:
    input:
        allocation=own(RUN.origin),
        curves=f"{RUN.folder}/curves.h5",
    output:
        theory=f"{RUN.folder}/theory.csv",
        closeness=f"{RUN.folder}/closeness.csv",
        page=report(f"{RUN.folder}/theory.html", caption="../templates/theory.rst", category="Theory"),
    params:
        allocation=RUN.allocation_digest,
        kernels=RUN.kernel_version,
        code=RUN.code_digest("theory"),
    log:
        f"{RUN.folder}/logs/theory.log",
    benchmark:
        f"{RUN.folder}/benchmarks/theory.tsv"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * attempt,
        runtime=lambda wildcards, attempt: 20 * attempt,
    shell:
        "{RUN.python:q} {RUN.scripts:q}/theory.py --allocation {input.allocation:q} --curves {input.curves:q}"
        " --theory {output.theory:q} --closeness {output.closeness:q} --out {output.page:q} 2>&1 | tee {log:q}"

# A sample of the stored values, derived anew in ball arithmetic by code that shares nothing with the kernels. The second
# output says by which code and, where a sample was asked for, of how many values; its name changes with that. A
# certificate that still stands is kept (workflow/certificate/keep.py), so the sample is no parameter.
rule certify:
    input:
        curves=f"{RUN.folder}/curves.h5",
    output:
        certificate=report(
            update(str(RUN.certified.certificate)), caption="../templates/certificate.rst", category="Trust"
        ),
        record=str(RUN.certified.record),
    params:
        code=RUN.certified.code,
    log:
        f"{RUN.folder}/logs/certify.log",
    benchmark:
        f"{RUN.folder}/benchmarks/certify.tsv"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime=lambda wildcards, attempt: 60 * attempt,
    shell:
        "{RUN.python:q} {RUN.scripts:q}/certify.py --curves {input.curves:q}"
        " {RUN.certified.options} --jobs {threads} --out {output.certificate:q} 2>&1 | tee {log:q}"

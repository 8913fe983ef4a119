# A sample of the stored values, re-derived in ball arithmetic by code that shares nothing with the kernels. The script
# keeps a certificate that still stands, so the sample is no parameter. Where the certificate is outdated, the target
# `all` asks for the second output, which then is not there: so that is noticed without Snakemake's own records too.
if workflow.is_main_process and RUN.certificate_is_outdated:
    Path(RUN.certify_anew).unlink(missing_ok=True)


rule certify:
    input:
        curves=f"{RUN.folder}/curves.h5",
    output:
        certificate=report(
            update(f"{RUN.folder}/certificate.json"), caption="../templates/certificate.rst", category="Trust"
        ),
        anew=touch(RUN.certify_anew),
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
        " {RUN.certify_options} --jobs {threads} --out {output.certificate:q} 2>&1 | tee {log:q}"

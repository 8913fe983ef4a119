# A sample of the stored values, derived anew in ball arithmetic by code that shares nothing with the kernels.
rule certify:
    input:
        curves=f"{RUN.folder}/curves.h5",
    output:
        report(f"{RUN.folder}/certificate.json", caption="../report/certificate.rst", category="Trust"),
    params:
        code=RUN.code_digest("kernels/certificate/*.py", "workflow/lib/certify.py"),
        sample=RUN.settings.certify_sample,
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
        " --sample {params.sample} --jobs {threads} --out {output:q} 2>&1 | tee {log:q}"

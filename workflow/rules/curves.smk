# One job per shard, its pairs on the ranks of one MPI world. The script writes its own log, so that standard
# error stays free for the progress bar. The output is updated in place: results whose content key still holds
# are reused.
rule curves:
    input:
        f"{RUN.folder}/mechanisms.json",
    output:
        curves=update(f"{RUN.folder}/curves/{{shard}}.h5"),
        stats=f"{RUN.folder}/curves/{{shard}}.stats.json",
    log:
        f"{RUN.folder}/logs/curves/{{shard}}.log",
    benchmark:
        f"{RUN.folder}/benchmarks/curves/{{shard}}.tsv"
    threads: RUN.tasks
    resources:
        tasks=RUN.tasks,
        mpi=RUN.mpi if RUN.tasks > 1 else "",
        mem_mb=lambda wildcards, attempt: RUN.settings.mem_mb_per_task * RUN.tasks * attempt,
        mem_mb_per_cpu=lambda wildcards, attempt: RUN.settings.mem_mb_per_task * attempt,
        runtime=lambda wildcards, attempt: RUN.settings.runtime * attempt,
    shell:
        "progress=lines; if [ -t 2 ]; then progress=bar; fi;"
        " {RUN.launch} {RUN.python:q} -m mpi4py {RUN.scripts:q}/curves.py"
        " --plan {input:q} --shard {wildcards.shard} --tasks {resources.tasks} --progress $progress"
        " --checkpoint {RUN.settings.checkpoint_seconds}"
        " --log {log:q} --stats {output.stats:q} --out {output.curves:q}"

# One job per shard, its tasks on the ranks of one MPI world, as in curves.smk. The output is updated in place:
# results whose content key still holds are reused.
rule uldp_surveys:
    input:
        f"{STUDY.folder}/plan.json",
    output:
        surveys=update(f"{STUDY.folder}/surveys/{{shard}}.h5"),
        stats=f"{STUDY.folder}/surveys/{{shard}}.stats.json",
    log:
        f"{STUDY.folder}/logs/surveys/{{shard}}.log",
    benchmark:
        f"{STUDY.folder}/benchmarks/surveys/{{shard}}.tsv"
    threads: RUN.tasks
    resources:
        tasks=RUN.tasks,
        mpi=RUN.mpi if RUN.tasks > 1 else "",
        mem_mb=lambda wildcards, attempt: RUN.settings.mem_mb_per_task * RUN.tasks * attempt,
        mem_mb_per_cpu=lambda wildcards, attempt: RUN.settings.mem_mb_per_task * attempt,
        runtime=lambda wildcards, attempt: RUN.settings.runtime * attempt,
    shell:
        "progress=lines; if [ -t 2 ]; then progress=bar; fi;"
        " {RUN.launch} {RUN.python:q} -m mpi4py {RUN.scripts:q}/uldp_surveys.py"
        " --plan {input:q} --shard {wildcards.shard} --tasks {resources.tasks} --progress $progress"
        " --checkpoint {RUN.settings.checkpoint_seconds}"
        " --log {log:q} --stats {output.stats:q} --out {output.surveys:q}"

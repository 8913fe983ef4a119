#!/usr/bin/env bash
#SBATCH --job-name=exact-census
#SBATCH --output=exact-census-%j.log
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem=2000
#SBATCH --time=24:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#
# The whole workflow from inside the cluster. From the top of the repository:
#
#     sbatch slurm/submit.sh [ALLOCATION] [SNAKEMAKE OPTIONS]
#
# ALLOCATION is a name in allocations/ or the path of a file. This job only submits and watches the others. When it
# is killed, or its time is up, submit it again: finished work is kept. Set in the environment:
#
#     PROFILE   folder of the profile (slurm/profile)
#     PYTHON    an interpreter with the packages of requirements.lock (.venv/bin/python)
set -euo pipefail
cd "${SLURM_SUBMIT_DIR:-$(dirname "${BASH_SOURCE[0]}")/..}"
[ -f Snakefile ] || { echo "submit.sh: submit it from the top of the repository, not from $PWD" >&2; exit 2; }

profile=${PROFILE:-slurm/profile}
python=${PYTHON:-.venv/bin/python}
command -v "$python" >/dev/null || { echo "submit.sh: no $python; run 'make setup' first, or set PYTHON" >&2; exit 2; }
[ -f "$profile/config.yaml" ] || { echo "submit.sh: no $profile/config.yaml" >&2; exit 2; }
allocation=dhc_persons_us
if [ $# -gt 0 ] && [[ $1 != -* ]]; then allocation=$1; shift; fi

mpi=$(sed -n 's/^mpi: *\([^#]*[^# ]\).*/\1/p' "$profile/run.yaml" 2>/dev/null || true)
options=$("$python" -m workflow.pipeline.preflight --mpi "$mpi")
# shellcheck disable=SC2086
exec "$python" -m snakemake --profile "$profile" $options --config "allocation=$allocation" "$@"

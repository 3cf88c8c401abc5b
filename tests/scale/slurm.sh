#!/bin/sh
# slurm.sh FOLDER FILE... — map, sort, reduce and merge as two Slurm job arrays and a job, each waiting for
# the one before.  FOLDER is on a file system that all nodes share.  LIKE as in parallel.sh.
set -eu
: "${LOCKSTEP:=lockstep}" "${REDUCES:=3}"
export LOCKSTEP REDUCES LC_ALL=C LIKE="${LIKE:-}" FOLDER="$1"
shift
printf '%s\n' "$@" >"$FOLDER/files"
maps=$(sbatch --parsable --wait --requeue --array=1-$# --wrap='
    file=$(sed -n "${SLURM_ARRAY_TASK_ID}p" "$FOLDER/files")
    srun "$LOCKSTEP" map -q ${LIKE:+--like "$LIKE"} --partitions "$REDUCES" \
        -o "$FOLDER/map-$SLURM_ARRAY_TASK_ID" "$file"')
reduces=$(sbatch --parsable --wait --requeue --dependency="afterok:$maps" --array=0-$((REDUCES - 1)) --wrap='
    sort "$FOLDER"/map-*."$SLURM_ARRAY_TASK_ID" |
        srun "$LOCKSTEP" reduce -o "$FOLDER/part-$SLURM_ARRAY_TASK_ID.state"')
sbatch --parsable --wait --dependency="afterok:$reduces" --wrap='
    srun "$LOCKSTEP" merge -f json -o "$FOLDER/report.json" "$FOLDER"/part-*.state' >"$FOLDER/job"
cat "$FOLDER/report.json"

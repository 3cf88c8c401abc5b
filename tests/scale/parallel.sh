#!/bin/sh
# parallel.sh FOLDER FILE... — map, sort, reduce and merge with GNU parallel and sort on one machine.
# FILEs are logs, or parts of one cut at line ends and named in their order; then LIKE is the first one.
set -eu
: "${LOCKSTEP:=lockstep}" "${REDUCES:=3}"
export LOCKSTEP REDUCES LC_ALL=C
folder=$1
shift
parallel --halt now,fail=1 --retries 3 \
    "$LOCKSTEP" map -q ${LIKE:+--like "$LIKE"} --partitions "$REDUCES" -o "$folder/map-{#}" {} ::: "$@"
seq 0 $((REDUCES - 1)) | parallel --halt now,fail=1 --retries 3 \
    "sort $folder/map-*.{} | $LOCKSTEP reduce -o $folder/part-{}.state"
"$LOCKSTEP" merge -f json "$folder"/part-*.state

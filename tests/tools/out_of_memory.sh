#!/bin/sh
# out_of_memory.sh STEP FROM ALLOC.so PROGRAM ARGUMENT... — runs the program once for every STEP-th of its
# allocations, from the FROM-th on, with that one failing, and again with all later ones failing too.
#
# Each run gives the whole output and status 0, or nothing, status 3 and "out of memory"; no block is lost.
# An argument @ stands for a file in an empty folder: it is there with status 0 only, and nothing beside it.
# The last line is "N runs, N wrong"; the exit status is 0 when none is.
set -u
step=$1 from=$2 alloc=$3 program=$4
shift 4
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/out"
runs=0 wrong=0

for argument; do
    shift
    [ "$argument" != @ ] || argument=$work/out/file
    set -- "$@" "$argument"
done

# wrong CAUSE — the run was wrong
wrong() {
    wrong=$((wrong + 1))
    echo "$how: $1 (status $status): $(head -n 2 "$work/stderr")"
}

judge() {
    case $status in
    0) cmp -s "$work/stdout" "$work/want" && cmp -s "$work/file" "$work/out/file" || wrong "another output" ;;
    3)
        grep -q 'out of memory' "$work/stderr" || wrong "nothing said of memory"
        [ ! -s "$work/stdout" ] || wrong "something was printed"
        [ -z "$(ls -A "$work/out")" ] || wrong "something was left: $(ls -A "$work/out")"
        ;;
    *) wrong "no status for it" ;;
    esac
    grep -q ' 0 lost' "$work/log" || wrong "$(cat "$work/log" 2>/dev/null)"
}

env FAIL_ALLOC_LOG="$work/count" LD_PRELOAD="$alloc" "$program" "$@" >"$work/want" 2>"$work/stderr" || {
    echo "status $? without a failure: $(cat "$work/stderr")"
    exit 1
}
cp "$work/out/file" "$work/file" 2>/dev/null || : >"$work/file"
[ -e "$work/out/file" ] || keep_empty=1
count=$(sed 's/ .*//' "$work/count")
n=$from
while [ "$n" -le "$count" ]; do
    for how in FAIL_ALLOC=$n FAIL_ALLOC_FROM=$n; do
        rm -f "$work/log" "$work/out/"*
        status=0
        timeout 60 env "$how" FAIL_ALLOC_LOG="$work/log" LD_PRELOAD="$alloc" "$program" "$@" >"$work/stdout" 2>"$work/stderr" ||
            status=$?
        [ "${keep_empty:-}" != 1 ] || [ "$status" -ne 0 ] || : >"$work/out/file"
        runs=$((runs + 1))
        judge
    done
    n=$((n + step))
done
echo "$runs runs, $wrong wrong"
[ "$runs" -gt 0 ] && [ "$wrong" -eq 0 ]

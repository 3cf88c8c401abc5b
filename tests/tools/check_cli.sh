#!/bin/sh
# check_cli.sh RESULT FILE.bats... — runs bats against $LOCKSTEP and writes "passed failed" to RESULT.
# Skipped tests count as neither.
result=$1
shift
mkdir -p "$(dirname "$result")"
if [ $# -eq 0 ]; then
    echo "cli: no tests"
    echo "0 0" >"$result"
    exit 0
fi
fail_once() {
    echo "FAILED cli: $1"
    echo "0 1" >"$result"
    exit 1
}
[ -x "$LOCKSTEP" ] || fail_once "there is no program"
command -v bats >/dev/null || fail_once "bats is not installed; run 'make deps'"

# Files beside each other where that can be: a file's own tests may build on one another.
jobs=$(nproc 2>/dev/null || echo 1)
beside=
if [ "$jobs" -gt 1 ] && [ $# -gt 1 ] && command -v parallel >/dev/null; then
    beside="--jobs $jobs --no-parallelize-within-files"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # words
bats --formatter tap $beside "$@" >"$log" 2>&1 </dev/null
status=$?
skipped=$(grep -c '^ok [0-9]* .*# skip' "$log")
passed=$(($(grep -c '^ok ' "$log") - skipped))
failed=$(grep -c '^not ok ' "$log")
plan=$(sed -n 's/^1\.\.\([0-9][0-9]*\).*/\1/p' "$log" | head -n 1)
lost=$((${plan:-1} - passed - skipped - failed))
[ "$lost" -le 0 ] || failed=$((failed + lost))
[ "$failed" -gt 0 ] || [ "$status" -eq 0 ] || failed=1
[ "$failed" -eq 0 ] || grep -v '^ok ' "$log"
echo "cli: $passed passed, $failed failed, $skipped skipped"
echo "$passed $failed" >"$result"
[ "$failed" -eq 0 ]

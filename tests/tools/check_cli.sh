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

log=$(mktemp)
trap 'rm -f "$log"' EXIT
bats --formatter tap "$@" >"$log" 2>&1 </dev/null
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

#!/bin/sh
# check_unit.sh RESULT BINARY... — runs unit tests and writes "passed failed" to RESULT; $RUNNER (an emulator,
# say) is put before each.
#
# A binary that dies counts the tests that its plan (1..N) promised and that did not report; one
# that fails after all its tests passed (a leak, say) counts as one failure.
result=$1
shift
mkdir -p "$(dirname "$result")"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0
for binary in "$@"; do
    name=${binary##*/}
    # shellcheck disable=SC2086 # words
    CMOCKA_MESSAGE_OUTPUT=TAP ${RUNNER:-} "$binary" >"$log" 2>&1 </dev/null
    status=$?
    ok=$(grep -c '^ok ' "$log")
    bad=$(grep -c '^not ok ' "$log")
    plan=$(sed -n 's/^1\.\.\([0-9][0-9]*\).*/\1/p' "$log" | head -n 1)
    lost=$((${plan:-$((ok + bad + 1))} - ok - bad))
    [ "$lost" -gt 0 ] || lost=0
    [ $((bad + lost)) -gt 0 ] || [ "$status" -eq 0 ] || lost=1
    if [ $((bad + lost)) -gt 0 ]; then
        echo "FAILED $name (exit status $status)"
        grep -v '^ok ' "$log" | sed 's/^/    /'
    fi
    echo "$name: $ok passed, $((bad + lost)) failed"
    passed=$((passed + ok))
    failed=$((failed + bad + lost))
done
echo "unit: $passed passed, $failed failed"
echo "$passed $failed" >"$result"
[ "$failed" -eq 0 ]

#!/usr/bin/env bats
# --fail-on: a pipeline's gate; the report is the same but for its status.

load helper

STORM=testdata/incidents/seed-requeue-60s.log.gz

@test "what is found gives status 1, and is said" {
    lockstep analyze -q --fail-on synchronised,amplification=5,error-share=0.05 $STORM
    ended_with 1
    [ "$(wc -l <"$ERR")" -eq 3 ]
    grep -qF 'lockstep: --fail-on synchronised: callers come back in step' "$ERR"
    grep -qE '^lockstep: --fail-on amplification=5: it is 8\.[0-9]+ ' "$ERR"
    grep -qE '^lockstep: --fail-on error-share=0.05: it is 0\.306' "$ERR"
    says 'Failed callers came back together'
}

@test "a number is the most allowed" {
    small_log >"$BATS_TEST_TMPDIR/log"
    lockstep analyze --fail-on error-share=0.5,rejected-share=0.5 "$BATS_TEST_TMPDIR/log"
    ended_with 0
    lockstep analyze --fail-on error-share=0.49 "$BATS_TEST_TMPDIR/log"
    ended_with 1
}

@test "the JSON report says the status" {
    lockstep analyze -q --format json --fail-on synchronised $STORM
    ended_with 1
    [ "$(value verdict.exit_status)" = 1 ]
    lockstep analyze -q --format json --fail-on amplification=100 $STORM
    ended_with 0
    [ "$(value verdict.exit_status)" = 0 ]
}

@test "what is not known breaks nothing, and is said" {
    echo '10.0.0.1 - - [15/Jul/2025:12:00:05 +0000] "GET / HTTP/1.1" 200 12 "-" "x"' >"$BATS_TEST_TMPDIR/log"
    lockstep analyze -q --fail-on overload "$BATS_TEST_TMPDIR/log"
    ended_with 0
    complained '--fail-on overload: not known'
}

@test "damaged input keeps its status" {
    head -c 20000 $STORM >"$BATS_TEST_TMPDIR/cut.gz"
    lockstep analyze -q --fail-on error-share=0 "$BATS_TEST_TMPDIR/cut.gz"
    ended_with 3
    grep -qF -- '--fail-on error-share=0: it is' "$ERR"
}

@test "conditions that make no sense are wrong use, before any log is read" {
    while IFS='|' read -r what message; do
        lockstep analyze --fail-on "$what" no-such-file
        ended_with 2
        complained "$message"
    done <<'END'
syncronised|did you mean 'synchronised'?
amplification|needs the most that is allowed: amplification=N
overload=3|overload takes no number
error-share=x|'x' is no number of 0 or more for error-share
error-share=-1|'-1' is no number of 0 or more for error-share
synchronised,,overload|a condition is missing in 'synchronised,,overload'
weather|there are synchronised, overload, amplification=N, error-share=N, rejected-share=N, failed-share=N
END
}

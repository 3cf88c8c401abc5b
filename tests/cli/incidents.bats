#!/usr/bin/env bats
# Whole runs on bundled logs, each with its right answer.

load helper

ask() { # ask FILE JQ [OPTION...]: the answer of a jq program on the report
    local log=$1 question=$2
    shift 2
    "$LOCKSTEP" analyze --quiet --format json "$@" "$log" | jq -c "$question"
}

@test "60 s requeue over a 12 s Retry-After: counts, both rates, both clocks" {
    log=testdata/incidents/seed-requeue-60s.log.gz
    [ "$(ask $log '[.http.attempts, .http.rejected]')" = '[119060,36442]' ]
    [ "$(ask $log '.verdict.synchronised')" = true ]
    # a clock of 60 s within half a per cent, in a retry path
    [ "$(ask $log '[.clocks[] | select(.kind == "retry" and (.period_s - 60.154 | fabs) < 0.3)] | length')" = 1 ]
    # the sum of the four places is the whole
    [ "$(ask $log '.reconciliation | .in_recovered_calls + .in_failed_calls + .in_open_calls + .unattributed == .rejected')" = true ]
    # truth: 3,634 of 86,164 calls failed; inferred within two points
    [ "$(ask $log '(.calls.failed_share - 0.0422 | fabs) < 0.02')" = true ]
    # the batch population amplifies 8.34-fold
    [ "$(ask $log '(.amplification[0].mean - 8.34 | fabs) < 0.2')" = true ]
}

@test "with an SDK log its calls count, and ids reconcile exactly" {
    log=testdata/incidents/seed-small-ids.log.gz
    sdk=testdata/incidents/seed-small-ids.sdk.jsonl.gz
    [ "$(ask $log '.calls | [.source, .total, .failed, .recovered]')" = '["identity",9919,485,406]' ]
    [ "$(ask $log '.calls | [.source, .failed, .recovered]' --sdk-log $sdk)" = '["sdk-log",485,406]' ]
    [ "$(ask $log '.reconciliation | [.rejected, .unattributed]')" = '[1958,0]' ]
    [ "$(ask $log '[.clocks[] | select(.kind == "retry" and (.period_s - 60.08 | fabs) < 0.3)] | length')" = 1 ]
}

@test "a real storm is synchronised in all three of its logs" {
    for form in combined ext json; do
        log=testdata/incidents/openai-requeue-20s.$form.log.gz
        [ "$(ask $log '[.http.requests, .http.rejected, .verdict.synchronised]')" = '[2981,1609,true]' ]
    done
    for form in ext json; do # the 28.18 s cycle of two waits of 4 s and one of 20 s
        log=testdata/incidents/openai-requeue-20s.$form.log.gz
        [ "$(ask $log '[.clocks[] | select(.kind == "retry" and (.period_s - 28.18 | fabs) < 0.3)] | length')" = 1 ]
    done
}

@test "schedules, probes and noise are not blamed on retries" {
    for log in testdata/quiet/*.log.gz; do
        [ "$(ask $log '.verdict.synchronised')" = false ]
        [ "$(ask $log '[.clocks[] | select(.kind == "retry")] | length')" = 0 ]
    done
}

@test "noise has no clock at all" {
    [ "$(ask testdata/quiet/poisson.log.gz '.clocks | length')" = 0 ]
}

@test "since and until cut the log and count what they cut" {
    log=testdata/incidents/seed-small-ids.log.gz
    whole=$(ask $log '.input.lines.parsed')
    middle=$(ask $log '.input.span.start' | tr -d '"' | sed 's/T.*//')
    start=$(ask $log '.input.span.start' | tr -d '"')
    [ "$(ask $log '.input.lines | [.parsed + .filtered, .rejected]' --since "$start")" = "[$whole,0]" ]
    [ "$(ask $log '.input.lines | .filtered > 0 and .total == .parsed + .filtered + .rejected + .ignored' --until "${middle}T23:59:59Z" --since "${start%:*}:59Z")" = true ]
}

# Forty jobs that make four calls of three attempts each under one id, the calls 2 s apart.
@test "calls that share an id count in the incident as in the whole log" {
    awk 'BEGIN { for (job = 0; job < 40; job++) for (n = 0; n < 12; n++) {
        t = job / 100 + n + int(n / 3)
        printf "%.3f 10.0.0.%d - - [15/Jul/2025:12:00:%02d +0000] \"POST /v1 HTTP/1.1\" 429 9 \"-\" \"app/1\"", t, job, int(t)
        printf " rt=0.004 msec=%.3f ra=\"-\" rid=\"o%02d\"\n", 1752580800 + t + 0.004, job } }' |
        sort -n | cut -d' ' -f2- >"$BATS_TEST_TMPDIR/log"
    lockstep analyze -q -f json "$BATS_TEST_TMPDIR/log"
    [ "$(jq -c '[.calls.total, .calls.failed, .incident.calls.total, .incident.calls.failed]' "$OUT")" = '[160,160,160,160]' ]
}

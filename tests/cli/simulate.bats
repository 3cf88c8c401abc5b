#!/usr/bin/env bats
# lockstep simulate: models, studies, and the loop simulate | analyze against the simulation's truth.

load helper

# value TABLE ROW COLUMN — the mean in the JSON of $OUT
value() {
    jq -r ".tables.$1[$2].$3 | if type == \"object\" then .mean else . end" "$OUT"
}

@test "every model runs, prints in 80 columns, and its options stand in the manual" {
    mandoc -T ascii man/lockstep-simulate.1 | sed "s/.$(printf '\b')//g" |
        grep -oE -e '--[a-z-]+' | sort -u >"$BATS_TEST_TMPDIR/options"
    for model in contention 'outage --callers 500' saturation fleet 'recovery --clients 500' occ-network; do
        # shellcheck disable=SC2086
        lockstep simulate $model --runs 2
        model=${model%% *}
        ended_with 0
        silent
        harmless 80
        grep -q "^$model: 2 runs a row, seed 1$" "$OUT"
        lockstep simulate $model --help
        ended_with 0
        harmless 80
        grep -oE -e '--[a-z-]+' "$OUT" | sort -u | comm -23 - "$BATS_TEST_TMPDIR/options" >"$ERR"
        silent
    done
}

@test "the burst without jitter is exact, the rest has errors" {
    lockstep simulate contention --runs 20 -f json
    ended_with 0
    [ "$(value policies 1 makespan)" = 90123 ]
    [ "$(value policies 1 attempts_per_client)" = 50.5 ]
    [ "$(value policies 0 makespan)" = 100 ]
    jq -e '.tables.policies[2].makespan | .mean > 400 and .mean < 560 and .standard_error > 0' "$OUT"
    [ "$(jq -r .schema "$OUT")" = lockstep.simulation/1 ]
}

@test "the same seed gives the same bytes, on one thread or three; another seed others" {
    lockstep simulate fleet --runs 6 --threads 1 -f csv
    cp "$OUT" "$BATS_TEST_TMPDIR/one"
    lockstep simulate fleet --runs 6 --threads 3 -f csv
    cmp "$OUT" "$BATS_TEST_TMPDIR/one"
    [ "$(head -n 1 "$OUT")" = table,row,column,value,standard_error ]
    lockstep simulate fleet --runs 6 --seed 2 -f csv
    ! cmp -s "$OUT" "$BATS_TEST_TMPDIR/one"
}

@test "a concurrency limit keeps the refusals away" {
    lockstep simulate saturation --runs 1 -f json --tasks 300 --allowance 1000000/min
    herd=$(value load 0 requests)
    lockstep simulate saturation --runs 1 -f json --tasks 300 --allowance 1000000/min --concurrency 6 --adaptive
    [ "$(value load 0 requests | cut -d. -f1)" -lt $((${herd%.*} / 3)) ]
    [ "$(value work 0 done)" = 300 ]
}

@test "a study prints claimed and recomputed figures, in JSON as numbers" {
    lockstep simulate --study S4 --quick
    ended_with 0
    silent
    harmless 80
    grep -qE '^no jitter: drained after \(s\) +never +[0-9.]+.* does not hold$' "$OUT"
    lockstep simulate --study S4 --quick -f json
    jq -e '.study == "S4" and (.figures | length > 10) and
        (.figures | all((.recomputed | type) == "number" and (.verdict | IN("holds", "does-not-hold", "cannot-hold"))))' "$OUT"
    cp "$OUT" "$BATS_TEST_TMPDIR/one"
    lockstep simulate --study S4 --quick --seed 7 -f json
    ! cmp -s "$OUT" "$BATS_TEST_TMPDIR/one"
}

@test "wrong use is told in one line" {
    while read -r message arguments; do
        # shellcheck disable=SC2086
        lockstep simulate $arguments
        ended_with 2
        complained "${message//_/ }"
    done <<'END'
no_model_given
no_model_'weather' weather
no_study_'S9' --study S9
goes_without_a_model contention --study S1
unknown_option_'--callers' contention --callers 5
not_a_count outage --callers many
no_retry_policy outage --policy jitter
go_with_--emit-log outage --no-ids
no_writer_for_'iis' outage --emit-log /dev/null --log-format iis
no_server contention --emit-log /dev/null
neither_s_nor_ms outage --emit-log /dev/null --stamps us
END
}

@test "a log that cannot be written is an error of output" {
    lockstep simulate fleet --emit-log /nonexistent/x.log
    ended_with 4
    complained "cannot write '/nonexistent/x.log'"
    [ ! -e /dev/full ] || { lockstep simulate fleet --emit-log /dev/full; ended_with 4; }
}

# ---- the closed loop ----

# Every claim of the reports that the callers' records and the lines contradict, one a line.  The inputs:
# what each loop is, the lines of its log, its report and the callers' record.
JUDGE='
def near($a; $b; $allowed): ($a - $b | fabs) <= $allowed;
def expect($what; $have; $want): if $have == $want then empty else "\($what): \($have), not \($want)" end;
def judge($exact; $shares; $period; $coarse; $lines; $report; $sdk):
($sdk | length) as $calls | ($sdk | map(select(.outcome != "ok")) | length) as $failed
| ($sdk | map(select(.client == "batch-client/1.4"))) as $batch
| ($batch | map(.attempts) | add) as $attempts
| ($report.layers // [] | map(select(.name == "sdk"))[0]) as $layer
| $report |
expect("resolution"; .input.time.resolution_s; if $coarse then 1 else 0.001 end),
expect("attempts"; .http.attempts; $lines),
expect("attempts"; .http.attempts; $sdk | map(.attempts) | add),
expect("rejected"; .http.rejected; $sdk | map(if .outcome == "ok" then .attempts - 1 else .attempts end) | add),
(if $exact then
    expect("calls"; .calls.total; $calls),
    expect("failed calls"; .calls.failed; $failed),
    expect("recovered calls"; .calls.recovered; $sdk | map(select(.outcome == "ok" and .attempts > 1)) | length),
    (if $attempts > ($batch | length) then
        expect("units"; $layer.units; $batch | length), expect("their attempts"; $layer.attempts; $attempts)
    else empty end)
elif $shares then
    (if .calls.failed_share == null or near(.calls.failed_share; $failed / $calls; 0.02) then empty
    else "failed share: \(.calls.failed_share), not \($failed / $calls)" end)
else empty end),
(if $period > 0 and (.clocks | any(.kind == "retry" and (near(.period_s; $period; 0.005 * $period) or
    (.delay_s != null and near(.delay_s; 60; 0.3)))) | not)
then "no clock of \($period) s: \(.clocks | map([.kind, .period_s, .delay_s]))" else empty end);
range($loops | length) as $i | $loops[$i]
| judge(.exact; .shares; .period; .what | test("combined|--stamps s"); $lines[$i]; $reports[$i]; $sdk[$i]) as $wrong | "\(.what): \($wrong)"'

# loop EXACT SHARES PERIOD MODEL [OPTION]... — one run, written and analysed; `judged` tells
loop() {
    local exact=$1 shares=$2 period=$3 run=$BATS_TEST_TMPDIR/$((++loops + 1000))
    shift 3
    "$LOCKSTEP" simulate "$@" --emit-log "$run.log" --emit-sdk-log "$run.sdk"
    "$LOCKSTEP" analyze -q -f json "$run.log" >"$run.json"
    echo "{\"what\":\"$*\",\"exact\":$exact,\"shares\":$shares,\"period\":$period}" >"$run.loop"
}

# All loops of the test at once: they were as many as came to here, and nothing is wrong with any.
judged() {
    local runs=$BATS_TEST_TMPDIR lines
    lines=$(wc -l "$runs"/*.log | awk '$2 != "total" { print $1 }')
    [ "$(wc -w <<<"$lines")" -eq "$loops" ]
    sed -s '1s/^/[/; $!s/$/,/; $s/$/]/' "$runs"/*.sdk >"$runs/calls"
    jq -rn --slurpfile loops <(cat "$runs"/*.loop) --slurpfile lines <(echo "$lines") \
        --slurpfile reports <(cat "$runs"/*.json) --slurpfile sdk "$runs/calls" "$JUDGE" >"$ERR"
    silent
}

SMALL=(saturation --tasks 120 --allowance 500000/min --queue-attempts 6 --service 150ms --refusal 5ms --interactive 1)

# A policy, and the period of a round of three attempts and the requeue (0: jitter makes no clock).
POLICIES='immediate:attempts=3 60.015
fixed:base=7,attempts=3 74.015
exponential:base=2,attempts=3 66.015
equal-jitter:base=2,attempts=3 0
full-jitter:base=2,attempts=3 0
decorrelated-jitter:base=2,attempts=3 0
percent-jitter:base=5,factor=1,jitter=0.3,attempts=3 0
retry-after-exact:attempts=3 84.015
retry-after-jitter:attempts=3 0'

@test "simulate | analyze: with ids and milliseconds counts, calls and layers are exact, every policy and writer" {
    while read -r policy period; do
        for writer in nginx-ext json envoy; do
            loop true true "$period" "${SMALL[@]}" --log-format $writer --policy "$policy"
        done
    done <<<"$POLICIES"
    judged
}

@test "simulate | analyze: without ids, within the tolerances or not known, every policy and writer" {
    while read -r policy _; do
        for writer in combined alb; do
            loop false true 0 "${SMALL[@]}" --log-format $writer --policy "$policy"
        done
    done <<<"$POLICIES"
    for writer in 'nginx-ext --no-ids' 'json --no-ids --stamps s' 'envoy --no-ids' 'nginx-ext --stamps s' 'alb --stamps s' \
        'envoy --no-ids --stamps s'; do
        # shellcheck disable=SC2086
        loop false true 84.015 "${SMALL[@]}" --log-format $writer
    done
    judged
}

# No id of these ever comes again and there is one delay, the requeue's: its layer does not show.
@test "simulate | analyze: calls that are never retried still have their counts and their clock" {
    for writer in combined nginx-ext json alb envoy; do
        loop false false 60.005 "${SMALL[@]}" --log-format $writer --policy none
    done
    judged
}

@test "simulate | analyze: outage, fleet and recovery too" {
    for model in 'outage --callers 200' fleet 'recovery --clients 100 --down 20'; do
        # shellcheck disable=SC2086
        for writer in nginx-ext json; do loop true true 0 $model --log-format $writer; done
        # shellcheck disable=SC2086
        for writer in combined alb envoy; do loop false false 0 $model --log-format $writer; done
    done
    judged
}

@test "a log may be compressed by its name, or go to standard output" {
    lockstep simulate fleet --emit-log "$BATS_TEST_TMPDIR/x.log.gz"
    lockstep simulate fleet --emit-log -
    zcat "$BATS_TEST_TMPDIR/x.log.gz" | cmp - "$OUT"
}

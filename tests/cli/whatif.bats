load helper

INCIDENT=testdata/incidents/openai-requeue-20s.ext.log.gz
SEED=testdata/incidents/seed-small-ids.log.gz

# number PATH — of the JSON answer
number() {
    value "$1"
}

@test "whatif puts both worlds beside what the log shows" {
    lockstep whatif tests/cli/golden/openai-requeue.json --policy full-jitter --base 8 --cap 60 --attempts 4 --concurrency 6
    ended_with 0
    silent
    harmless 80
    says "--policy full-jitter:base=8,factor=2,cap=60,attempts=4 --concurrency 6"
    says "retry-after-exact"
    says "in the log"
    says "the simulation resembles the log"
}

@test "a bound on concurrency does the work with a fraction of the requests" {
    lockstep whatif tests/cli/golden/openai-requeue.json --concurrency 6 -f json
    ended_with 0
    "$PYTHON" -c '
import json, sys
d = json.load(open(sys.argv[1]))
assert d["schema"] == "lockstep.whatif/1" and d["resembles"]
b, a = d["before"], d["after"]
assert abs(b["requests"]["mean"] - d["observed"]["requests"]) < 0.25 * d["observed"]["requests"]
assert a["requests"]["mean"] < 0.25 * b["requests"]["mean"]
assert a["tasks_served"]["mean"] == d["observed"]["tasks_served"] == 150
assert a["requests"]["error"] is not None' "$OUT"
}

@test "the same seed gives the same bytes, whatever the threads" {
    lockstep whatif tests/cli/golden/openai-requeue.json --attempts 2 --runs 4 --threads 1 -f json
    cp "$OUT" "$BATS_TEST_TMPDIR/one"
    lockstep whatif tests/cli/golden/openai-requeue.json --attempts 2 --runs 4 --threads 2 -f json
    cmp "$OUT" "$BATS_TEST_TMPDIR/one"
}

@test "a share of the callers helps by its share; none named changes those in waves" {
    "$LOCKSTEP" analyze -q -f json "$SEED" >"$BATS_TEST_TMPDIR/seed.json"
    lockstep whatif "$BATS_TEST_TMPDIR/seed.json" --concurrency 2 --runs 5
    ended_with 0
    says "aws-sdk-python"
    never grep -q "OpenAI/Python" "$OUT"
    lockstep whatif "$BATS_TEST_TMPDIR/seed.json" --attempts 1 --population openai --runs 2
    ended_with 0
    says "OpenAI/Python"
    lockstep whatif "$BATS_TEST_TMPDIR/seed.json" --concurrency 2 --share 0.3 --runs 5
    ended_with 0
    says "by 30.0 % of the callers"
}

@test "what is missing is said, and what supplies it" {
    lockstep whatif tests/cli/golden/control-quiet.json --attempts 2
    ended_with 3
    complained "nothing was refused"
    small_log | sed 's/10\.0\.0\.[0-9]*/10.0.0.1/' | "$LOCKSTEP" analyze -q -f json >"$BATS_TEST_TMPDIR/nat.json"
    lockstep whatif "$BATS_TEST_TMPDIR/nat.json" --attempts 2
    ended_with 3
    lockstep whatif tests/cli/golden/openai-requeue.json
    ended_with 2
    complained "nothing is changed"
    lockstep whatif tests/cli/golden/openai-requeue.json --attempts 2 --population nobody
    ended_with 2
    complained "no population is called 'nobody'"
    lockstep whatif --attempts 2
    ended_with 2
    complained "whatif takes one report"
}

@test "a share of the callers changes, and the rest are the others: nobody is there twice" {
    lockstep whatif tests/cli/golden/openai-requeue.json --attempts 3 --share 0.5 --runs 3 --format json
    ended_with 0
    [ "$(jq -c '[.before.tasks_served, .after.tasks_served] | map([.mean, .error])' "$OUT")" = '[[150,0],[150,0]]' ]
}

@test "a report that counts its tasks in two ways is refused" {
    for change in '.workload.populations[0].tasks += 5' '.workload.start = null' '.workload.bin_s = 1e-9' \
        '.workload.bin_s = 1e300'; do
        jq "$change" tests/cli/golden/openai-requeue.json >"$BATS_TEST_TMPDIR/bad.json"
        lockstep whatif "$BATS_TEST_TMPDIR/bad.json" --attempts 2
        ended_with 3
        complained "the report is damaged: 'workload."
        complained "analyze the log again"
    done
}

@test "each advice stands with what the simulator makes of it" {
    lockstep analyze -q "$INCIDENT"
    says "bound-concurrency (6 requests in flight)"
    says "Simulated (--concurrency 6): requests"
    lockstep analyze -q -f json "$INCIDENT"
    [ "$(value advice.0.expected.simulated)" = '"--concurrency 6"' ]
    for format in html markdown; do
        lockstep analyze -q -f "$format" "$INCIDENT"
        says "concurrency 6): requests "
        says ", drained in "
        says ", lost "
    done
}

@test "what a report says of the others is checked, and an older one's is all of them" {
    local report=tests/cli/golden/openai-requeue.json bad="$BATS_TEST_TMPDIR/bad.json"
    local rate='{"per_s": 5, "bucket": 3, "refused_cost": 0.3, "debt": 4}'

    for change in '.workload.waves_from_s = 1e300' '.workload.waves_from_s = -5' \
        ".workload.waves_from_s = null | .workload.request_rate = $rate" \
        ".workload.request_rate = $rate | .workload.request_rate.per_s = null" \
        ".workload.request_rate = $rate | .workload.request_rate.bucket = null" \
        ".workload.request_rate = $rate | .workload.request_rate.refused_cost = -1"; do
        jq "$change" "$report" >"$bad"
        lockstep whatif "$bad" --attempts 2
        ended_with 3
        complained "the report is damaged: 'workload."
    done
    jq "del(.workload.waves_from_s, .workload.request_rate, .workload.populations[].later_attempts,
            .workload.populations[].later_failed)" "$report" >"$bad"
    lockstep whatif "$bad" --attempts 2 --population openai --runs 2 --format json
    ended_with 0
    [ "$(jq '.observed.bystander_requests' "$OUT")" = \
        "$(jq '[.workload.populations[] | select(.population == null) | .attempts] | add' "$report")" ]
    jq 'del(.workload.populations[].later_attempts, .workload.populations[].later_failed)' "$report" >"$bad"
    lockstep whatif "$bad" --attempts 2 --population openai --runs 2 --format json
    [ "$(jq -c '[.observed.bystander_requests, .observed.bystanders_rejected_share]' "$OUT")" = '[null,null]' ]
}

@test "the others are counted by whole bins, simulated as in the log" {
    local report=tests/cli/golden/openai-requeue.json at

    for at in 0.2 0.7 1; do
        jq ".workload.waves_from_s = (24 + $at) * .workload.bin_s" "$report" >"$BATS_TEST_TMPDIR/at.json"
        lockstep whatif "$BATS_TEST_TMPDIR/at.json" --attempts 2 --population openai --runs 3 --format json
        ended_with 0
        jq -e '.before.bystander_requests.mean > 0' "$OUT"
        jq -c '.before.bystander_requests' "$OUT" >>"$BATS_TEST_TMPDIR/others"
    done
    [ "$(sort -u "$BATS_TEST_TMPDIR/others" | wc -l)" = 1 ]
}

@test "refusals of the others that the simulation does not reproduce are told" {
    local bad="$BATS_TEST_TMPDIR/bad.json"

    jq '.workload.populations[] |= if .population == null then .later_failed = .later_attempts else . end' \
        tests/cli/golden/openai-requeue.json >"$bad"
    lockstep whatif "$bad" --attempts 2 --population openai --runs 3
    ended_with 0
    says "The simulation does not reproduce their refusals"
    never grep -q "stay as they were" "$OUT"
    lockstep whatif "$bad" --attempts 2 --population openai --runs 3 --format json
    [ "$(value resembles)" = false ]
}

load helper

# A fan-out that begins in one second gives every caller the same whole seconds: 2, 3, 10 and 27 are 1, 3, 9 and 27.
@test "tripling without jitter at whole seconds is no draw that all callers share" {
    log="$BATS_TEST_TMPDIR/tripling.log"
    for rtt in 0.2 0.4 0.6 0.7; do
        lockstep simulate outage --policy exponential:base=1,factor=3 --callers 300 --rtt "$rtt" --emit-log "$log"
        ended_with 0
        lockstep analyze -f json "$log"
        ended_with 0
        [[ "$(value policies.0.flags)" != *identical-draws* ]]
        [ "$(value policies.0.policy)" != '"full-jitter"' ]
    done
}

# retries FIRST-NUMBERS DELAYS: 60 callers whose calls fail until they have waited all the delays, and bystanders
# whose requests are served; the numbers of the attempts are as said, the last one for all that follow.
retries() {
    awk -v numbers="$1" -v delays="$2" '
    function say(t, ip, status, id, no) {
        printf "%.3f\t%s - - [%s +0000] \"POST /v1/x HTTP/1.1\" %d 10 \"-\" \"okhttp/4.12.0\" 0.020 %.3f \"r%d\" \"%s\" \"attempt=%d\" \"-\"\n",
            t, ip, sprintf("01/Sep/2026:%02d:%02d:%02d", t / 3600, t % 3600 / 60, t % 60), status, 1788220800 + t, ++lines, id, no
    }
    BEGIN {
        n = split(delays, d, " "); m = split(numbers, no, " ")
        for (c = 0; c < 60; c++) {
            t = 30 + (c * 37 % 100) / 50; id = sprintf("%08x-aaaa-7000-8000-%012x", c, c)
            for (k = 1; k <= n; k++) {
                say(t, "10.0.0." c, 503, id, no[k < m ? k : m]); t += 0.02 + d[k] + (c * 13 % 10) / 1000
            }
            say(t, "10.0.0." c, 200, id, no[n + 1 < m ? n + 1 : m])
        }
        for (i = 0; i < 900; i++) say(i * 0.3, "192.168.0." i % 90, 200, sprintf("b%031x", i), 1)
    }' | sort -n | cut -f2-
}

flags_of() {
    "$LOCKSTEP" analyze -q -f json "$1" | jq -c '.policies[0] | [.policy, .flags]'
}

@test "an attempt counter that does not grow, or that begins anew, is flagged, and its policy is still read" {
    log="$BATS_TEST_TMPDIR/counter.log"
    retries 1 "1 2 4 8 16 16" >"$log"
    [ "$(flags_of "$log")" = '["exponential",["deterministic-backoff","attempt-counter-reset"]]' ] ||
        [ "$(flags_of "$log")" = '["exponential",["cap-binding","deterministic-backoff","attempt-counter-reset"]]' ]
    retries "1 2 3 4 5 6 7 8" "1 2 4 1 2 4 1" >"$log"
    [ "$(flags_of "$log")" = '["exponential",["deterministic-backoff","attempt-counter-reset"]]' ]
    lockstep analyze -q "$log"
    says "2 times longer each time"
    says "attempt-counter-reset"
    says "fix-backoff"
}

@test "a counter that grows, a cap, a fall to nothing and a proxy's own tries are no counter that begins anew" {
    log="$BATS_TEST_TMPDIR/counter.log"
    retries "1 2 3 4 5 6 7 8" "1 2 4 8 16 32 64" >"$log"
    [[ "$(flags_of "$log")" != *attempt-counter-reset* ]]
    retries "1 2 3 4 5 6 7 8" "1 2 4 4 4 4 4" >"$log"
    [[ "$(flags_of "$log")" != *attempt-counter-reset* ]]
    retries "1 2 3 4 5 6 7 8" "1 2 4 8 0 0 0" >"$log"
    [[ "$(flags_of "$log")" = *regime-change* && "$(flags_of "$log")" != *attempt-counter-reset* ]]
    retries "1 1 2 2 3 3 4 4" "0.1 2 0.1 4 0.1 8 0.1" >"$log"
    [[ "$(flags_of "$log")" != *attempt-counter-reset* ]]
}

@test "callers whose failures are not tried again have the policy none, and callers that retry have not" {
    log="$BATS_TEST_TMPDIR/none.log"
    retries 1 "" | awk '{ if (NR % 10 == 0) sub(/ 200 /, " 503 "); print }' >"$log"
    lockstep analyze -q -f json "$log"
    [ "$(jq -c '.policies | map([.policy, .comebacks, .max_attempts])' "$OUT")" = '[["none",0,1]]' ]
    lockstep analyze -q "$log"
    says "none: what failed was not tried again"
    retries "1 2 3" "1 2" >"$log"
    lockstep analyze -q -f json "$log"
    [ "$(jq '.policies | map(select(.policy == "none")) | length' "$OUT")" = 0 ]
}

@test "callers of whom little was seen come back when they were told, or are not said to" {
    lockstep analyze -q -f json testdata/incidents/sdk-retries-5s.json.log.gz
    ended_with 0
    obeyed=$(jq -r '.policies[] | select(.policy == "retry-after-exact") | .population[0:9]' "$OUT" | sort | tr '\n' ,)
    for agent in "Anthropic" "aws-sdk-j" "got (http" "node" "OpenAI/JS"; do
        [[ "$obeyed" == *"$agent"* ]]
    done
    [[ "$obeyed" != *Stripe* ]]
    [ "$(jq -c '.policies[] | select(.population[0:6] == "Stripe") | .flags' "$OUT")" = '["ignores-retry-after"]' ]
}

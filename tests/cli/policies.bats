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

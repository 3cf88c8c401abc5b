#!/usr/bin/env bats
# -j N: threads change nothing but the time.

load helper

@test "the same report whatever -j, of every bundled log, as a file and as a pipe" {
    for log in testdata/incidents/* testdata/input/*.gz testdata/input/*.log; do
        "$LOCKSTEP" analyze --format json -j1 "$log" >"$BATS_TEST_TMPDIR/one" 2>"$BATS_TEST_TMPDIR/one.err" || :
        "$LOCKSTEP" analyze --format json -j4 "$log" >"$BATS_TEST_TMPDIR/four" 2>"$BATS_TEST_TMPDIR/four.err" || :
        cmp "$BATS_TEST_TMPDIR/one" "$BATS_TEST_TMPDIR/four"
        cmp "$BATS_TEST_TMPDIR/one.err" "$BATS_TEST_TMPDIR/four.err"
    done
    for n in 1 2 3; do
        "$LOCKSTEP" analyze --format json -j$n - <"$log" >"$BATS_TEST_TMPDIR/pipe.$n" 2>&1 || :
        cmp "$BATS_TEST_TMPDIR/pipe.1" "$BATS_TEST_TMPDIR/pipe.$n"
    done
}

@test "-j of several inputs, and with what is numbered in step" {
    local logs="testdata/incidents/seed-requeue-60s.log.gz testdata/input/piece-1.log.gz"

    for n in 1 2 8; do
        # shellcheck disable=SC2086 # paths are words
        "$LOCKSTEP" analyze --format json -j$n $logs >"$BATS_TEST_TMPDIR/$n" 2>&1 || :
        "$LOCKSTEP" analyze --format json --by caller --layer flow=nowhere -j $n ${logs%% *} >>"$BATS_TEST_TMPDIR/$n" 2>&1
        cmp "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/$n"
    done
}

@test "-j 0 and -j x are errors" {
    for n in 0 x -1; do
        lockstep analyze -j $n testdata/incidents/seed-requeue-60s.log.gz
        ended_with 2
    done
}

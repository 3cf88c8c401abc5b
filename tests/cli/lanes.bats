#!/usr/bin/env bats
# Several inputs read by several threads: how they were read shows nowhere.  TSan runs these as well.

load helper

# same_for_every_n OPTION… FILE… — report, messages and status with -j 1 and each of $JOBS
same_for_every_n() {
    local n status

    for n in 1 ${JOBS:-3}; do
        status=0
        "$LOCKSTEP" analyze --format json "-j$n" "$@" >"$BATS_TEST_TMPDIR/out.$n" 2>"$BATS_TEST_TMPDIR/err.$n" || status=$?
        echo "status $status" >>"$BATS_TEST_TMPDIR/err.$n"
        cmp "$BATS_TEST_TMPDIR/out.1" "$BATS_TEST_TMPDIR/out.$n"
        cmp "$BATS_TEST_TMPDIR/err.1" "$BATS_TEST_TMPDIR/err.$n"
    done
}

# Lines of one log, in turns, to files that overlap, in $PARTS; packed or not, cut, damaged.
spread() {
    PARTS=$BATS_TEST_TMPDIR/parts
    mkdir "$PARTS"
    zcat testdata/incidents/openai-requeue-20s.ext.log.gz | awk -v to="$PARTS/part" '{ print >(to NR % 5 ".log") }'
    gzip "$PARTS"/part[12].log
    head -c 9000 "$PARTS/part1.log.gz" >"$PARTS/cut.log.gz"
    {
        head -c 5000 "$PARTS/part2.log.gz"
        printf damaged
        tail -c +5008 "$PARTS/part2.log.gz"
    } >"$PARTS/damaged.log.gz"
    {
        head -c 70000 "$PARTS/part3.log"
        echo nonsense
    } >"$PARTS/nonsense.log"
    rm "$PARTS"/part[123].*
}

@test "the same whatever -j of files that overlap, cut and damaged ones among them" {
    spread
    JOBS="2 3 8" same_for_every_n "$PARTS"
    grep -q cut.log.gz "$BATS_TEST_TMPDIR/err.8"
    grep -q damaged.log.gz "$BATS_TEST_TMPDIR/err.8"
    same_for_every_n --strict --match status=429 --memory 32M "$PARTS"
    same_for_every_n --by target --layer 'flow=column 17' "$PARTS"
    grep -q '"flow"' "$BATS_TEST_TMPDIR/out.3"
    same_for_every_n "$PARTS" testdata/input no-such-file
    same_for_every_n --rejects "$BATS_TEST_TMPDIR/rejects" "$PARTS"
    grep -q nonsense "$BATS_TEST_TMPDIR/rejects"
}

@test "the same whatever -j of many files, and more than are listed, one after the other" {
    mkdir "$BATS_TEST_TMPDIR/day"
    zcat testdata/incidents/openai-requeue-20s.combined.log.gz | split -l 20 -a 3 - "$BATS_TEST_TMPDIR/day/"
    [ -e "$BATS_TEST_TMPDIR/day/adz" ] # over 100
    JOBS="2 8" same_for_every_n --memory 32M "$BATS_TEST_TMPDIR/day"
    same_for_every_n "$BATS_TEST_TMPDIR/day"
}

@test "-j of a pipe beside files" {
    spread
    for n in 1 3; do
        zcat testdata/incidents/openai-requeue-20s.ext.log.gz |
            "$LOCKSTEP" analyze --format json -j$n - "$PARTS" >"$BATS_TEST_TMPDIR/out.$n" 2>&1 || :
        cmp "$BATS_TEST_TMPDIR/out.1" "$BATS_TEST_TMPDIR/out.$n"
    done
}

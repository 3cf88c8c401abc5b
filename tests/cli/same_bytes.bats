#!/usr/bin/env bats
# One log, however it comes, gives the same bytes: a file, a pipe, gunzipped, cut in two and given the
# wrong way round.

load helper

report() {
    "$LOCKSTEP" analyze --quiet --format json "$@" |
        jq -S 'del(.input.files, .input.rejected_samples)'
}

same_however_it_comes() {
    local log=$1 plain="$BATS_TEST_TMPDIR/plain.log" lines
    gzip -dc "$log" >"$plain"
    lines=$(wc -l <"$plain")
    head -n $((lines / 3)) "$plain" >"$BATS_TEST_TMPDIR/z-first.log"
    tail -n +$((lines / 3 + 1)) "$plain" | gzip >"$BATS_TEST_TMPDIR/a-second.log.gz"

    report "$log" >"$BATS_TEST_TMPDIR/file"
    [ -s "$BATS_TEST_TMPDIR/file" ]
    report - <"$log" >"$BATS_TEST_TMPDIR/redirected"
    cat "$log" | report >"$BATS_TEST_TMPDIR/pipe"
    report "$plain" >"$BATS_TEST_TMPDIR/gunzipped"
    report "$BATS_TEST_TMPDIR/a-second.log.gz" "$BATS_TEST_TMPDIR/z-first.log" \
        >"$BATS_TEST_TMPDIR/pieces"
    for way in redirected pipe gunzipped pieces; do
        cmp "$BATS_TEST_TMPDIR/file" "$BATS_TEST_TMPDIR/$way"
    done
}

@test "combined, whole seconds: the same bytes however it comes" {
    same_however_it_comes testdata/incidents/seed-requeue-60s.log.gz
}

@test "combined with further columns: the same bytes however it comes" {
    same_however_it_comes testdata/incidents/openai-requeue-20s.ext.log.gz
}

@test "JSON lines: the same bytes however it comes" {
    same_however_it_comes testdata/incidents/seed-small-ids.log.gz
    same_however_it_comes testdata/quiet/control-quiet.json.log.gz
}

@test "two runs on one file: the same bytes, whatever the tables' key" {
    "$LOCKSTEP" analyze --format json testdata/incidents/seed-small-ids.log.gz >"$BATS_TEST_TMPDIR/1"
    "$LOCKSTEP" analyze --format json testdata/incidents/seed-small-ids.log.gz >"$BATS_TEST_TMPDIR/2"
    cmp "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/2"
}

load helper

# same LOG [OPTION...] — every format of the saved report is the direct one, byte for byte
same() {
    local format width
    "$LOCKSTEP" analyze -q -f json "$@" >"$BATS_TEST_TMPDIR/saved.json" || [ $? -eq 3 ]
    for format in text json html markdown csv; do
        "$LOCKSTEP" analyze -q -f "$format" "$@" >"$BATS_TEST_TMPDIR/direct" || [ $? -eq 3 ]
        lockstep render -f "$format" "$BATS_TEST_TMPDIR/saved.json"
        ended_with 0
        silent
        cmp "$BATS_TEST_TMPDIR/direct" "$OUT"
    done
}

@test "a saved report renders as the direct one: an incident" {
    same testdata/incidents/openai-requeue-20s.ext.log.gz
}

@test "a saved report renders as the direct one: ids and the callers' own log" {
    same --sdk-log testdata/incidents/seed-small-ids.sdk.jsonl.gz testdata/incidents/seed-small-ids.log.gz
}

@test "a saved report renders as the direct one: quiet, empty, damaged and hostile logs" {
    same testdata/quiet/cron-60s.log.gz
    same /dev/null
    local i
    for i in $(seq 10 60); do
        printf '10.0.0.%d - - [15/Jul/2025:12:00:05 +0000] "GET /\\x22<b>\033[2J\342\200\256 HTTP/1.1" 429 12 "-" "=\\x0d`|%%s\377"\n' "$i"
        printf '10.0.0.%d - - [15/Jul/2025:12:00:25 +0000] "GET /\\x22<b>\033[2J\342\200\256 HTTP/1.1" 429 12 "-" "=\\x0d`|%%s\377"\n' "$i"
        printf '10.0.0.%d - - [15/Jul/2025:12:00:45 +0000] "GET /\\x22<b>\033[2J\342\200\256 HTTP/1.1" 429 12 "-" "=\\x0d`|%%s\377"\nrubbish \033 \001\n' "$i"
    done >"$BATS_TEST_TMPDIR/log"
    same "$BATS_TEST_TMPDIR/log"
}

@test "a report comes from a pipe as well" {
    small_log | "$LOCKSTEP" analyze -f json >"$BATS_TEST_TMPDIR/a.json"
    lockstep render "$BATS_TEST_TMPDIR/a.json"
    cp "$OUT" "$BATS_TEST_TMPDIR/file"
    "$LOCKSTEP" render <"$BATS_TEST_TMPDIR/a.json" >"$BATS_TEST_TMPDIR/pipe"
    cmp "$BATS_TEST_TMPDIR/file" "$BATS_TEST_TMPDIR/pipe"
}

@test "what is no report, damaged, of another schema or hostile is refused in one line" {
    small_log | "$LOCKSTEP" analyze -f json >"$BATS_TEST_TMPDIR/good.json"
    refused() {
        lockstep render "$BATS_TEST_TMPDIR/bad.json"
        ended_with 3
        complained "$1"
        [ ! -s "$OUT" ]
    }
    head -c 3000 "$BATS_TEST_TMPDIR/good.json" >"$BATS_TEST_TMPDIR/bad.json"
    refused "the JSON is damaged"
    echo '{}' >"$BATS_TEST_TMPDIR/bad.json"
    refused "it names no schema"
    echo '[1]' >"$BATS_TEST_TMPDIR/bad.json"
    refused "it names no schema"
    : >"$BATS_TEST_TMPDIR/bad.json"
    refused "the JSON is damaged"
    sed 's|lockstep.report/1|lockstep.report/2|' "$BATS_TEST_TMPDIR/good.json" >"$BATS_TEST_TMPDIR/bad.json"
    refused "another schema than lockstep.report/1"
    sed 's|"attempts": [0-9]*|"attempts": -5|' "$BATS_TEST_TMPDIR/good.json" >"$BATS_TEST_TMPDIR/bad.json"
    refused "'attempts' is not a count"
    sed 's|"clocks": \[|"clocks": 7, "x": [|' "$BATS_TEST_TMPDIR/good.json" >"$BATS_TEST_TMPDIR/bad.json"
    refused "'clocks' is not an array"
    sed 's|"all": \[|"all": [1, |' "$BATS_TEST_TMPDIR/good.json" >"$BATS_TEST_TMPDIR/bad.json"
    refused "is not as long as the array beside it"
    printf '%0100000d' 0 | tr 0 '[' >"$BATS_TEST_TMPDIR/bad.json"
    refused "the JSON is damaged"
    lockstep render "$BATS_TEST_TMPDIR/none.json"
    ended_with 3
    complained "cannot open"
}

@test "render takes one report" {
    lockstep render a.json b.json
    ended_with 2
    complained "render takes one report, but was given 'b.json' as well"
}

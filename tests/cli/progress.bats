#!/usr/bin/env bats
# The progress line, and what an interrupt leaves.

load helper

# A log that goes on for ever, as far as the reader can know: its pipe stays open.
open_pipe() {
    mkfifo "$BATS_TEST_TMPDIR/pipe"
    small_log >"$BATS_TEST_TMPDIR/log"
    { cat "$BATS_TEST_TMPDIR/log"; exec sleep 60; } >"$BATS_TEST_TMPDIR/pipe" 3>&- &
    writer=$!
}

# until CONDITION... — at most ten seconds
# The process takes SIGINT (bit 1) now.
takes_interrupts() {
    [ $((0x$(awk '/^SigCgt/ { print substr($2, 9) }' "/proc/$1/status") & 2)) -ne 0 ]
}

# interrupted SIGNAL ARGUMENT... — reads the pipe until the signal
interrupted() {
    local signal=$1
    shift
    open_pipe
    "$LOCKSTEP" "$@" "$BATS_TEST_TMPDIR/pipe" >"$OUT" 2>"$ERR" 3>&- &
    reader=$!
    until_true "takes_interrupts $reader"
    sleep 0.3
    kill "-$signal" "$reader"
    status=0
    wait "$reader" || status=$?
    kill "$writer"
}

@test "an interrupt gives the report of what was read, marked partial" {
    interrupted INT analyze --format json
    ended_with 130
    complained "interrupted: the report covers what was read so far"
    [ "$(value input.partial)" = true ]
    [ "$(value verdict.exit_status)" = 130 ]
    [ "$(value input.lines.total)" -le 400 ]
}

@test "text, HTML and Markdown say that they are partial" {
    interrupted INT analyze -q --format json
    silent
    cp "$OUT" "$BATS_TEST_TMPDIR/partial.json"
    for format in text html markdown; do
        lockstep render --format $format "$BATS_TEST_TMPDIR/partial.json"
        grep -qi 'interrupted' "$OUT"
    done
}

@test "a termination leaves nothing behind" {
    interrupted TERM analyze --output "$BATS_TEST_TMPDIR/made.txt"
    ended_with 143
    complained "terminated: nothing is reported"
    [ ! -s "$OUT" ]
    [ -z "$(find "$BATS_TEST_TMPDIR" -name 'made.txt*')" ]
}

@test "progress is drawn where it is asked for, and erased" {
    open_pipe
    "$LOCKSTEP" analyze --progress always "$BATS_TEST_TMPDIR/pipe" >"$OUT" 2>"$ERR" 3>&- &
    reader=$!
    until_true "grep -q 'lines/s' '$ERR'"
    kill "$writer" # the pipe ends
    wait "$reader"
    [ "$(tr '\r' '\n' <"$ERR" | tail -n 1 | tr -d ' ')" = "" ]
    grep -qE 'lines  [0-9.kM]+ lines/s  [0-9.kM]+B/s' "$ERR"
}

@test "no progress where nobody looks" {
    lockstep analyze testdata/incidents/seed-requeue-60s.log.gz
    ended_with 0
    silent
    lockstep analyze --progress sometimes testdata/incidents/seed-requeue-60s.log.gz
    ended_with 2
    complained "--progress: 'sometimes' is not auto, always or never"
    lockstep simulate outage --progress perhaps
    ended_with 2
    complained "--progress: 'perhaps'"
}

# terminal TERM COMMAND... — on a terminal of that kind, both streams to $OUT
terminal() {
    local kind=$1
    shift
    TERM=$kind script -qec "$*" /dev/null >"$OUT" </dev/null
}

@test "a dumb terminal, a terminal of no kind and an unknown locale are no trouble" {
    command -v script >/dev/null || skip "script is not installed"
    open_pipe
    for kind in dumb nobody-knows ''; do
        LC_ALL=xx_YY.nothing terminal "$kind" "$LOCKSTEP analyze -q testdata/incidents/seed-small-ids.log.gz"
        grep -q 'Two error rates' "$OUT"
        [ "$kind" = nobody-knows ] || never grep -q "$(printf '\033')" "$OUT"
    done
    # no line of progress where it could not be erased: a second and a half of reading
    { cat "$BATS_TEST_TMPDIR/log"; sleep 1.2; } |
        terminal dumb "$LOCKSTEP analyze $BATS_TEST_TMPDIR/pipe & sleep 1; kill $writer; wait"
    never grep -q 'lines/s' "$OUT"
}

@test "a folder that cannot be written to is told, with what was asked for" {
    lockstep analyze -q -o /proc/report.html -f html testdata/incidents/seed-small-ids.log.gz
    ended_with 4
    complained "cannot write '/proc/report.html'"
    lockstep analyze -q --rejects /proc/rejects testdata/incidents/seed-small-ids.log.gz
    [ "$status" -ge 3 ]
    complained "/proc/rejects"
    lockstep simulate outage --runs 1 -o /proc/table.txt
    ended_with 4
    complained "cannot write '/proc/table.txt'"
}

@test "every command tells a full disk and forgives a closed pipe" {
    "$LOCKSTEP" analyze -q -f json testdata/incidents/seed-small-ids.log.gz >"$BATS_TEST_TMPDIR/r.json"
    while read -r arguments; do
        echo "$arguments"
        status=0
        eval "\"$LOCKSTEP\" $arguments" >/dev/full 2>"$ERR" || status=$?
        ended_with 4
        complained "No space left on device"
        eval "\"$LOCKSTEP\" $arguments" 2>"$ERR" | true
        silent
    done <<ROWS
--help
--version
help clocks
formats
formats --explain testdata/incidents/seed-small-ids.log.gz
plan --callers 400 --allowance 67
schema
completion bash
render -f markdown '$BATS_TEST_TMPDIR/r.json'
diff '$BATS_TEST_TMPDIR/r.json' '$BATS_TEST_TMPDIR/r.json'
analyze testdata/incidents/seed-small-ids.log.gz
ROWS
}

#!/usr/bin/env bats
# A log that is being written: alerts, rotation, programs run, ends.

load helper

STORM=testdata/incidents/seed-requeue-60s.log.gz
SCHEDULE=testdata/quiet/cron-60s.log.gz

# events NAME — of the JSON lines in $OUT
events() {
    jq -c "select(.event == \"$1\")" "$OUT"
}

# herd PERIOD WAVES CALLERS [STATUS] — a background, and callers that are refused together and all come
# back PERIOD s after a refusal; with STATUS 200, a schedule; then a quarter of an hour of background
herd() {
    python3 - "$@" <<'PY'
import sys, time, random
period, waves, callers = (int(x) for x in sys.argv[1:4])
status = sys.argv[4] if len(sys.argv) > 4 else "429"
random.seed(7)
start, rows = 1752580800, []
for t in range(0, 600 + waves * period + 900):
    for _ in range(random.choice((1, 2, 3))):
        rows.append((t, "10.9.%d.%d" % (random.randrange(40), random.randrange(250)), 200, "web/2"))
for k in range(waves):
    for c in range(callers):
        rows.append((600 + k * period + random.choice((0, 0, 1)) * (period > 20), "10.1.0.%d" % c, status, "batch/1"))
rows.sort(key=lambda r: r[0])
for t, who, code, agent in rows:
    stamp = time.strftime("%d/%b/%Y:%H:%M:%S +0000", time.gmtime(start + t))
    print('%s - - [%s] "POST /v1/jobs HTTP/1.1" %s 12 "-" "%s"' % (who, stamp, code, agent))
PY
}

@test "a retry clock is told of once, and once when it has faded" {
    herd 60 8 40 >"$BATS_TEST_TMPDIR/log"
    "$LOCKSTEP" watch --json <"$BATS_TEST_TMPDIR/log" >"$OUT"
    [ "$(events clock | wc -l)" -eq 1 ]
    [ "$(events fade | wc -l)" -eq 1 ]
    # the evidence suffices with the second or third wave, at 12:11 or 12:12; two periods more at most
    [ "$(events clock | jq -r .kind)" = retry ]
    [[ "$(events clock | jq -r .at)" < 2025-07-15T12:14:05 ]]
    [ "$(events clock | jq '.period_s | . > 58 and . < 62')" = true ]
    [ "$(events clock | jq -r .population)" = batch/1 ]
    [ "$(events clock | jq -r '.since[0:16]')" = 2025-07-15T12:11 ] || [ "$(events clock | jq -r '.since[0:16]')" = 2025-07-15T12:10 ]
    [ "$(events clock | jq '.clocks[0].candidates | length > 0')" = true ]
    # the last wave comes at 12:17
    [[ "$(events fade | jq -r .at)" < 2025-07-15T12:22 ]]
    [ "$(events fade | jq '.waves >= 7')" = true ]
    # and a line for every minute of the log
    [ "$(events minute | wc -l)" -ge 32 ]
    [ "$(events minute | jq -s 'map(.attempts) | add')" -eq "$(wc -l <"$BATS_TEST_TMPDIR/log")" ]
    [ "$(tail -n 1 "$OUT" | jq -r .event)" = end ]
}

# paced LOG TO SECONDS — LOG's lines written to TO in the order and rhythm of their stamps, within SECONDS
paced() {
    python3 - "$@" 3>&- <<'PY'
import itertools, sys, time
source, target, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
moments = [(stamp, "".join(lines)) for stamp, lines in
           itertools.groupby(open(source), lambda line: line.split("[")[1].split("]")[0])]
with open(target, "a") as out:
    for _, lines in moments:
        out.write(lines)
        out.flush()
        time.sleep(seconds / len(moments))
PY
}

@test "a simulated storm is told of while it is being written, within two periods of its third wave" {
    log=$BATS_TEST_TMPDIR/access.log
    "$LOCKSTEP" simulate saturation -q --tasks 300 --allowance 1000000/min --queue-attempts 8 --service 150ms \
        --refusal 5ms --interactive 2 --policy immediate:attempts=3 --leave 0.2 --emit-log "$BATS_TEST_TMPDIR/storm"
    : >"$log"
    "$LOCKSTEP" watch --json "$log" >"$OUT" 2>"$ERR" 3>&- &
    watcher=$!
    sleep 0.3
    # five minutes in a few seconds; the storm's first four minutes, and nothing after them
    grep -v ' \[01/Jan/2026:00:0[4-9]' "$BATS_TEST_TMPDIR/storm" >"$BATS_TEST_TMPDIR/first"
    paced "$BATS_TEST_TMPDIR/first" "$log" 3
    until_true "grep -q '\"event\":\"clock\"' '$OUT'"
    kill -INT "$watcher"
    status=0
    wait "$watcher" || status=$?
    ended_with 130
    silent
    [ "$(events clock | wc -l)" -eq 1 ]
    [ "$(events clock | jq '.period_s | . > 59 and . < 61.5')" = true ]
    [[ "$(events clock | jq -r .at)" < 2026-01-01T00:04 ]]
}

@test "a schedule is never told of as a retry" {
    herd 60 12 40 200 >"$BATS_TEST_TMPDIR/log"
    "$LOCKSTEP" watch --json <"$BATS_TEST_TMPDIR/log" >"$OUT"
    [ "$(events clock | wc -l)" -eq 0 ]
    zcat "$SCHEDULE" | "$LOCKSTEP" watch --json >"$OUT"
    [ "$(events clock | wc -l)" -eq 0 ]
    [ "$(events minute | jq -s 'map(.schedules_s | length) | max')" -ge 1 ]
}

@test "late lines and lines of a wrong clock change nothing" {
    herd 60 8 40 >"$BATS_TEST_TMPDIR/log"
    "$LOCKSTEP" watch --json -q <"$BATS_TEST_TMPDIR/log" | jq -r '"\(.event) \(.period_s) \(.since)"' >"$BATS_TEST_TMPDIR/want"
    # every tenth line comes thirty lines later; a stamp of next year in between
    awk '{ if (NR % 10 == 0) held[NR + 30] = $0; else print; if (NR in held) print held[NR] }
         NR == 1500 { sub(/2025/, "2026"); print }' "$BATS_TEST_TMPDIR/log" |
        "$LOCKSTEP" watch --json -q | jq -r '"\(.event) \(.period_s) \(.since)"' >"$OUT"
    [ "$(cut -d' ' -f1 "$OUT")" = "$(cut -d' ' -f1 "$BATS_TEST_TMPDIR/want")" ]
    [ "$(wc -l <"$OUT")" -eq 2 ]
}

@test "rotation by rename and by copytruncate loses no line" {
    log=$BATS_TEST_TMPDIR/access.log
    "$LOCKSTEP" watch --json --from-start "$log" >"$OUT" 2>"$ERR" 3>&- &
    watcher=$!
    until_true "grep -q 'is not there' '$OUT'"
    python3 tests/cli/watch_writer.py "$log" 12000 3>&-
    want=$(cat "$log" "$log".* | wc -l)
    [ "$want" -eq 12000 ]
    until_true "[ \"\$(jq -s 'map(select(.event == \"note\")) | length' '$OUT')\" -ge 4 ]"
    sleep 0.5
    kill -INT "$watcher"
    status=0
    wait "$watcher" || status=$?
    ended_with 130
    silent
    [ "$(events end | jq .lines)" -eq 12000 ]
    [ "$(events end | jq .unread)" -eq 0 ]
    [ "$(events note | jq -r .message | grep -c renamed)" -eq 1 ]
    [ "$(events note | jq -r .message | grep -c 'read on from its copy')" -eq 2 ]
}

@test "a program is run on an alert: by a vector, with the alert as JSON and in its environment" {
    cat >"$BATS_TEST_TMPDIR/hook" <<'SH'
#!/bin/sh
{ echo "args: $*"; env | grep '^LOCKSTEP_' | sort; cat; } >"$OUTPUT.$LOCKSTEP_EVENT"
SH
    chmod +x "$BATS_TEST_TMPDIR/hook"
    herd 60 8 40 >"$BATS_TEST_TMPDIR/log"
    OUTPUT=$BATS_TEST_TMPDIR/told "$LOCKSTEP" watch -q --exec "$BATS_TEST_TMPDIR/hook" 'a b' '$(id)' \
        <"$BATS_TEST_TMPDIR/log" >"$OUT" 2>"$ERR"
    silent
    grep -qF 'args: a b $(id)' "$BATS_TEST_TMPDIR/told.clock"
    grep -qx 'LOCKSTEP_KIND=retry' "$BATS_TEST_TMPDIR/told.clock"
    grep -qE '^LOCKSTEP_PERIOD_S=(59|60)' "$BATS_TEST_TMPDIR/told.clock"
    tail -n 1 "$BATS_TEST_TMPDIR/told.clock" | jq -e '.event == "clock" and .schema == "lockstep.watch/1"'
    [ -s "$BATS_TEST_TMPDIR/told.fade" ]
}

@test "a program that hangs, fails or is not there stops nobody" {
    herd 60 8 40 >"$BATS_TEST_TMPDIR/log"
    "$LOCKSTEP" watch -q --exec false <"$BATS_TEST_TMPDIR/log" >"$OUT" 2>"$ERR"
    grep -q "'false' ended with status 1" "$ERR"
    [ "$(grep -c 'RETRY CLOCK' "$OUT")" -eq 1 ]
    # it is given two seconds at the end, and left to itself then
    SECONDS=0
    "$LOCKSTEP" watch -q --exec sleep 45 <"$BATS_TEST_TMPDIR/log" >"$OUT" 2>"$ERR" 3>&-
    [ "$SECONDS" -lt 40 ]
    [ "$(grep -c 'RETRY CLOCK' "$OUT")" -eq 1 ]
    lockstep watch "$BATS_TEST_TMPDIR/log" --exec no-such-program-here
    ended_with 2
    complained "there is no program 'no-such-program-here'"
    lockstep watch "$BATS_TEST_TMPDIR/log" --exec
    ended_with 2
    complained "needs a value"
}

# Whoever writes holds the pipe open and says nothing more.
@test "a pipe that is silent does not hold up an interrupt" {
    mkfifo "$BATS_TEST_TMPDIR/pipe"
    "$LOCKSTEP" watch --json <"$BATS_TEST_TMPDIR/pipe" >"$OUT" 2>"$ERR" 3>&- &
    watcher=$!
    exec 7>"$BATS_TEST_TMPDIR/pipe"
    zcat "$STORM" | head -n 50 >&7
    sleep 0.5
    kill -INT "$watcher"
    status=0
    wait "$watcher" || status=$?
    exec 7>&-
    ended_with 130
    [ "$(events end | jq .lines)" -eq 50 ]
}

# The work, not the time: how much of a second a process ran.
@test "a named pipe without a writer is waited for, not polled without end" {
    mkfifo "$BATS_TEST_TMPDIR/pipe"
    "$LOCKSTEP" watch "$BATS_TEST_TMPDIR/pipe" >"$OUT" 2>"$ERR" 3>&- &
    watcher=$!
    sleep 0.3
    zcat "$STORM" | head -n 50 >"$BATS_TEST_TMPDIR/pipe"
    sleep 1.5
    ticks=$(awk '{ print $14 + $15 }' "/proc/$watcher/stat")
    kill -INT "$watcher"
    wait "$watcher" || :
    [ "$ticks" -lt 60 ]
}

@test "stamps near 1970 and before it do no harm" {
    awk 'BEGIN { for (i = 0; i < 300; i++)
        printf "10.0.0.%d - - [%s] \"GET / HTTP/1.1\" %d 5 \"-\" \"a/1\"\n", i % 9,
            i < 2 ? "31/Dec/1969:23:59:50 +0000" : "01/Jan/1970:00:" (i < 60 ? "00" : "01") ":" sprintf("%02d", i % 60) " +0000",
            i % 3 ? 200 : 429 }' | "$LOCKSTEP" watch --json >"$OUT" 2>"$ERR"
    [ "$(events end | jq .lines)" -eq 300 ]
}

@test "what cannot be watched is refused" {
    lockstep watch --allowance 0 "$STORM"
    ended_with 2
    complained "not a rate above 0"
    lockstep watch "$STORM"
    ended_with 3
    complained "is compressed"
    lockstep watch .
    ended_with 3
    complained "cannot open '.'"
    lockstep watch --window 10s "$STORM"
    ended_with 2
    complained "--window: '10s' is not a time from 1m to 24h"
}

@test "a full disk is told, a reader that goes away is not" {
    small_log >"$BATS_TEST_TMPDIR/log"
    status=0
    "$LOCKSTEP" watch <"$BATS_TEST_TMPDIR/log" >/dev/full 2>"$ERR" || status=$?
    ended_with 4
    complained "cannot write standard output: No space left on device"
    "$LOCKSTEP" watch <"$BATS_TEST_TMPDIR/log" 2>"$ERR" | head -n 1 >"$OUT"
    silent
}

load helper

# agrees LOG [OPTION...] — the sums of the lines are those of the report
agrees() {
    lockstep attempts "$@"
    ended_with 0
    cp "$OUT" "$BATS_TEST_TMPDIR/lines"
    lockstep analyze -f json "$@"
    "$PYTHON" -c '
import json, sys
report = json.load(open(sys.argv[1]))
lines = [json.loads(l) for l in open(sys.argv[2])]
calls = {l["call"]: l["outcome"] for l in lines if l["call"]}
def sent(k): return sum(v == k for v in calls.values())
def rejected(*k): return sum(l["rejected"] and l["outcome"] in k for l in lines)
c, k = report["calls"], report["reconciliation"]
got = [len(lines), len(calls), sent("failed"), sent("recovered"), sent("open"), sent("succeeded"),
       len(lines) - len(calls), max(l["attempt"] for l in lines),
       rejected("recovered", "succeeded"), rejected("failed"), rejected("open"), rejected(None)]
want = [report["http"]["attempts"], c["total"], c["failed"], c["recovered"], c["open"], c["succeeded_first"],
        report["http"]["retries"], c["attempts_per_call"]["max"],
        k["in_recovered_calls"], k["in_failed_calls"], k["in_open_calls"], k["unattributed"]]
assert got == want, (got, want)
units = {}
for l in report["layers"]:
    units[l["name"]] = units.get(l["name"], 0) + l["attempts"] - l["units"]
for name in ("sdk", "job"):
    if name in units:
        assert sum(l["layer"] == name for l in lines) == units[name], (name, units)
starts = [l["start"] for l in lines]
assert starts == sorted(starts)
for l in lines:
    assert (l["comeback_s"] is None) == (l["layer"] in (None, "proxy")), l
    assert l["attempt"] == 1 or l["layer"] in ("sdk", "proxy"), l
assert len({l["task"] for l in lines}) <= len(calls)' "$OUT" "$BATS_TEST_TMPDIR/lines"
}

@test "attempts: the sums are those of the report: ids, inferred calls, two layers" {
    agrees -q testdata/incidents/seed-small-ids.log.gz
    agrees -q testdata/incidents/openai-requeue-20s.ext.log.gz
    agrees -q testdata/quiet/control-quiet.json.log.gz
}

@test "attempts: one line of JSON each, with call, number, layer and delay" {
    small_log >"$BATS_TEST_TMPDIR/log"
    lockstep attempts "$BATS_TEST_TMPDIR/log"
    ended_with 0
    silent
    [ "$(wc -l <"$OUT")" -eq 400 ]
    grep '"caller":"10.0.0.10"' "$OUT" | head -2 >"$BATS_TEST_TMPDIR/two"
    call=$(sed -n '1s/.*"call":"\([0-9a-f]\{16\}\)".*/\1/p' "$BATS_TEST_TMPDIR/two")
    [ "$(cat "$BATS_TEST_TMPDIR/two")" = '{"start":"2025-07-15T12:00:05.000Z","caller":"10.0.0.10","user_agent":"batch/1.0","method":"POST","host":null,"target":"/v1/jobs","status":429,"failed":true,"rejected":true,"duration_s":null,"retry_after_s":null,"task":"'"$call"'","call":"'"$call"'","attempt":1,"layer":null,"comeback_s":null,"outcome":"recovered"}
{"start":"2025-07-15T12:00:25.000Z","caller":"10.0.0.10","user_agent":"batch/1.0","method":"POST","host":null,"target":"/v1/jobs","status":200,"failed":false,"rejected":false,"duration_s":null,"retry_after_s":null,"task":"'"$call"'","call":"'"$call"'","attempt":2,"layer":"sdk","comeback_s":20,"outcome":"recovered"}' ]
}

@test "attempts: the same names whatever the order and number of files, and from a pipe" {
    small_log >"$BATS_TEST_TMPDIR/log"
    head -n 150 "$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/log.1"
    tail -n +151 "$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/log.0"
    lockstep attempts "$BATS_TEST_TMPDIR/log"
    cp "$OUT" "$BATS_TEST_TMPDIR/whole"
    lockstep attempts "$BATS_TEST_TMPDIR/log.0" "$BATS_TEST_TMPDIR/log.1"
    cmp "$BATS_TEST_TMPDIR/whole" "$OUT"
    "$LOCKSTEP" attempts - <"$BATS_TEST_TMPDIR/log" | cmp "$BATS_TEST_TMPDIR/whole"
}

@test "attempts: CSV has a head, one width, CRLF and no formula; JSON is JSON, whatever the log holds" {
    local i
    for i in $(seq 10 30); do
        printf '10.0.0.%d - - [15/Jul/2025:12:00:05 +0000] "GET =cmd|x,%d HTTP/1.1" 429 12 "-" "@SUM(\\"A1\\")\033[2J\342\200\256\342\200\250<b>\\\\"\n' "$i" "$i"
    done >"$BATS_TEST_TMPDIR/log"
    lockstep attempts -f csv "$BATS_TEST_TMPDIR/log"
    ended_with 0
    harmless 400
    never grep -qE '(^|,)"?[=+@]' "$OUT"
    "$PYTHON" -c '
import csv, sys
raw = open(sys.argv[1], "rb").read()
assert raw.count(b"\n") == raw.count(b"\r\n") == 22
rows = list(csv.reader(raw.decode().splitlines(), strict=True))
assert {len(r) for r in rows} == {17}, rows[0]
assert rows[1][5].startswith("\x27=cmd|x,1"), rows[1]' "$OUT"
    lockstep attempts "$BATS_TEST_TMPDIR/log"
    harmless 600
    "$PYTHON" -c '
import json, sys
lines = [json.loads(l) for l in open(sys.argv[1], "rb").read().split(b"\n") if l]
assert len(lines) == 21 and lines[0]["user_agent"].startswith("@SUM("), lines[0]' "$OUT"
}

@test "attempts: pseudonyms by a key hide the names, and need one" {
    small_log >"$BATS_TEST_TMPDIR/log"
    echo 'a key that nobody knows' >"$BATS_TEST_TMPDIR/key"
    lockstep attempts --redact all "$BATS_TEST_TMPDIR/log"
    ended_with 2
    complained "--redact needs --redact-key"
    lockstep attempts --redact all --redact-key "$BATS_TEST_TMPDIR/key" "$BATS_TEST_TMPDIR/log"
    ended_with 0
    never grep -qE '10\.0\.0|batch|/v1' "$OUT"
    [ "$(grep -o '"caller":"[^"]*"' "$OUT" | sort -u | wc -l)" -eq 40 ]
}

@test "attempts: a reader that leaves is no error, a full disk is, and so are missing and empty logs" {
    "$LOCKSTEP" attempts testdata/incidents/seed-small-ids.log.gz 2>"$ERR" | head -n 1 >"$OUT"
    [ "${PIPESTATUS[0]}" -eq 0 ]
    silent
    status=0
    "$LOCKSTEP" attempts testdata/incidents/seed-small-ids.log.gz >/dev/full 2>"$ERR" || status=$?
    [ "$status" -eq 4 ]
    complained "cannot write standard output"
    lockstep attempts -f csv /dev/null
    ended_with 3
    [ "$(wc -l <"$OUT")" -eq 1 ]
    lockstep attempts /nowhere.log
    ended_with 3
    complained "cannot open '/nowhere.log'"
    lockstep attempts -f xml testdata/quiet/cron-60s.log.gz
    ended_with 2
    complained "jsonl or csv, not as 'xml'"
}

load helper

REQUEUE=testdata/incidents/openai-requeue-20s.ext.log.gz
SEED=testdata/incidents/seed-requeue-60s.log.gz

# The counts of the values and of those without a row add up to those of the report.
adds_up() {
    "$PYTHON" -c '
import json, sys
r = json.load(open(sys.argv[1]))
by = r["by"]
parts = by["values"] + ([by["other"]] if by["other"] else [])
def check(what, want, got):
    assert want == got, (what, want, got)
for key in ("requests", "attempts", "errors", "client_errors", "client_gave_up", "rejected",
            "first_attempts", "retries"):
    check(key, r["http"][key], sum(p["http"][key] for p in parts))
for status, n in r["http"]["by_status"].items():
    check(status, n, sum(p["http"]["by_status"].get(status, 0) for p in parts))
if r["calls"]["source"] != "sdk-log":
    for key in ("total", "failed", "succeeded_first", "recovered", "open"):
        check(key, r["calls"][key], sum(p["calls"][key] for p in parts))
    check("max", r["calls"]["attempts_per_call"]["max"],
          max(p["calls"]["attempts_per_call"]["max"] or 0 for p in parts))
for p in parts:
    assert p["http"]["attempts"] >= p["http"]["rejected"], p["http"]
    n = p["calls"]["total"]
    if n:
        assert abs(p["calls"]["failed_share"] - p["calls"]["failed"] / n) < 1e-5, p["calls"]
assert (by["other"] is None) == (by["folded"] == 0), by["folded"]
keys = [(-v["http"]["rejected"], -v["calls"]["failed"], -v["http"]["attempts"]) for v in by["values"]]
assert keys == sorted(keys), keys
names = [v["value"] for v in by["values"]]
assert len(set(names)) == len(names) <= 200, names
' "$OUT"
}

@test "values add up to the whole, whatever the format and the field" {
    for log in "$REQUEUE" "$SEED" testdata/format/custom-nginx-json.log testdata/format/aws-alb.log \
        testdata/format/haproxy-retries.log testdata/format/ext-upstream-lists.log \
        testdata/format/json-cloudflare.log; do
        for field in host target caller; do
            lockstep analyze -q -f json --by $field "$log"
            ended_with 0
            adds_up
        done
    done
    [ "$(value by.field)" = '"caller"' ]
    lockstep analyze -q -f json --by target --sdk-log testdata/incidents/seed-small-ids.sdk.jsonl.gz \
        testdata/incidents/seed-small-ids.log.gz
    adds_up
}

@test "a report by a field is valid, differs in nothing else, and does not depend on the order of files" {
    local field
    "$LOCKSTEP" schema >"$BATS_TEST_TMPDIR/schema"
    lockstep analyze -f json "$REQUEUE"
    [ "$(value by)" = null ]
    "$PYTHON" -c 'import json, sys
r = json.load(open(sys.argv[1])); del r["by"]; print(json.dumps(r))' "$OUT" >"$BATS_TEST_TMPDIR/plain"
    lockstep analyze -f json --by target "$REQUEUE"
    "$PYTHON" tests/cli/validate.py "$BATS_TEST_TMPDIR/schema" "$OUT"
    "$PYTHON" -c 'import json, sys
r = json.load(open(sys.argv[1])); del r["by"]; print(json.dumps(r))' "$OUT" | cmp - "$BATS_TEST_TMPDIR/plain"
    zcat "$SEED" | split -n r/3 - "$BATS_TEST_TMPDIR/part."
    cd "$BATS_TEST_TMPDIR"
    for field in target caller; do
        "$LOCKSTEP" analyze -q -f json --by $field part.aa part.ab part.ac >one
        "$LOCKSTEP" analyze -q -f json --by $field part.ac part.aa part.ab >two
        cmp one two
    done
}

@test "hosts have no case and no port; what is not logged is a value of its own" {
    printf '%s\n' \
        'API.Example:443 10.0.0.1 - - [15/Jul/2025:12:00:10 +0000] "GET / HTTP/1.1" 200 1 "-" "a"' \
        'api.example:80 10.0.0.1 - - [15/Jul/2025:12:00:11 +0000] "GET / HTTP/1.1" 429 1 "-" "a"' \
        'www.example:80 10.0.0.1 - - [15/Jul/2025:12:00:12 +0000] "GET / HTTP/1.1" 200 1 "-" "a"' \
        >"$BATS_TEST_TMPDIR/vhosts"
    lockstep analyze -f json --by host "$BATS_TEST_TMPDIR/vhosts"
    [ "$(value by.values.0.value)" = '"api.example"' ]
    [ "$(value by.values.0.http.attempts)" = 2 ]
    [ "$(value by.values.0.http.rejected_share)" = 0.5 ]
    [ "$(value by.values.1.value)" = '"www.example"' ]
    lockstep analyze -f json --by host "$REQUEUE"
    [ "$(value by.values.0.value)" = null ]
    [ "$(value by.values.0.http.attempts)" = "$(value http.attempts)" ]
    [ "$(value by.values.0.layers)" = "$(value layers)" ]
    lockstep analyze --by host "$REQUEUE"
    says "(no host in the log)"
}

@test "targets have their queries where those are kept" {
    for i in 1 2 3; do
        echo "10.0.0.1 - - [15/Jul/2025:12:00:1$i +0000] \"GET /a?q=$i HTTP/1.1\" 200 1 \"-\" \"a\""
    done >"$BATS_TEST_TMPDIR/log"
    lockstep analyze -f json --by target "$BATS_TEST_TMPDIR/log"
    [ "$(value by.values.0.value)" = '"/a"' ]
    lockstep analyze -f json --by target --keep-query "$BATS_TEST_TMPDIR/log"
    [ "$(value by.values.2.value)" = '"/a?q=3"' ]
}

@test "the amplification of the target that is retried stands at it alone" {
    lockstep analyze -f json --by target "$REQUEUE"
    [ "$(value by.values.0.value)" = '"/v1/chat/completions"' ]
    [ "$(value by.values.0.amplification.0.mean)" = "$(value amplification.0.mean)" ]
    [ "$(value by.values.1.amplification)" = '[]' ]
}

@test "past the bounds values are folded and counted, and the sums hold" {
    awk 'BEGIN { for (i = 0; i < 20000; i++) {
        s = i % 60; m = int(i / 60) % 60; h = 10 + int(i / 3600)
        printf "10.%d.%d.9 - - [15/Jul/2025:%d:%02d:%02d +0000] \"GET /x HTTP/1.1\" 200 1 \"-\" \"a\"\n", int(i / 250), i % 250, h, m, s
        if (i % 5 == 0 && i > 9000)
            printf "192.0.2.1 - - [15/Jul/2025:%d:%02d:%02d +0000] \"GET /x HTTP/1.1\" 503 1 \"-\" \"a\"\n", h, m, s
        if (i % 7 == 0)
            printf "192.0.2.2 - - [15/Jul/2025:%d:%02d:%02d +0000] \"GET /x HTTP/1.1\" 200 1 \"-\" \"a\"\n", h, m, s
    } }' >"$BATS_TEST_TMPDIR/log"
    lockstep analyze -q -f json --by caller "$BATS_TEST_TMPDIR/log"
    ended_with 0
    adds_up
    [ "$(value by.values.0.value)" = '"192.0.2.1"' ]
    [ "$(value by.values.0.http.rejected)" = 2199 ]
    [ "$(value by.values.1.value)" = '"192.0.2.2"' ]
    [ "$(value by.values.1.http.attempts)" = 2858 ]
    [ "$(value by.folded)" = 19802 ]
    lockstep analyze -q --by caller "$BATS_TEST_TMPDIR/log"
    says "(19,802 other callers in sum)"
    harmless 80
}

@test "the table is as it was" {
    lockstep analyze -q --by target "$REQUEUE"
    sed -n '/^By target/,/retry most/p' "$OUT" >"$OUT.table"
    mv "$OUT.table" "$OUT"
    golden by-target.txt
    harmless 80
    lockstep analyze -q --by caller "$SEED"
    sed -n '/^By caller/,/retry most/p' "$OUT" >"$OUT.table"
    mv "$OUT.table" "$OUT"
    golden by-caller.txt
    harmless 80
}

@test "values under --redact are pseudonyms, and only known fields go" {
    lockstep analyze -f json --by caller "$SEED"
    "$PYTHON" -c 'import json, sys
print("\n".join(v["value"] for v in json.load(open(sys.argv[1]))["by"]["values"]))' "$OUT" >"$BATS_TEST_TMPDIR/names"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/names")" = 200 ]
    for format in text json; do
        lockstep analyze -f $format --by caller --redact callers "$SEED"
        never grep -qFf "$BATS_TEST_TMPDIR/names" "$OUT"
        grep -q 'caller-1\b' "$OUT"
    done
    adds_up
    lockstep analyze -f json --by target --redact all "$REQUEUE"
    never grep -qE '/v1/chat|/site' "$OUT"
    lockstep analyze --by host --redact hosts testdata/format/custom-nginx-json.log
    never grep -q '127\.0\.0\.1' "$OUT"
    says "host-1"
    lockstep analyze --by user "$SEED"
    ended_with 2
    complained "--by: 'user' is none of host, target and caller"
    lockstep analyze --redact all --rejects "$BATS_TEST_TMPDIR/rejects" "$SEED"
    ended_with 2
    complained "--rejects"
    [ ! -e "$BATS_TEST_TMPDIR/rejects" ]
}

@test "the breakdown stands in every format" {
    for format in html markdown; do
        lockstep analyze -q --by target -f "$format" "$REQUEUE"
        ended_with 0
        says "By target, worst first"
        says "/v1/chat/completions"
        grep -qE '91\.5(&nbsp;| )%' "$OUT"
    done
    lockstep analyze -q --by target -f csv --table by "$REQUEUE"
    says "target,/v1/chat/completions,1759,1609,0.914724,"
    lockstep analyze -q -f csv --table by "$REQUEUE"
    [ "$(wc -l <"$OUT")" -eq 1 ]
}

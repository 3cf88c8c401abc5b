load helper

# The report but for its names: numbers, keys and structure.
numbers() {
    "$PYTHON" -c '
import json, sys
def bare(v):
    if isinstance(v, dict):
        return {k: bare(w) for k, w in v.items()}
    if isinstance(v, list):
        return [bare(w) for w in v]
    return "text" if isinstance(v, str) else v
r = json.load(open(sys.argv[1]))
for s in r["input"]["rejected_samples"]:
    del s["text"]
print(json.dumps([bare(r), r["verdict"], [c["kind"] for c in r["clocks"]]]))' "$1"
}

# Every text that the report has, a line each, of keys that hold names.
names() {
    "$PYTHON" -c '
import json, sys
def walk(v):
    if isinstance(v, dict):
        for k, w in v.items():
            if k == "population" and isinstance(w, str):
                print(w)
            elif k == "targets" and isinstance(w, list):
                print("\n".join(w))
            walk(w)
    elif isinstance(v, list):
        for w in v:
            walk(w)
walk(json.load(open(sys.argv[1])))' "$1" | sort -u
}

@test "no name of an incident is in any output, and nothing else changes" {
    for log in testdata/incidents/openai-requeue-20s.ext.log.gz testdata/incidents/seed-requeue-60s.log.gz \
        testdata/quiet/cron-60s.log.gz; do
        lockstep analyze -f json "$log"
        cp "$OUT" "$BATS_TEST_TMPDIR/open"
        names "$OUT" | grep -vx other >"$BATS_TEST_TMPDIR/names"
        [ -s "$BATS_TEST_TMPDIR/names" ]
        numbers "$OUT" >"$BATS_TEST_TMPDIR/before"
        lockstep analyze --redact all -f json "$log"
        numbers "$OUT" | diff "$BATS_TEST_TMPDIR/before" -
        never grep -F -f "$BATS_TEST_TMPDIR/names" "$OUT" "$ERR"
        names "$OUT" | never grep -vE '^((agent|target)-[0-9]+|other)$'
        lockstep analyze --redact all "$log"
        never grep -F -f "$BATS_TEST_TMPDIR/names" "$OUT" "$ERR"
        harmless 80
    done
}

@test "each kind goes alone, and the same input gives the same bytes" {
    local log=testdata/incidents/openai-requeue-20s.ext.log.gz
    lockstep analyze -f json --redact user-agents "$log"
    names "$OUT" | grep -q '^/'
    names "$OUT" | grep -q '^agent-1$'
    cp "$OUT" "$BATS_TEST_TMPDIR/once"
    lockstep analyze -f json --redact user-agents "$log"
    cmp "$OUT" "$BATS_TEST_TMPDIR/once"
    lockstep analyze -f json --redact targets,callers "$log"
    names "$OUT" | grep -q '^target-1$'
    names "$OUT" | never grep -q '^agent'
    for bad in '' agents all,x 'callers,' ,; do
        lockstep analyze --redact "$bad" "$log"
        ended_with 2
        complained "--redact"
    done
}

@test "reports by one key agree, those by another do not, and none holds the key" {
    local log=testdata/incidents/openai-requeue-20s.ext.log.gz
    printf 'secret-secret-one' >"$BATS_TEST_TMPDIR/one"
    printf 'secret-secret-two' >"$BATS_TEST_TMPDIR/two"
    printf 'short' >"$BATS_TEST_TMPDIR/short"
    lockstep analyze -f json --redact all --redact-key "$BATS_TEST_TMPDIR/one" "$log"
    ended_with 0
    names "$OUT" >"$BATS_TEST_TMPDIR/names.one"
    never grep -q '[^0-9a-z-]' "$BATS_TEST_TMPDIR/names.one"
    never grep -q secret "$OUT"
    lockstep analyze -f json --redact all --redact-key "$BATS_TEST_TMPDIR/one" --match 'status!=404' "$log"
    names "$OUT" | cmp - "$BATS_TEST_TMPDIR/names.one"
    lockstep analyze -f json --redact all --redact-key "$BATS_TEST_TMPDIR/two" "$log"
    names "$OUT" >"$BATS_TEST_TMPDIR/names.two"
    [ -z "$(comm -12 "$BATS_TEST_TMPDIR/names.one" "$BATS_TEST_TMPDIR/names.two")" ]
    lockstep analyze --redact all --redact-key "$BATS_TEST_TMPDIR/short" "$log"
    ended_with 2
    complained "too short"
    lockstep analyze --redact all --redact-key "$BATS_TEST_TMPDIR/none" "$log"
    ended_with 3
    complained "cannot open"
    lockstep analyze --redact-key "$BATS_TEST_TMPDIR/one" "$log"
    ended_with 2
    complained "--redact"
}

@test "hostile names, rejected lines and warnings leak nothing" {
    local i
    for i in $(seq 10 59); do
        for m in 0 1 2 3 4 5 0 1 2 3 4 5; do
            echo "203.0.113.9 - - [15/Jul/2025:12:$m${i%?}:0${i#?} +0000] \"POST /s3cret%1b[31m;x/$m HTTP/1.1\" 503 12 \"-\" \"</script>w1cked\\x1b agent\""
        done
    done >"$BATS_TEST_TMPDIR/log"
    echo '203.0.113.9 - - [no time] "GET /s3cret HTTP/1.1" 200 1 "-" "w1cked"' >>"$BATS_TEST_TMPDIR/log"
    echo 'a line of 203.0.113.9 that is none: w1cked s3cret' >>"$BATS_TEST_TMPDIR/log"
    for format in text json; do
        lockstep analyze -f $format --redact all --match 'w1!=x' "$BATS_TEST_TMPDIR/log"
        ended_with 0
        never grep -E '203\.0\.113|s3cret|w1cked' "$OUT" "$ERR"
        grep -q 'caller-1 sends at least' "$ERR"
    done
    [ "$(value input.rejected_samples.0.text)" = null ]
    [ "$(value input.rejected_samples.1.length)" = 49 ]
    lockstep analyze --redact all "$BATS_TEST_TMPDIR/log"
    says "(49 bytes, withheld)"
}

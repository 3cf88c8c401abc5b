load helper

@test "diff says what a fix changed, in words" {
    "$LOCKSTEP" analyze -q -f json testdata/incidents/openai-requeue-20s.ext.log.gz >"$BATS_TEST_TMPDIR/a.json"
    "$LOCKSTEP" analyze -q -f json testdata/quiet/control-quiet.json.log.gz >"$BATS_TEST_TMPDIR/b.json"
    lockstep diff "$BATS_TEST_TMPDIR/a.json" "$BATS_TEST_TMPDIR/b.json"
    ended_with 0
    silent
    harmless 80
    says "Retries were synchronised before and are not any more."
    says "gone    retry clock of 28.1 s"
    says "attempts rejected"
    lockstep diff "$BATS_TEST_TMPDIR/b.json" "$BATS_TEST_TMPDIR/a.json"
    says "Retries are synchronised now and were not before."
    says "new     retry clock of 28.1 s"
}

@test "a report does not differ from itself" {
    "$LOCKSTEP" analyze -q -f json testdata/incidents/openai-requeue-20s.ext.log.gz >"$BATS_TEST_TMPDIR/a.json"
    lockstep diff "$BATS_TEST_TMPDIR/a.json" "$BATS_TEST_TMPDIR/a.json"
    says "Retries were synchronised before and still are."
    says "still   retry clock of 28.1 s"
    never grep -qE "gone|new  |down|up," "$OUT"
    lockstep diff -f json "$BATS_TEST_TMPDIR/a.json" "$BATS_TEST_TMPDIR/a.json"
    [ "$(value schema)" = '"lockstep.diff/1"' ]
    "$PYTHON" -c '
import json, sys
d = json.load(open(sys.argv[1]))
assert d["rates"] and all(r["before"] == r["after"] for r in d["rates"])
assert d["clocks"] and all(c["state"] == "still" for c in d["clocks"])' "$OUT"
}

@test "diff of an empty log says not known, and takes two reports" {
    "$LOCKSTEP" analyze -q -f json /dev/null >"$BATS_TEST_TMPDIR/a.json" || [ $? -eq 3 ]
    lockstep diff "$BATS_TEST_TMPDIR/a.json" "$BATS_TEST_TMPDIR/a.json"
    ended_with 0
    says "not known"
    never grep -qF "0.0 %" "$OUT"
    lockstep diff "$BATS_TEST_TMPDIR/a.json"
    ended_with 2
    complained "diff takes two reports"
    lockstep diff -f html "$BATS_TEST_TMPDIR/a.json" "$BATS_TEST_TMPDIR/a.json"
    ended_with 2
    complained "unknown format 'html'"
}

@test "the JSON of a comparison keeps its schema, with the values of --by as well" {
    "$LOCKSTEP" analyze -q -f json --by target testdata/incidents/openai-requeue-20s.ext.log.gz >"$BATS_TEST_TMPDIR/a.json"
    "$LOCKSTEP" analyze -q -f json --by target testdata/quiet/control-quiet.json.log.gz >"$BATS_TEST_TMPDIR/b.json"
    "$LOCKSTEP" analyze -q -f json /dev/null >"$BATS_TEST_TMPDIR/c.json" || [ $? -eq 3 ]
    lockstep schema diff
    ended_with 0
    cp "$OUT" "$BATS_TEST_TMPDIR/schema.json"
    for pair in "a b" "b a" "a c" "c c"; do
        "$LOCKSTEP" diff -f json "$BATS_TEST_TMPDIR/${pair% *}.json" "$BATS_TEST_TMPDIR/${pair#* }.json" \
            >"$BATS_TEST_TMPDIR/diff-${pair/ /}.json"
    done
    grep -q '"after_rejected_share"' "$BATS_TEST_TMPDIR/diff-ab.json"
    grep -q '"by": null' "$BATS_TEST_TMPDIR/diff-ac.json"
    "$PYTHON" -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
    "$PYTHON" tests/cli/validate.py "$BATS_TEST_TMPDIR/schema.json" "$BATS_TEST_TMPDIR"/diff-*.json
    lockstep schema nothing
    ended_with 2
    complained "no schema of 'nothing'"
}

@test "a comparison by target says which got better" {
    "$LOCKSTEP" analyze -q -f json --by target testdata/incidents/openai-requeue-20s.ext.log.gz >"$BATS_TEST_TMPDIR/a.json"
    lockstep diff "$BATS_TEST_TMPDIR/a.json" "$BATS_TEST_TMPDIR/a.json"
    says "By target"
    says "91.5 %       91.5 %   /v1/chat/completions"
    lockstep diff -o "$BATS_TEST_TMPDIR/diff.txt" "$BATS_TEST_TMPDIR/a.json" "$BATS_TEST_TMPDIR/a.json"
    [ ! -s "$OUT" ]
    grep -q "By target" "$BATS_TEST_TMPDIR/diff.txt"
}

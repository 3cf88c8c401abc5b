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

load helper

needs_jsonschema() {
    "$PYTHON" -c 'import jsonschema' 2>/dev/null || skip "python3-jsonschema is not installed"
}

@test "schema prints a JSON Schema of dialect 2020-12" {
    lockstep schema
    ended_with 0
    silent
    [ "$(value '$schema')" = '"https://json-schema.org/draft/2020-12/schema"' ]
    [ "$(value properties.schema.const)" = '"lockstep.report/1"' ]
}

@test "every golden report keeps the schema" {
    needs_jsonschema
    "$LOCKSTEP" schema >"$BATS_TEST_TMPDIR/schema.json"
    "$PYTHON" tests/cli/validate.py "$BATS_TEST_TMPDIR/schema.json" tests/cli/golden/*.json
}

@test "the report of every log of testdata keeps the schema" {
    needs_jsonschema
    "$LOCKSTEP" schema >"$BATS_TEST_TMPDIR/schema.json"
    for log in testdata/incidents/*.log.gz testdata/quiet/*.log.gz testdata/input/*.log*; do
        "$LOCKSTEP" analyze -q -f json "$log" >"$BATS_TEST_TMPDIR/$(basename "$log").json" || [ $? -eq 3 ]
    done
    "$LOCKSTEP" analyze -q -f json /dev/null >"$BATS_TEST_TMPDIR/empty.json" || [ $? -eq 3 ]
    "$PYTHON" tests/cli/validate.py "$BATS_TEST_TMPDIR/schema.json" "$BATS_TEST_TMPDIR"/*.log*.json \
        "$BATS_TEST_TMPDIR/empty.json"
}

@test "a key more or a key less does not keep the schema" {
    needs_jsonschema
    "$LOCKSTEP" schema >"$BATS_TEST_TMPDIR/schema.json"
    small_log | "$LOCKSTEP" analyze -f json >"$OUT"
    "$PYTHON" -c '
import json, sys
r = json.load(open(sys.argv[1]))
r["http"]["attempts_"] = 1
json.dump(r, open(sys.argv[2], "w"))
del r["http"]["attempts_"], r["calls"]["open"]
json.dump(r, open(sys.argv[3], "w"))' "$OUT" "$BATS_TEST_TMPDIR/more.json" "$BATS_TEST_TMPDIR/less.json"
    "$PYTHON" tests/cli/validate.py "$BATS_TEST_TMPDIR/schema.json" "$OUT"
    never "$PYTHON" tests/cli/validate.py "$BATS_TEST_TMPDIR/schema.json" "$BATS_TEST_TMPDIR/more.json"
    never "$PYTHON" tests/cli/validate.py "$BATS_TEST_TMPDIR/schema.json" "$BATS_TEST_TMPDIR/less.json"
}

@test "schema takes the name of a schema" {
    lockstep schema report.json
    ended_with 2
    complained "no schema of 'report.json'; there is report and diff"
}

@test "a schema that cannot be written ends with status 4" {
    status=0
    "$LOCKSTEP" schema >/dev/full 2>"$ERR" || status=$?
    [ "$status" -eq 4 ]
    complained "cannot write standard output: No space left on device"
}

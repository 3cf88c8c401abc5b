load helper

@test "every table is CSV with one width, CRLF and a head" {
    for table in arrivals clocks waves layers policies attempts; do
        lockstep analyze -q -f csv --table "$table" testdata/incidents/openai-requeue-20s.ext.log.gz
        ended_with 0
        "$PYTHON" -c '
import csv, sys
raw = open(sys.argv[1], "rb").read()
assert raw.count(b"\n") == raw.count(b"\r\n") > 1, raw[:200]
rows = list(csv.reader(raw.decode().splitlines(), strict=True))
assert {len(r) for r in rows} == {len(rows[0])}, rows[0]' "$OUT"
    done
}

@test "no cell of a table begins a formula" {
    local i s
    for s in 05 25 45; do
        for i in $(seq 10 60); do
            echo "10.0.0.$i - - [15/Jul/2025:12:00:$s +0000] \"GET =cmd|x HTTP/1.1\" 429 12 \"-\" \"=HYPERLINK(\\\"x\\\",1)\""
        done
    done >"$BATS_TEST_TMPDIR/log"
    for table in clocks layers; do
        lockstep analyze -q -f csv --table "$table" "$BATS_TEST_TMPDIR/log"
        ended_with 0
        never grep -qE '(^|,)"?[=+@]' "$OUT"
    done
    lockstep analyze -q -f csv --table clocks "$BATS_TEST_TMPDIR/log"
    says "\"'=HYPERLINK("
}

@test "--table goes with csv, and with a table that there is" {
    lockstep analyze --table waves testdata/quiet/cron-60s.log.gz
    ended_with 2
    complained "--table goes with --format csv only"
    lockstep analyze -f csv --table x testdata/quiet/cron-60s.log.gz
    ended_with 2
    complained "--table: unknown table 'x'"
}

@test "Markdown holds strings of a log in code spans only" {
    local i
    for i in $(seq 10 60); do
        echo "10.0.0.$i - - [15/Jul/2025:12:00:05 +0000] \"GET /a|b HTTP/1.1\" 429 12 \"-\" \"<b>\`*x*\` @all [l](http://e) | #1\""
        echo "10.0.0.$i - - [15/Jul/2025:12:00:25 +0000] \"GET /a|b HTTP/1.1\" 429 12 \"-\" \"<b>\`*x*\` @all [l](http://e) | #1\""
        echo "10.0.0.$i - - [15/Jul/2025:12:00:45 +0000] \"GET /a|b HTTP/1.1\" 200 12 \"-\" \"<b>\`*x*\` @all [l](http://e) | #1\""
    done >"$BATS_TEST_TMPDIR/log"
    lockstep analyze -q -f markdown "$BATS_TEST_TMPDIR/log"
    ended_with 0
    says '`` <b>`*x*` @all [l](http://e) \| #1 ``'
    never grep -qE '<b>|@all' <(sed 's/`` [^|]* \\| #1 ``//g; s/`` .* ``//g' "$OUT")
}

@test "Markdown of an empty log says that nothing is known" {
    lockstep analyze -q -f markdown /dev/null
    ended_with 3
    says "No request was found in the input"
    never grep -qF "0.0 %" "$OUT"
}

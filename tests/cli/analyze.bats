load helper

INCIDENT=testdata/incidents/openai-requeue-20s.ext.log.gz
SEED=testdata/incidents/seed-small-ids.log.gz
SDK=testdata/incidents/seed-small-ids.sdk.jsonl.gz
QUIET=testdata/quiet/control-quiet.json.log.gz

# ---- reports --------------------------------------------------------------------------------

@test "the text report of an incident" {
    lockstep analyze "$INCIDENT"
    ended_with 0
    silent
    harmless 80
    golden openai-requeue.txt
}

@test "the text report of an incident with the callers' own log" {
    lockstep analyze --sdk-log "$SDK" "$SEED"
    ended_with 0
    silent
    harmless 80
    golden seed-small-sdk.txt
}

@test "the text report of a quiet day, in ASCII" {
    lockstep analyze --ascii "$QUIET"
    ended_with 0
    silent
    harmless 80
    golden control-quiet.ascii.txt
}

@test "the JSON report of an incident" {
    lockstep analyze --format json "$INCIDENT"
    ended_with 0
    silent
    golden openai-requeue.json
}

@test "the JSON report of a quiet day" {
    lockstep analyze -f json "$QUIET"
    ended_with 0
    silent
    golden control-quiet.json
}

@test "the exit status stands in the report" {
    lockstep analyze -q -f json "$INCIDENT" no-such-file
    ended_with 3
    [ "$(value verdict.exit_status)" = 3 ]
    lockstep analyze -f json "$INCIDENT"
    [ "$(value verdict.exit_status)" = 0 ]
}

@test "every rejected attempt is accounted for" {
    for log in testdata/incidents/*.log.gz; do
        lockstep analyze -q -f json "$log"
        "$PYTHON" -c '
import json, sys
r = json.load(open(sys.argv[1]))
k = r["reconciliation"]
parts = [k[x] for x in ("in_recovered_calls", "in_failed_calls", "in_open_calls", "unattributed")]
assert sum(parts) == k["rejected"] == r["http"]["rejected"] == sum(r["arrivals"]["rejected"]), (parts, k)
n = r["input"]["lines"]
assert n["total"] == n["parsed"] + n["filtered"] + n["rejected"] + n["ignored"], n
assert sum(r["http"]["by_status"].values()) == r["http"]["attempts"] == sum(r["arrivals"]["all"])' "$OUT"
    done
}

# ---- ways in --------------------------------------------------------------------------------

@test "a pipe, a file and a gunzipped file give the same report" {
    lockstep analyze -f json "$SEED"
    "$PYTHON" -c 'import json,sys; r=json.load(open(sys.argv[1])); del r["input"]["files"]; print(json.dumps(r))' \
        "$OUT" >"$BATS_TEST_TMPDIR/file"
    zcat "$SEED" >"$BATS_TEST_TMPDIR/log"
    "$LOCKSTEP" analyze -f json <"$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/redirected.json"
    cat "$SEED" | "$LOCKSTEP" analyze -f json - >"$BATS_TEST_TMPDIR/pipe.json"
    "$LOCKSTEP" analyze -f json "$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/plain.json"
    for way in redirected pipe plain; do
        "$PYTHON" -c 'import json,sys; r=json.load(open(sys.argv[1])); del r["input"]["files"]; print(json.dumps(r))' \
            "$BATS_TEST_TMPDIR/$way.json" | cmp - "$BATS_TEST_TMPDIR/file"
    done
}

@test "the order of the files does not matter" {
    zcat "$SEED" | head -n 5000 >"$BATS_TEST_TMPDIR/b.log"
    zcat "$SEED" | tail -n +5001 >"$BATS_TEST_TMPDIR/a.log"
    lockstep analyze -f json "$BATS_TEST_TMPDIR/a.log" "$BATS_TEST_TMPDIR/b.log"
    ended_with 0
    cp "$OUT" "$BATS_TEST_TMPDIR/first"
    lockstep analyze -f json "$BATS_TEST_TMPDIR/b.log" "$BATS_TEST_TMPDIR/a.log"
    cmp "$OUT" "$BATS_TEST_TMPDIR/first"
}

@test "--since and --until leave lines out and count them" {
    small_log >"$BATS_TEST_TMPDIR/log"
    lockstep analyze -f json --since 2025-07-15T12:01:00Z --until 2025-07-15T14:03:00+02:00 "$BATS_TEST_TMPDIR/log"
    ended_with 0
    [ "$(value http.attempts)" = 160 ]
    [ "$(value input.lines.filtered)" = 240 ]
    for n in 1 2 3; do
        echo "10.0.0.$n - - [15/Jul/2025:12:0$n:00 +0000] \"GET /$n HTTP/1.1\" 200 1 \"-\" \"a/$n\""
    done >"$BATS_TEST_TMPDIR/log"
    lockstep analyze -f json --since 2025-07-15T12:01:30Z --until 2025-07-15T12:02:30Z "$BATS_TEST_TMPDIR/log"
    [ "$(jq -c '.input.distinct | [.callers, .targets, .user_agents]' "$OUT")" = '[1,1,1]' ]
}

@test "--bin sets the width of the bins" {
    small_log >"$BATS_TEST_TMPDIR/log"
    lockstep analyze -f json --bin 5 "$BATS_TEST_TMPDIR/log"
    ended_with 0
    [ "$(value arrivals.bin_s)" = 5 ]
    [ "$(value arrivals.all.0)" = 40 ]
}

@test "values that make no sense are wrong use" {
    small_log >"$BATS_TEST_TMPDIR/log"
    while IFS='|' read -r arguments message; do
        lockstep analyze $arguments "$BATS_TEST_TMPDIR/log"
        ended_with 2
        complained "$message"
        [ ! -s "$OUT" ]
    done <<'ROWS'
--since yesterday|yesterday
--until 2025-07-15|2025-07-15
--since 2025-07-15T12:00:00|2025-07-15T12:00:00
--since 2025-07-15T13:00:00Z --until 2025-07-15T12:00:00Z|2025-07-15T13:00:00Z
--bin 0|'0' is not a number of seconds above 0
--bin -1|'-1' is not a number of seconds above 0
--bin 1s|'1s' is not a number of seconds above 0
--format xml|unknown report format 'xml'
--color sometimes|'sometimes' is not auto, always or never
ROWS
}

# ---- inputs in trouble ----------------------------------------------------------------------

@test "a missing file: one line, status 3, and the report of the others" {
    lockstep analyze no-such-file.log "$INCIDENT"
    ended_with 3
    complained "no-such-file.log"
    grep -qF "No such file or directory" "$ERR"
    says "of 2,981 HTTP attempts were rejected"
    says "no-such-file.log: not read"
}

@test "nothing but a missing file" {
    lockstep analyze no-such-file.log
    ended_with 3
    complained "no-such-file.log"
    says "No request was found in the input."
}

@test "a directory without a log in it" {
    lockstep analyze testdata
    ended_with 3
    grep -qF "testdata/README.md: no line is a request" "$ERR"
}

@test "an empty input and one without a request end with status 3" {
    lockstep analyze -f json /dev/null
    ended_with 3
    [ "$(value http.attempts)" = 0 ]
    printf 'this is\nno log\n' >"$BATS_TEST_TMPDIR/log"
    lockstep analyze -f json "$BATS_TEST_TMPDIR/log"
    ended_with 3
    [ "$(value input.lines.rejected)" = 2 ]
}

@test "a damaged gzip file: what is before the damage is reported" {
    lockstep analyze testdata/input/12-gz-truncated.log.gz
    ended_with 3
    grep -qF "12-gz-truncated.log.gz" "$ERR"
    says "of 2,653 HTTP attempts"
    lockstep analyze testdata/input/14-gz-corrupt-middle.log.gz
    ended_with 3
    grep -qF "14-gz-corrupt-middle.log.gz" "$ERR"
}

@test "--quiet keeps standard error empty" {
    lockstep analyze --quiet no-such-file.log testdata/input/12-gz-truncated.log.gz
    ended_with 3
    silent
    lockstep analyze -q no-such-file.log
    ended_with 3
    silent
}

@test "nothing in a log acts on a terminal" {
    {
        small_log
        printf '10.0.0.1 - - [15/Jul/2025:12:09:00 +0000] "GET /\033]0;owned\007 HTTP/1.1" 429 1 "-" "\033[31mred\xe2\x80\xae\x9b"\n'
        printf '\033[2J\033[1;31mno request\r\x85\n'
    } >"$BATS_TEST_TMPDIR/$(printf 'log\033[31m')"
    for format in text json; do
        lockstep analyze -f $format "$BATS_TEST_TMPDIR"/log*
        harmless 100000
        never env LC_ALL=C grep -q "$(printf '[\033\007]')" "$ERR"
    done
    never grep -q "$(printf '\xe2\x80\xae')" "$OUT"
}

# ---- the look -------------------------------------------------------------------------------

@test "ASCII where the locale is not UTF-8" {
    for locale in C POSIX de_DE.ISO-8859-1; do
        LC_ALL=$locale lockstep analyze "$INCIDENT"
        ended_with 0
        never env LC_ALL=C grep -q '[^ -~]' "$OUT"
    done
    LC_ALL= LC_CTYPE= LANG=en_US.utf8 lockstep analyze "$INCIDENT"
    grep -q '█' "$OUT"
    LC_ALL= LC_CTYPE=C LANG=en_US.UTF-8 lockstep analyze "$INCIDENT"
    never grep -q '█' "$OUT"
    lockstep analyze --ascii "$INCIDENT"
    never env LC_ALL=C grep -q '[^ -~]' "$OUT"
}

@test "colour only when asked, or on a terminal" {
    esc=$(printf '\033')
    lockstep analyze "$INCIDENT"
    never grep -q "$esc" "$OUT"
    lockstep analyze --color always "$INCIDENT"
    grep -q "$esc" "$OUT"
    lockstep analyze --colour=always -f json "$INCIDENT"
    never grep -q "$esc" "$OUT"
}

# Some containers have no pseudo-terminals.
needs_terminal() {
    command -v script >/dev/null || skip "script is not installed"
    script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no pseudo-terminal to be had"
}

# on_terminal COLUMNS COMMAND... — the command's output on a terminal of that width, in $OUT
on_terminal() {
    needs_terminal
    script -qec "stty cols $1 rows 50; ${*:2}" /dev/null </dev/null | tr -d '\r' >"$OUT"
}

@test "a terminal gives the histogram its width, and colour" {
    esc=$(printf '\033')
    export TERM=xterm
    on_terminal 120 "$LOCKSTEP" analyze "$INCIDENT"
    grep -q "$esc\[1m" "$OUT"
    NO_COLOR=1 on_terminal 200 "$LOCKSTEP" analyze "$INCIDENT"
    never grep -q "$esc" "$OUT"
    harmless 200
    never harmless 150
    TERM=dumb on_terminal 70 "$LOCKSTEP" analyze "$INCIDENT"
    harmless 70
    on_terminal 200 env COLUMNS=100 "$LOCKSTEP" analyze --color never "$INCIDENT"
    harmless 100
}

@test "a terminal as standard input is wrong use" {
    needs_terminal
    status=0
    script -qec "'$LOCKSTEP' analyze" /dev/null >"$OUT" || status=$?
    ended_with 2
    says "lockstep: no log given: name a FILE, or '-' for standard input"
}

# ---- ways out -------------------------------------------------------------------------------

@test "a reader that goes away is no error" {
    "$LOCKSTEP" analyze -f json "$INCIDENT" 2>"$ERR" | true
    [ "${PIPESTATUS[0]}" -eq 0 ]
    silent
    "$LOCKSTEP" analyze -f json "$SEED" 2>"$ERR" | head -n 1 >"$OUT"
    silent
    [ "$(cat "$OUT")" = "{" ]
}

@test "a full device ends with status 4" {
    status=0
    "$LOCKSTEP" analyze "$INCIDENT" >/dev/full 2>"$ERR" || status=$?
    [ "$status" -eq 4 ]
    complained "lockstep: cannot write standard output: No space left on device"
}

@test "a closed standard output ends with status 4" {
    status=0
    "$LOCKSTEP" analyze "$INCIDENT" >&- 2>"$ERR" || status=$?
    [ "$status" -eq 4 ]
    complained "cannot write standard output"
}

@test "--output writes the whole report and nothing else" {
    lockstep analyze "$INCIDENT"
    cp "$OUT" "$BATS_TEST_TMPDIR/want"
    mkdir "$BATS_TEST_TMPDIR/dir"
    lockstep analyze --output "$BATS_TEST_TMPDIR/dir/report" "$INCIDENT"
    ended_with 0
    silent
    [ ! -s "$OUT" ]
    cmp "$BATS_TEST_TMPDIR/dir/report" "$BATS_TEST_TMPDIR/want"
    [ "$(ls -A "$BATS_TEST_TMPDIR/dir")" = report ]
}

@test "--output replaces a file, keeps its mode and follows a link" {
    echo old >"$BATS_TEST_TMPDIR/real"
    chmod 640 "$BATS_TEST_TMPDIR/real"
    ln -s real "$BATS_TEST_TMPDIR/link"
    lockstep analyze -o "$BATS_TEST_TMPDIR/link" "$INCIDENT"
    ended_with 0
    [ -L "$BATS_TEST_TMPDIR/link" ]
    [ "$(stat -c %a "$BATS_TEST_TMPDIR/real")" = 640 ]
    grep -q "HTTP attempts were rejected" "$BATS_TEST_TMPDIR/real"
}

@test "--output that cannot be written ends with status 4 and leaves no part" {
    lockstep analyze -o "$BATS_TEST_TMPDIR/no/such/dir" "$INCIDENT"
    ended_with 4
    complained "cannot write '$BATS_TEST_TMPDIR/no/such/dir': No such file or directory"
    mkdir "$BATS_TEST_TMPDIR/dir"
    lockstep analyze -o "$BATS_TEST_TMPDIR/dir" "$INCIDENT"
    ended_with 4
    complained "Is a directory"
    [ -z "$(ls -A "$BATS_TEST_TMPDIR/dir")" ]
    lockstep analyze -o /dev/full "$INCIDENT"
    ended_with 4
    complained "cannot write '/dev/full': No space left on device"
    [ -c /dev/full ]
}

@test "--output that runs out of space keeps what was there" {
    echo old >"$BATS_TEST_TMPDIR/report"
    status=0
    (
        ulimit -f 1
        trap '' XFSZ
        exec "$LOCKSTEP" analyze -f json -o "$BATS_TEST_TMPDIR/report" "$INCIDENT"
    ) >"$OUT" 2>"$ERR" || status=$?
    ended_with 4
    complained "File too large"
    [ "$(cat "$BATS_TEST_TMPDIR/report")" = old ]
    [ -z "$(find "$BATS_TEST_TMPDIR" -name 'report.*')" ]
}

@test "--explain clock tells the search step by step, within the limits given" {
    lockstep analyze -q --explain clock --clock-alpha 1e-6 --period-range 10s:5m "$INCIDENT"
    ended_with 0
    for step in "1. Series" "2. Callers after failures" "3. Callers after good answers" \
        "5. Arrival times alone" "6. What remains" "periods asked for in the arrivals: 10 to " \
        "alpha 1e-06" "-> a retry clock"; do
        grep -F -e "$step" "$OUT"
    done
    [ "$(awk 'length > 100' "$OUT")" = "" ]
}

@test "clocks are searched among the periods and the user agents asked for" {
    lockstep analyze -q -f json --period-range 100:200 "$INCIDENT"
    ended_with 0
    [ "$(jq '[.clocks[] | select(.period_s < 99 or .period_s > 201)] | length' "$OUT")" -eq 0 ]
    lockstep analyze -q -f json --population 'openai*' "$INCIDENT"
    ended_with 0
    jq -e '.clocks | length > 0 and all(.owner | test("OpenAI"))' "$OUT"
    lockstep analyze -q -f json --population 'nobody*' "$INCIDENT"
    ended_with 0
    jq -e '.clocks == [] and .http.attempts > 0' "$OUT"
    jq -e '.verdict.headline | test("No user agent fits --population")' "$OUT"
    lockstep analyze --population 'nobody*' "$INCIDENT"
    ended_with 0
    grep -F "no user agent fits 'nobody*'" "$OUT" "$ERR"
    lockstep analyze -q -f json --timing "$INCIDENT"
    ended_with 0
    grep -E '^infer +[0-9.]+ s of CPU$' "$ERR"
}

@test "limits of the search that cannot be are wrong use" {
    for wrong in --clock-alpha=0 --clock-alpha=1 --clock-alpha=x --period-range=5 \
        --period-range=60:5 --period-range=x:9 --explain=waves; do
        lockstep analyze "$wrong" "$INCIDENT"
        ended_with 2
        complained "${wrong%%=*}"
    done
}

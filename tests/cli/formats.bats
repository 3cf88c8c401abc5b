#!/usr/bin/env bats
# lockstep formats: the list, and how one file is read.

load helper

explain() {
    "$LOCKSTEP" formats --explain "$@" >"$OUT" 2>"$ERR"
}

@test "formats lists every row with its moment and fits 80 columns" {
    "$LOCKSTEP" formats >"$OUT"
    for name in combined combined-ext common json ingress-nginx aws-alb aws-s3 w3c haproxy envoy squid \
        traefik caddy gcp cloudflare logfmt ltsv; do
        grep -qE "^  $name +(start|end|by order), " "$OUT"
    done
    harmless 80
}

@test "explain shows the first line field by field" {
    explain testdata/incidents/openai-requeue-20s.ext.log.gz
    grep -q ': combined-ext, compression gzip$' "$OUT"
    grep -qE '^  time +2026-11-30T04:57:1' "$OUT"
    grep -qE '^  it denotes +the end of the request$' "$OUT"
    grep -qE '^  status +200$' "$OUT"
    grep -q '^2981 lines: 2981 fit, 0 do not, 0 are blank or comments$' "$OUT"
}

@test "explain says which field did not fit, where, and what was expected" {
    printf '%s\n' '192.0.2.1 - - [15/Jul/2025:12:00:00 +0000] "GET / HTTP/1.1" 200 5' 'nonsense' \
        '192.0.2.1 - - [15/Foo/2025:12:00:00 +0000] "GET / HTTP/1.1" 200 5' \
        '192.0.2.1 - - [15/Jul/2025:12:00:00 +0000] "GET / HTTP/1.1" abc 5' |
        explain -
    grep -q '^  line 2, column 1: unrecognised: expected a line of a known format$' "$OUT"
    grep -q '^  line 3, column 16: bad-timestamp: expected a time stamp$' "$OUT"
    grep -q '^  line 4, column 61: bad-status: expected a status of three digits$' "$OUT"
    grep -q '^4 lines: 1 fit, 3 do not, 0 are blank or comments$' "$OUT"
}

@test "a custom format names the directive that did not fit" {
    printf '%s\n' '192.0.2.1 200 2025-07-15T12:00:00Z' '192.0.2.1 2x0 2025-07-15T12:00:00Z' |
        explain - --log-format 'nginx:$remote_addr $status $time_iso8601'
    grep -q '^standard input: custom, ' "$OUT"
    grep -qE 'line 2, column [0-9]+: bad-status: expected \$status$' "$OUT"
}

@test "a format may be forced, and then no other fits" {
    printf '%s\n' '192.0.2.1 - - [15/Jul/2025:12:00:00 +0000] "GET / HTTP/1.1" 200 5' |
        explain - --log-format json
    grep -q '^1 lines: 0 fit, 1 do not' "$OUT"
    status=0
    "$LOCKSTEP" analyze --log-format jsn /dev/null >"$OUT" 2>"$ERR" || status=$?
    [ "$status" -eq 2 ]
}

@test "stamps without a zone are UTC, or of the zone given" {
    line='192.0.2.1 - - [30/Nov/2026 03:25:00] "GET / HTTP/1.1" 200 -'
    at() { "$LOCKSTEP" analyze --quiet -f json "$@" - <<<"$line" | jq -c '[.input.span.start, .input.time.zone]'; }
    [ "$(at)" = '["2026-11-30T03:25:00.000Z","assumed-utc"]' ]
    [ "$(at --tz +02:00)" = '["2026-11-30T01:25:00.000Z","given"]' ]
    [ "$(at --tz -0330)" = '["2026-11-30T06:55:00.000Z","given"]' ]
}

@test "each record of an array is a request, and a line is counted once" {
    record() { printf '{"time":"2026-11-30T03:25:0%sZ","remote_addr":"192.0.2.1","request":"GET / HTTP/1.1","status":%s}' "$1" "$2"; }
    counts='[.input.lines.total, .input.lines.parsed, .input.lines.filtered, .input.lines.rejected, .input.lines.ignored, .http.requests]'
    of() { "$LOCKSTEP" analyze --quiet -f json "$@" - | jq -c "$counts"; }
    blob="{\"records\":[$(record 1 200),$(record 5 503),{\"x\":1}]}"
    [ "$(of <<<"$blob")" = '[1,1,0,0,0,2]' ]
    [ "$(of --since 2026-11-30T03:25:03Z <<<"$blob")" = '[1,1,0,0,0,1]' ]
    [ "$(of --since 2026-11-30T03:25:07Z <<<"$blob")" = '[1,0,1,0,0,0]' ]
    [ "$(printf '[\n%s,\n%s\n]\n' "$(record 1 200)" "$(record 2 200)" | of)" = '[4,2,0,0,2,2]' ]
    [ "$(printf '[{"x":1},{"y":2}]\n%s\n' "$(record 2 200)" | of)" = '[2,1,0,1,0,1]' ]
    [ "$(printf '[%s,%s]\n' "$(record 1 200)" "$(record 2 200)" | "$LOCKSTEP" formats --explain - | tail -1)" = \
        '1 lines: 1 fit, 0 do not, 0 are blank or comments' ]
}

@test "zones have names and rules, and hours that come twice or never" {
    export TZDIR=testdata/zone
    span() {
        zone=$1
        shift
        printf '192.0.2.1 - - [%s] "GET / HTTP/1.1" 200 -\n' "$@" |
            "$LOCKSTEP" analyze -f json --tz "$zone" - 2>"$ERR" | jq -c '.input.span | [.start, .end]'
    }
    autumn=("25/Oct/2026 02:30:00" "25/Oct/2026 02:59:59" "25/Oct/2026 02:00:00")
    want='["2026-10-25T00:30:00.000Z","2026-10-25T01:00:00.000Z"]'
    [ "$(span Europe/Berlin "${autumn[@]}")" = "$want" ]
    grep -q '3 stamps are of an hour that came twice, .* the order of the lines tells which' "$ERR"
    [ "$(span CET-1CEST,M3.5.0,M10.5.0/3 "${autumn[@]}")" = "$want" ]
    [ "$(span Europe/Berlin "25/Oct/2026 02:30:00")" = '["2026-10-25T00:30:00.000Z","2026-10-25T00:30:00.000Z"]' ]
    grep -q 'the first is taken' "$ERR"
    [ "$(span Europe/Berlin "25/Oct/2026 02:30:00" "25/Oct/2026 03:00:00")" = '["2026-10-25T01:30:00.000Z","2026-10-25T02:00:00.000Z"]' ]
    [ "$(span America/New_York "08/Mar/2026 02:30:00")" = '["2026-03-08T07:30:00.000Z","2026-03-08T07:30:00.000Z"]' ]
    grep -q '1 stamp is of an hour that never was' "$ERR"
    status=0
    "$LOCKSTEP" analyze --tz europe/berlin /dev/null >"$OUT" 2>"$ERR" || status=$?
    [ "$status" -eq 2 ]
    grep -q "did you mean 'Europe/Berlin'?" "$ERR"
}

@test "keys of JSON lines may be named" {
    line='{"when":"2026-11-30T03:25:00.250Z","res":{"code":503},"who":"192.0.2.7","m":"GET","u":"/x"}'
    "$LOCKSTEP" analyze --quiet -f json --json-keys time=when,status=res.code,caller=who,method=m,target=u - \
        <<<"$line" >"$OUT"
    [ "$(jq -c '[.http.attempts, .http.rejected, .input.span.start]' "$OUT")" = '[1,1,"2026-11-30T03:25:00.250Z"]' ]
}

@test "what hides in one line is counted: requests and attempts" {
    log=testdata/format/ext-upstream-lists.log
    [ "$("$LOCKSTEP" analyze --quiet -f json $log | jq -c '.http | [.requests, .attempts]')" = '[5,8]' ]
    [ "$("$LOCKSTEP" analyze --quiet -f json $log | jq -c '.calls | [.total, .failed]')" = '[5,2]' ]
}

@test "upstream lists in JSON lines hide tries as in columns" {
    line='{"time":"2026-11-30T03:25:00Z","remote_addr":"10.0.0.1","status":200,"request_time":0.030,"upstream_status":"502, 200","upstream_response_time":"0.010, 0.020"}'
    "$LOCKSTEP" analyze --quiet -f json - <<<"$line" >"$OUT"
    [ "$(jq -c '[.http.requests, .http.attempts, .http.by_status["502"], .calls.recovered]' "$OUT")" = '[1,2,1,1]' ]
}

@test "wrong use of formats is one clear line" {
    for args in "x.log" "--tz UTC" "--explain /nonexistent" "--explain - --json-keys nope=1"; do
        status=0
        "$LOCKSTEP" formats $args </dev/null >"$OUT" 2>"$ERR" || status=$?
        [ "$status" -eq 2 ] || [ "$status" -eq 3 ]
        [ "$(wc -l <"$ERR")" -eq 1 ]
    done
}

@test "callers may be told apart by another field" {
    callers() { "$LOCKSTEP" formats --explain - "$@" | sed -n 's/^  caller  *//p'; }
    json='{"time":"2026-11-30T03:25:00Z","remote_addr":"10.0.0.1","xff":"192.0.2.9, 10.0.0.5","status":200}'
    [ "$(callers <<<"$json")" = 10.0.0.1 ]
    [ "$(callers --caller xff <<<"$json")" = 192.0.2.9 ]
    text='10.0.0.1 - - [15/Jul/2025:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "curl/8" rt=0.010 xff="192.0.2.8, 10.0.0.5"'
    [ "$(callers <<<"$text")" = 10.0.0.1 ]
    [ "$(callers --caller xff <<<"$text")" = 192.0.2.8 ]
    [ "$(callers --caller 'column 11' <<<"$text")" = 192.0.2.8 ]
    apache='10.0.0.1 [15/Jul/2025:12:00:00 +0000] "GET / HTTP/1.1" 200 "192.0.2.7"'
    form='apache:%h %t "%r" %>s "%{X-Forwarded-For}i"'
    [ "$(callers --log-format "$form" <<<"$apache")" = 10.0.0.1 ]
    [ "$(callers --log-format "$form" --caller '%{X-Forwarded-For}i' <<<"$apache")" = 192.0.2.7 ]
    "$LOCKSTEP" analyze --caller nope -f json - <<<"$text" >"$OUT" 2>"$ERR"
    grep -q "1 of 1 requests have no field 'nope': their address stands for the caller" "$ERR"
    [ "$(jq -r .input.identity.caller "$OUT")" = address ]
    "$LOCKSTEP" analyze --caller xff -f json - <<<"$text" >"$OUT" 2>"$ERR"
    [ "$(jq -r .input.identity.caller "$OUT")" = xff ]
    [ ! -s "$ERR" ]
    status=0
    "$LOCKSTEP" analyze --log-format "$form" --caller nope - <<<"$apache" >"$OUT" 2>"$ERR" || status=$?
    [ "$status" -eq 2 ]
}

@test "one address with most of the traffic is told" {
    for i in $(seq 600); do
        echo "10.0.$((i % 3 == 0 ? i / 200 + 1 : 0)).$((i % 3 == 0 ? i % 200 : 1)) - - [15/Jul/2025:12:$((i / 60 + 10)):$((i % 50 + 10)) +0000] \"GET / HTTP/1.1\" 200 5"
    done >"$BATS_TEST_TMPDIR/nat.log"
    "$LOCKSTEP" analyze -f json "$BATS_TEST_TMPDIR/nat.log" 2>"$ERR" >"$OUT"
    grep -q '^lockstep: 10.0.0.1 sends at least 6[0-9] % of the requests' "$ERR"
}

@test "lines without a time are told once a file, with what to change" {
    printf '%s\n' 'GET /a 200 1.234 ms - 5' 'GET /b 503 2.5 ms - 12' '192.0.2.1 - - [15/Jul/2025:12:00:00 +0000] "GET / HTTP/1.1" 200 5' |
        "$LOCKSTEP" analyze -f json - >"$OUT" 2>"$ERR"
    [ "$(jq -c '[.input.lines.parsed, .input.lines.rejected, .input.rejected_samples[0].reason]' "$OUT")" = '[1,2,"no-time"]' ]
    grep -q "no-time: 2 lines of morgan's 'dev' format, which writes no time: log with morgan('combined')" "$ERR"
    [ "$(grep -c . "$ERR")" -eq 1 ]
    status=0
    echo 'INFO:     192.0.2.1:5 - "GET / HTTP/1.1" 200 OK' | "$LOCKSTEP" analyze -f json - >"$OUT" 2>"$ERR" || status=$?
    [ "$status" -eq 3 ]
    grep -q "1 line of uvicorn's access log, which writes no time: " "$ERR"
    echo 'INFO:     192.0.2.1:5 - "GET / HTTP/1.1" 200 OK' | explain -
    grep -q '^  line 1, column 1: no-time: expected a time$' "$OUT"
    grep -q "^      uvicorn's access log: no time is written;$" "$OUT"
}

@test "uvicorn's lines are read as the manual says once they have a time" {
    echo '2026-11-30 03:25:00,123 192.0.2.1:51234 "GET /a?b HTTP/1.1" 503 Service Unavailable' |
        explain - --log-format 'apache:%{end:%Y-%m-%d %H:%M:%S}t,%{end:msec_frac}t %a "%r" %>s %{phrase}n'
    grep -qE '^  time +2026-11-30T03:25:00.123Z$' "$OUT"
    grep -qE '^  caller +192.0.2.1$' "$OUT"
    grep -qE '^  status +503$' "$OUT"
}

@test "a status that is not known counts as a request that did not fail" {
    printf '%s\n' '192.0.2.1 - - [15/Jul/2025:12:00:00 +0000] "GET / HTTP/1.1" - -' \
        '{"time":"2025-07-15T12:00:01Z","ip":"192.0.2.1","request":"GET / HTTP/1.1","status":"-"}' |
        "$LOCKSTEP" analyze --quiet -f json - | jq -c '[.http.requests, .http.by_status, .http.errors]' >"$OUT"
    [ "$(cat "$OUT")" = '[2,{},0]' ]
    echo '192.0.2.1 - - [15/Jul/2025:12:00:00 +0000] "GET / HTTP/1.1" 499 -' | explain -
    grep -qE '^  status +499, the client gave up$' "$OUT"
}

# Each tenth request took five seconds; lines stand in the order of their ends, stamps are starts.
by_start() {
    awk -v epoch=1752580800 'BEGIN { for (i = 0; i < 300; i++) {
        took = i % 10 ? 40 : 5000
        printf "%.3f %6d 192.0.2.%d TCP_MISS/200 257 GET http://h/a - HIER_DIRECT/10.0.0.1 -\n", epoch + i / 10 - took / 1000, took, i % 5
    } }'
}

@test "an order of lines that belies what a format's stamps denote is told" {
    by_start | "$LOCKSTEP" analyze -f json - >"$OUT" 2>"$ERR"
    grep -q "stand in the order of stamps that denote the start of requests, but those of 'squid' denote the end, and are read so" "$ERR"
    [ "$(jq -r .input.time.moment "$OUT")" = end ]
    jq -r '.input.files[0].problem' "$OUT" | grep -q "those of 'squid' denote the end, and are read so"
    by_start | sort -n | "$LOCKSTEP" analyze -f json - >"$OUT" 2>"$ERR"
    run ! grep -q 'stand in the order' "$ERR"
}

@test "the moment of combined lines is what their order shows, or not known" {
    moment() { "$LOCKSTEP" analyze --quiet -f json "$@" | jq -r .input.time.moment; }
    [ "$(moment testdata/format/varnishncsa-wide.log)" = start ]
    line='192.0.2.1 - - [15/Jul/2025:12:%02d:%02d +0000] "GET /%d HTTP/1.1" 200 5 "-" "curl"\n'
    [ "$(for i in $(seq 300); do printf "$line" $((i / 60)) $((i % 60)) "$i"; done | moment -)" = null ]
    [ "$(for i in $(seq 300); do j=$((i % 25 == 0 ? i - 8 : i)); printf "$line" $((j / 60)) $((j % 60)) "$i"; done | moment -)" = start ]
}

@test "explain shows the log's own fields, and what columns are read as" {
    line='10.0.0.1 - - [15/Jul/2025:12:00:00 +0000] "GET / HTTP/1.1" 200 5 "-" "curl/8" "rt=0.010" 192.0.2.1 x=5 y'
    explain - <<<"$line"
    grep -qE '^  rt +0.010 \(duration\)$' "$OUT"
    grep -qE '^  column 11 +192.0.2.1$' "$OUT"
    grep -qE '^  x +5' "$OUT"
    explain - <<<'{"time":1752580800,"req":[{"ip":"192.0.2.1"}],"path":"/","status":200}'
    grep -qE '^  req.ip +192.0.2.1$' "$OUT"
    printf '%s\n' '#Fields: date time c-ip cs-method cs-uri-stem sc-status s-port' '2026-11-30 03:25:00 192.0.2.1 GET / 200 443' | explain -
    grep -qE '^  s-port +443$' "$OUT"
}

@test "explain names the member, the column and the place of a line that does not fit" {
    json() { printf '{"time":"%s","ip":"192.0.2.1","path":"/","status":%s\n' "$1" "$2"; }
    { json 2026-11-30T03:25:00Z '200}'; json 2026-13-30T03:25:00Z '200}'; json 2026-11-30T03:25:00Z '"x"}'
      json 2026-11-30T03:25:00Z 200; json 2026-11-30T03:25:00Z '200 "a":1}'
      echo '{"time":"2026-11-30T03:25:00Z","ip":"192.0.2.1"}'; echo '{"time":"2026-11-30T03:25:00Z","status":200}'; } |
        explain -
    grep -q "^  line 2, column 10: bad-timestamp: expected a time stamp in 'time'$" "$OUT"
    grep -q "^  line 3, column 70: bad-status: expected a status of three digits in 'status'$" "$OUT"
    grep -q '^  line 4, column 72: bad-json: expected the rest of the JSON object$' "$OUT"
    grep -q '^  line 5, column 73: bad-json: expected JSON: a comma, a colon, a key or a value$' "$OUT"
    grep -q "^  line 6, column 1: bad-status: expected a member for the status, such as 'status'; " "$OUT"
    grep -q '^  line 7, column 1: unrecognised: expected a request: a member for the caller, ' "$OUT"
    { echo '#Fields: date time c-ip cs-method cs-uri-stem sc-status'; echo '2026-11-30 03:25:00 192.0.2.1 GET / 200'
      echo '2026-11-30 03:65:00 192.0.2.1 GET / 200'; echo '2026-11-30 03:25:00 192.0.2.1 GET / x'
      echo '2026-11-30 03:25:00 192.0.2.1 GET /'; echo '2026-11-30 03:25:00 192.0.2.1 GET / 200 1'; } | explain -
    grep -q "^  line 3, column 12: bad-timestamp: expected a time, hh:mm:ss, in 'time'$" "$OUT"
    grep -q "^  line 4, column 37: bad-status: expected a status of three digits in 'sc-status'$" "$OUT"
    grep -q "^  line 5, column 36: cut-short: expected 1 more columns, from 'sc-status' on" "$OUT"
    grep -q '^  line 6, column 41: unrecognised: expected the end: the #Fields line above names 6 columns$' "$OUT"
    line='Nov 30 03:27:39 h haproxy[2]: 127.0.0.1:583 [30/%s/2026:03:27:39.594] fe be/a 0/0/0/0/0 %s 1 - - ---- 1/1/0/0/0 0/0 "GET / HTTP/1.1"\n'
    { printf "$line" Nov 429; printf "$line" Nov 4x9; printf "$line" Nob 429; } | explain -
    grep -q '^  line 2, column 90: bad-status: expected a status of three digits$' "$OUT"
    grep -q '^  line 3, column 45: bad-timestamp: expected a time stamp, ' "$OUT"
}

@test "explain names the label of an LTSV line that does not fit" {
    printf 'time:[30/Nov/2026:03:25:00 +0000]\thost:203.0.113.7\treq:GET /a HTTP/1.1\tstatus:%s\treqtime:0.123\n' \
        503 50x | explain -
    grep -q '^standard input: ltsv, ' "$OUT"
    grep -qE '^  duration +0.123 s$' "$OUT"
    grep -q "line 2, column 79: bad-status: expected a status of three digits in 'status'\$" "$OUT"
}

@test "explain shows JSON integers in full" {
    printf '{"time":"2026-11-30T03:25:00Z","method":"GET","path":"/","status":200,"a":12345678901234567890,"b":[-9007199254740993],"c":{"d":"1234567890123456789"},"e":1.5}\n' |
        explain -
    grep -qE '^  a +12345678901234567890$' "$OUT"
    grep -qE '^  b +-9007199254740993$' "$OUT"
    grep -qE '^  c\.d +1234567890123456789$' "$OUT"
    grep -qE '^  e +1.5$' "$OUT"
}

#!/usr/bin/env bats
# Wrapped logs, and the account of every line.

load helper

LINE='203.0.113.7 - - [30/Nov/2026:03:25:00 +0000] "GET /a HTTP/1.1" 503 6 "-" "curl/8.5.0"'

# counts — total, parsed, rejected and ignored lines of the report in $OUT
counts() {
    jq -r '.input.lines | "\(.total) \(.parsed) \(.rejected) \(.ignored)"' "$OUT"
}

# What is the same for a wrapped log and its inner lines; a wrapper may tell the zone as well.
findings() {
    "$LOCKSTEP" analyze --quiet --format json "$1" |
        jq -S '[.http, .calls, .arrivals, .input.span, (.input.time | del(.zone)), .input.identity, .reconciliation]'
}

@test "a wrapped log gives what its inner lines give" {
    for log in testdata/wrapped/*.log; do
        findings "$log" >"$BATS_TEST_TMPDIR/wrapped"
        findings "${log%.log}.inner" >"$BATS_TEST_TMPDIR/inner"
        cmp "$BATS_TEST_TMPDIR/wrapped" "$BATS_TEST_TMPDIR/inner" || {
            echo "$log"
            return 1
        }
    done
}

@test "the report names the wrappers, and explain shows them" {
    lockstep analyze --quiet --format json testdata/wrapped/haproxy-rfc3164.log
    [ "$(jq -c '.input.files[0].wrappers' "$OUT")" = '["pri","rfc3164"]' ]
    lockstep analyze --quiet testdata/wrapped/cri.log
    says 'combined in cri'
    lockstep formats --explain testdata/wrapped/haproxy-rfc5424.log
    grep -qE '^  peeled off +rfc5424$' "$OUT"
    grep -qE '^  inside +127.0.0.1:58346 ' "$OUT"
    grep -qE '^  zone +told by the stamp around the line$' "$OUT"
}

@test "parts of a line are one request and are counted once" {
    lockstep analyze --quiet --format json testdata/wrapped/cri.log
    [ "$(counts)" = "4 2 1 1" ]
    lockstep formats --explain testdata/wrapped/cri.log
    grep -q '^4 lines: 2 fit, 1 do not, 0 are blank or comments, 1 are parts of others$' "$OUT"
}

@test "rejected lines are counted by reason and kept as they are" {
    log=$BATS_TEST_TMPDIR/log
    rejects=$BATS_TEST_TMPDIR/rejects
    printf '\357\273\277%s\r\n\nforeign \001\377 line\r\n\0\0\0%s\n# comment\n%s\n' "$LINE" "$LINE" \
        "${LINE/503/5o3}" >"$log"
    head -c 3000 /dev/zero | tr '\0' A >>"$log"
    printf '\nab\0cd\nend' >>"$log"
    lockstep analyze --quiet --format json --max-line 1K --rejects "$rejects" "$log"
    ended_with 0
    [ "$(counts)" = "9 2 5 2" ]
    [ "$(jq -Sc '.input.rejected_reasons' "$OUT")" = \
        '{"bad-status":1,"binary":1,"line-too-long":1,"unrecognised":2}' ]
    {
        printf 'foreign \001\377 line\r\n%s\n' "${LINE/503/5o3}"
        head -c 3000 /dev/zero | tr '\0' A
        printf '\nab\0cd\nend\n'
    } | cmp - "$rejects"
    lockstep analyze --quiet --max-line 1K "$log"
    says 'unrecognised 2, bad-status 1, binary 1,'
}

@test "the file of rejected lines is replaced whole, for all inputs, and only when it can be" {
    rejects=$BATS_TEST_TMPDIR/rejects
    echo old >"$rejects"
    printf '%s\nx\n' "$LINE" >"$BATS_TEST_TMPDIR/1"
    printf 'y\n%s\n' "$LINE" >"$BATS_TEST_TMPDIR/2"
    lockstep analyze --quiet --rejects "$rejects" "$BATS_TEST_TMPDIR/1" "$BATS_TEST_TMPDIR/2"
    [ "$(sort "$rejects" | tr '\n' ' ')" = "x y " ]
    [ "$(find "$BATS_TEST_TMPDIR" -name 'rejects*' | wc -l)" -eq 1 ]
    lockstep analyze --rejects "$BATS_TEST_TMPDIR/no/such" "$BATS_TEST_TMPDIR/1"
    ended_with 4
    complained "cannot write the rejected lines to '$BATS_TEST_TMPDIR/no/such': No such file"
    lockstep analyze --rejects "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/1"
    ended_with 4
    lockstep analyze --quiet --rejects /dev/full "$BATS_TEST_TMPDIR/1"
    ended_with 4
}

@test "a wrong size is told" {
    lockstep analyze --max-line 1X testdata/wrapped/cri.log
    ended_with 2
    complained "--max-line: '1X' is not a size"
}

@test "UTF-16, old ends of lines and holes are told" {
    printf '%s\r\n%s\r\n' "$LINE" "$LINE" | iconv -f UTF-8 -t UTF-16 >"$BATS_TEST_TMPDIR/16"
    lockstep analyze "$BATS_TEST_TMPDIR/16"
    ended_with 3
    grep -q 'iconv -f UTF-16' "$ERR"
    lockstep analyze --quiet --format json "$BATS_TEST_TMPDIR/16"
    [ "$(jq -c '.input.rejected_reasons | keys' "$OUT")" = '["utf-16"]' ]
    printf '%s\r%s\r' "$LINE" "$LINE" >"$BATS_TEST_TMPDIR/cr"
    lockstep analyze --quiet --format json "$BATS_TEST_TMPDIR/cr"
    [ "$(counts)" = "2 2 0 0" ]
}

@test "a log may change its wrapper midway" {
    {
        printf '%s\n' "$LINE"
        printf '2026-11-30T03:25:01Z stdout F %s\n' "$LINE" "$LINE"
        printf 'web-1  | %s\n' "$LINE"
        printf '<190>Nov 30 03:25:02 web1 nginx: %s\n' "$LINE"
        printf 'hello\n'
        printf '%s\n' "$LINE"
    } >"$BATS_TEST_TMPDIR/log"
    lockstep analyze --quiet --format json "$BATS_TEST_TMPDIR/log"
    [ "$(counts)" = "7 6 1 0" ]
    [ "$(jq '.http.by_status["503"]' "$OUT")" -eq 6 ]
}

@test "arrays and records inside wrappers are split as outside of them" {
    local record='{"remote_addr":"203.0.113.7","time":"2026-11-30T03:25:00Z","request":"GET /a HTTP/1.1","status":503}'
    local block="{\"records\":[$record,{\"level\":\"info\"},$record]}" array="[$record,$record,$record]"
    local stamp=2026-11-30T03:25:01.123456789Z
    count() { "$LOCKSTEP" analyze --quiet -f json - | jq -c '[.http.requests, .input.lines.rejected]'; }

    [ "$(jq -cn --arg log "$block"$'\n' '{$log, stream: "stdout", time: "2026-11-30T03:25:01Z"}' | count)" = '[2,0]' ]
    [ "$(jq -cn --arg log "$array"$'\n' '{$log, stream: "stdout", time: "2026-11-30T03:25:01Z"}' | count)" = '[3,0]' ]
    [ "$(jq -cn --arg MESSAGE "$array" '{$MESSAGE, __REALTIME_TIMESTAMP: "1796009101000000"}' | count)" = '[3,0]' ]
    [ "$(echo "Nov 30 03:25:00 web1 app[1]: $block" | count)" = '[2,0]' ]
    [ "$(printf '%s stdout P %s\n%s stdout F %s\n' "$stamp" "${block:0:90}" "$stamp" "${block:90}" | count)" = '[2,0]' ]
    [ "$(printf '__REALTIME_TIMESTAMP=1796009101000000\nMESSAGE=%s\n' "$array" | count)" = '[3,0]' ]
    [ "$(printf '%s stdout F %s\n' "$stamp" '{"records":[{"level":"info"}]}' "$stamp" "$array" | count)" = '[3,1]' ]
}

@test "a year that nothing tells is the one that puts the stamp into the past, and the report says so" {
    local line='{"remote_addr":"203.0.113.7","request":"GET /a HTTP/1.1","status":503}'

    echo "$(LC_ALL=C date -u -d '40 days ago' '+%b %e %T') web1 nginx: $line" |
        "$LOCKSTEP" analyze --quiet -f json - >"$OUT"
    [ "$(jq -r .input.span.start "$OUT" | cut -c1-10)" = "$(date -u -d '40 days ago' +%F)" ]
    jq -r '.input.files[0].problem' "$OUT" | grep -q "it names no year: $(date -u -d '40 days ago' +%Y) is assumed"
    echo "Dec 31 23:00:00 web1 nginx: $line" >"$BATS_TEST_TMPDIR/old.log"
    touch -d 2024-02-01T00:00:00Z "$BATS_TEST_TMPDIR/old.log"
    [ "$("$LOCKSTEP" analyze --quiet -f json "$BATS_TEST_TMPDIR/old.log" | jq -r .input.span.start)" = 2023-12-31T23:00:00.000Z ]
}

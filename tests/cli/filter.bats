load helper

JSON=testdata/format/custom-nginx-json.log
SEED=testdata/incidents/seed-small-ids.log.gz

# attempts ARGUMENT... — of a report on them, "parsed filtered attempts"
attempts() {
    lockstep analyze -f json "$@"
    ended_with 0
    [ $(($(value input.lines.total) - $(value input.lines.parsed) - $(value input.lines.filtered) - \
        $(value input.lines.rejected) - $(value input.lines.ignored))) -eq 0 ]
    echo "$(value input.lines.parsed) $(value input.lines.filtered) $(value http.attempts)"
}

# gives "WANT" ARGUMENT...
gives() {
    local want=$1 got
    shift
    got=$(attempts "$@")
    [ "$got" = "$want" ] || {
        echo "'$got' instead of '$want': $*"
        return 1
    }
}

# Eight requests; a status, a target and an agent each.
log() {
    local status target agent at=10
    while read -r status target agent; do
        printf '10.0.0.%d - - [15/Jul/2025:12:00:%d +0000] "GET %s HTTP/1.1" %s 12 "-" "%s"\n' \
            $((at % 3)) $at "$target" "$status" "$agent"
        at=$((at + 1))
    done <<'END'
200 /a/b curl/8
404 /a/[x] curl/8
429 /a/*?q=1 -
500 /b/?q=2 sdk/1
503 /b/\ sdk/2
499 /b/%3Fq=3 sdk/2
204 /c;v=1?q=4 SDK/2
399 /a/b?q=5 curl/8
END
}

@test "statuses are numbers, classes, ranges and lists" {
    log >"$BATS_TEST_TMPDIR/log"
    cd "$BATS_TEST_TMPDIR"
    gives "1 7 1" --match status=429 log
    gives "2 6 2" --match status=5xx log
    gives "2 6 2" --match status=5XX log
    gives "1 7 1" --match status=42x log
    gives "3 5 3" --match status=400-499 log
    gives "3 5 3" --match status=4xx-4xx log
    gives "4 4 4" --match status=429,5xx,399-399 log
    gives "4 4 4" --match status=429 --match status=5xx --match status=399 log
    gives "6 2 6" --match 'status!=5xx' log
    gives "3 5 3" --match 'status!=5xx' --match 'status!=400-499' log
    gives "2 6 2" --match status=4xx --match 'status!=499' log
}

@test "globs hold for the whole value, and may be hostile" {
    log >"$BATS_TEST_TMPDIR/log"
    cd "$BATS_TEST_TMPDIR"
    gives "0 8 0" --match target=/a log
    gives "4 4 4" --match 'target=/a/*' log
    gives "2 6 2" --match target=/a/b log
    gives "1 7 1" --match 'target=/a/\[x\]' log
    gives "1 7 1" --match 'target=/a/\*' log
    gives "1 7 1" --match 'target=/a/[[]x[]]' log
    gives "1 7 1" --match 'target=/a/[x]' --match 'target=/a/\[*' log
    gives "1 7 1" --match 'target=*\\*' log
    gives "1 7 1" --match 'target=*%3F*' log
    gives "1 7 1" --match 'target=/c;v=?' log
    gives "3 5 3" --match 'caller=10.0.0.[!01]' log
    gives "2 6 2" --match 'user_agent=sdk/2' log
    gives "1 7 1" --match 'user-agent=SDK/*' log
    gives "1 7 1" --match user_agent= log
    gives "7 1 7" --match 'user_agent=?*' log
    gives "7 1 7" --match 'user_agent!=' log
    gives "8 0 8" --match 'method=[A-Z]*' log
}

@test "different fields are all asked for" {
    log >"$BATS_TEST_TMPDIR/log"
    cd "$BATS_TEST_TMPDIR"
    gives "1 7 1" --match 'target=/b*' --match 'user_agent=sdk/2' --match status=503 log
    gives "3 5 3" --match 'target=/b*' --match 'target=/c*' --match 'user_agent!=SDK*' log
    gives "0 8 0" --match 'target=/a*' --match 'target!=/*' log
}

@test "a query is not part of a target unless it is kept" {
    log >"$BATS_TEST_TMPDIR/log"
    cd "$BATS_TEST_TMPDIR"
    gives "0 8 0" --match 'target=*q=[1245]' log
    gives "4 4 4" --keep-query --match 'target=*\?q=[1245]' log
    gives "1 7 1" --keep-query --match 'target=/a/b' log
    gives "1 7 1" --match 'target=*q=3' log
}

@test "hosts have neither port nor case, in every format that logs them" {
    gives "29 25 35" --match host=127.0.0.1 "$JSON"
    for want in "3 testdata/format/lighttpd.log 127.0.0.1" "2 testdata/format/aws-alb.log *example*" \
        "1 testdata/format/heroku.log *" "48 testdata/format/custom-apache-vhost.log *" \
        "2 testdata/format/json-cloudflare.log *" "1 testdata/format/json-envoy.log ?*" \
        "1 testdata/format/istio.log ?*" "2 testdata/format/aws-cloudfront.log ?*"; do
        set -f
        set -- $want
        set +f
        lockstep analyze -q -f json --match "host=$3" "$2"
        [ "$(value input.lines.parsed)" -ge "$1" ] || {
            echo "$want: $(value input.lines.parsed)"
            return 1
        }
        never grep -q "no line has" "$ERR"
    done
    printf '%s\n' \
        'API.Example:443 10.0.0.1 - - [15/Jul/2025:12:00:10 +0000] "GET / HTTP/1.1" 200 1 "-" "a"' \
        'api.example:80 10.0.0.1 - - [15/Jul/2025:12:00:11 +0000] "GET / HTTP/1.1" 200 1 "-" "a"' \
        'www.example:80 10.0.0.1 - - [15/Jul/2025:12:00:12 +0000] "GET / HTTP/1.1" 200 1 "-" "a"' \
        >"$BATS_TEST_TMPDIR/vhosts"
    gives "2 1 2" --match 'host=api.EXAMPLE' "$BATS_TEST_TMPDIR/vhosts"
    gives "1 2 1" --match 'host!=api.*' "$BATS_TEST_TMPDIR/vhosts"
}

@test "fields of the log's own: JSON keys, columns, #Fields, members, directives" {
    gives "3 51 3" --match 'us=50[234]' "$JSON"
    gives "1 2 1" --match 'sc-substatus=0' --match 'cs-method=?*' --match 'sc-status=200' testdata/format/w3c-iis.log
    gives "1 0 1" --match 'dyno=web*' testdata/format/heroku.log
    printf '%s\n' \
        '{"time":"2025-07-15T12:00:00Z","status":200,"method":"GET","uri":"/","ctx":{"Tenant-Id":"blue"}}' \
        '{"time":"2025-07-15T12:00:01Z","status":200,"method":"GET","uri":"/","ctx":{"Tenant-Id":"r\u00e9d"}}' \
        '{"time":"2025-07-15T12:00:02Z","status":200,"method":"GET","uri":"/"}' >"$BATS_TEST_TMPDIR/json"
    gives "1 2 1" --match ctx.tenant_id=blue "$BATS_TEST_TMPDIR/json"
    gives "1 2 1" --match 'ctx.Tenant-Id=réd' "$BATS_TEST_TMPDIR/json"
    gives "2 1 2" --match 'ctx.tenant_id!=blue' "$BATS_TEST_TMPDIR/json"
    printf '%s\n' \
        '10.0.0.1 - - [15/Jul/2025:12:00:10 +0000] "GET / HTTP/1.1" 200 1 "-" "a" zone=eu "x y"' \
        '10.0.0.1 - - [15/Jul/2025:12:00:11 +0000] "GET / HTTP/1.1" 200 1 "-" "a" zone=us "x z"' \
        >"$BATS_TEST_TMPDIR/columns"
    gives "1 1 1" --match zone=eu "$BATS_TEST_TMPDIR/columns"
    gives "1 1 1" --match 'column 10=us' "$BATS_TEST_TMPDIR/columns"
    gives "1 1 1" --match 'column 11=x y' "$BATS_TEST_TMPDIR/columns"
    gives "1 1 1" --match '%{X-Zone}i=zone=eu' \
        --log-format 'apache:%h %l %u %t "%r" %>s %b "%{Referer}i" "%{User-Agent}i" %{X-Zone}i "%{Y}i"' \
        "$BATS_TEST_TMPDIR/columns"
}

@test "a field that no line has is told, with those that there are" {
    lockstep analyze -f json --match hosst=x --match 'status!=200' "$JSON"
    ended_with 0
    complained "no line has a field 'hosst'; there are: caller, method, host, target, status, user_agent"
    grep -qF ", rt, " "$ERR"
    lockstep analyze --match host=x "$SEED"
    complained "no line has a field 'host'"
    says "No request is left"
}

@test "filters that make no sense are wrong use" {
    for bad in status status=4 status=4x1 status=1xx-0xx status=500-400 status= status=429, status=a =x '!=x' ''; do
        lockstep analyze --match "$bad" "$SEED"
        ended_with 2
        complained "--match"
    done
    lockstep analyze --match a=1 --match b=1 --match c=1 --match d=1 --match e=1 "$SEED"
    ended_with 2
    complained "more than 4 fields"
    lockstep analyze --log-format 'apache:%h %t "%r" %>s' --match '%D=1' "$SEED"
    ended_with 2
    complained "'%D'"
}

@test "what is filtered is neither linked nor rejected, and times count as well" {
    lockstep analyze -f json --match status=2xx "$SEED"
    ended_with 0
    silent
    [ "$(value reconciliation.rejected)" = 0 ]
    [ "$(value clocks)" = "[]" ]
    lockstep analyze -f json --match status=2xx --since 2025-07-15T12:05:00Z "$SEED"
    [ "$(value input.lines.rejected)" = 0 ]
    [ "$(value input.lines.filtered)" -gt 0 ]
    lockstep analyze --match status=2xx "$SEED"
    says "left out as asked"
}

@test "queries are kept from wherever the format has them" {
    mkdir "$BATS_TEST_TMPDIR/q"
    cd "$BATS_TEST_TMPDIR/q"
    printf '%s\n' '#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip sc-status' \
        '2025-07-15 12:00:00 GET /p a=1;b 10.0.0.1 200' '2025-07-15 12:00:00 GET /p - 10.0.0.1 200' >w3c
    printf '%s\n' '{"msec":"1752580800.1","status":200,"uri":"/p","args":"a=1;b"}' \
        '{"msec":"1752580800.1","status":200,"uri":"/p","args":""}' >args.json
    printf '%s\n' '{"msec":"1752580800.1","status":200,"request":"GET /p?a=1;b HTTP/1.1"}' \
        '{"msec":"1752580800.1","status":200,"request":"GET /p HTTP/1.1"}' >request.json
    printf '%s\n' '{"msec":"1752580800.1","status":200,"method":"GET","uri":"/p\u003Fa=1;b"}' \
        '{"msec":"1752580800.1","status":200,"method":"GET","uri":"/p"}' >escaped.json
    printf '%s\n' '10.0.0.1 - - [15/Jul/2025:12:00:10 +0000] "GET /p?a=1;b HTTP/1.1" 200 1' \
        '10.0.0.1 - - [15/Jul/2025:12:00:10 +0000] "GET http://h/p HTTP/1.1" 200 1' >common
    for log in w3c args.json request.json escaped.json common; do
        gives "1 1 1" --keep-query --match 'target=/p\?a=1;b' $log
        gives "2 0 2" --match 'target=/p' $log
    done
    printf '%s\n' '[15/Jul/2025:12:00:10 +0000] /p?a=1;b 200' '[15/Jul/2025:12:00:10 +0000] /p 200' >paths
    gives "1 1 1" --keep-query --match 'target=/p\?a=1;b' --log-format 'apache:%t %U%q %>s' paths
    gives "1 1 1" --keep-query --match 'target=/p\?a=1;b' --log-format 'nginx:[$time_local] $uri$is_args$args $status' paths
    printf '%s\n' '[15/Jul/2025:12:00:10 +0000] /p "a=1;b" 200' '[15/Jul/2025:12:00:10 +0000] /p "-" 200' >apart
    gives "1 1 1" --keep-query --match 'target=/p\?a=1;b' --log-format 'nginx:[$time_local] $uri "$args" $status' apart
}

load helper

JSON=testdata/incidents/openai-requeue-20s.json.log.gz
EXT=testdata/incidents/openai-requeue-20s.ext.log.gz

calls() {
    lockstep analyze -q -f json "$@"
    ended_with 0
    echo "$(value calls.total) $(value calls.failed) $(value input.identity.call)"
}

@test "an id is chosen by its key and by its place" {
    [ "$(calls $JSON)" = "$(calls --call-id idempotency_key $JSON)" ]
    [ "$(calls $EXT)" = "$(calls --call-id 'column 16' $EXT)" ]
    [ "$(calls --call-id idempotency_key $JSON | cut -d' ' -f1,2)" = \
        "$(calls --call-id 'column 16' $EXT | cut -d' ' -f1,2)" ]
}

@test "an id that names tasks makes each attempt a call" {
    lockstep analyze -q -f json --task-id idempotency_key $JSON
    ended_with 0
    [ "$(value input.identity.task | tr -d '"')" = idempotency_key ]
}

@test "what a rejection is can be said by status and by field" {
    lockstep analyze -q -f json --rejected 4xx $JSON
    ended_with 0
    [ "$(value http.rejected)" -gt "$(value http.by_status.429)" ]
    lockstep analyze -q -f json --rejected status=429 $JSON
    [ "$(value http.rejected)" -eq "$(value http.by_status.429)" ]
    lockstep analyze -q -f json --rejected 'uri=/nowhere/*' $JSON
    [ "$(value http.rejected)" -eq 0 ]
    lockstep analyze -q -f json --rejected 42 $JSON
    ended_with 2
}

@test "a layer of another name comes from any field" {
    lockstep analyze -q -f json --layer flow=x_task_id $JSON
    ended_with 0
    [ "$(value layers.1.name | tr -d '"')" = flow ]
    [ "$(value layers.1.identity | tr -d '"')" = x_task_id ]
    [ "$(value layers.1.attempts)" = "$(value layers.0.units)" ]
    [ "$(value amplification.0.units)" = "$(value layers.1.units)" ]
    lockstep analyze -q --layer flow=x_task_id $JSON
    grep -q "flow 4.25" "$OUT"
    lockstep analyze -q -f json --layer 'flow=column 17' $EXT
    [ "$(value layers.1.units)" = 150 ]
    [ "$(value layers.1.attempts)" = 638 ]
    lockstep analyze -f json --layer flow=nowhere $JSON
    grep -q "the field 'nowhere' joins nothing: no line has it" "$ERR"
    lockstep analyze --layer flow $JSON
    ended_with 2
    lockstep analyze --layer job=x_task_id $JSON
    ended_with 2
}

@test "ids and numbers are read from a format that was given" {
    FORMAT='nginx:$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" $request_time $msec "$request_id" "$http_a" "$http_b" "$http_tries" "$http_key" "$http_job" "$http_c"'
    lockstep analyze -q -f json --log-format "$FORMAT" --call-id '$http_key' --task-id '$http_job' \
        --attempt-no '$http_tries' $EXT
    ended_with 0
    [ "$(value calls.total) $(value calls.failed)" = "1860 491" ]
    [ "$(value layers.0.units) $(value layers.1.units)" = "638 150" ]
    lockstep analyze -q -f json --log-format "$FORMAT" --attempt-no '$http_tries' $EXT
    [ "$(value input.identity.call | tr -d '"')" = "attempt number" ]
    [ "$(value calls.total) $(value calls.failed)" = "1860 491" ]
    lockstep analyze -q --log-format "$FORMAT" --call-id '$http_nowhere' $EXT
    ended_with 2
}

@test "the report says what counts as a rejection" {
    lockstep analyze -q --rejected 4xx $JSON
    grep -q "were rejected (4xx)" "$OUT"
    lockstep analyze -q -f json $JSON
    [ "$(value input.rejection | tr -d '"')" = "429, 503, 529" ]
    lockstep analyze -q -f json --rejected 404 $JSON
    [ "$(value http.errors)" -ge "$(value http.rejected)" ]
}

@test "a field that says nothing is told" {
    lockstep analyze -f json --attempt-no nowhere --task-id nothing $JSON
    ended_with 0
    grep -q "the field 'nothing' joins nothing" "$ERR"
    lockstep analyze -f json --task-id idempotency_key $JSON
    never grep -q "joins nothing" "$ERR"
}

# Sixty callers: a call that the proxy made good at once, one that failed, and its retry.  All three are
# numbered, the first two alike.
@test "a numbered attempt is no retry of one that a later try of its line made good" {
    awk 'BEGIN { for (j = 0; j < 60; j++) { t = 1752580800 + j * 7
        f = "10.0.0.%d [%.3f] \"GET /v1 HTTP/1.1\" %d \"%s\" \"0.010%s\" \"app/1\" n=%d\n"
        printf f, j, t, 200, "502, 200", ", 0.010", 1
        printf f, j, t + 0.1, 502, "502", "", 1
        printf f, j, t + 1.1, 200, "200", "", 2 } }' >"$BATS_TEST_TMPDIR/log"
    lockstep analyze -q -f json --attempt-no '$http_n' --log-format \
        'nginx:$remote_addr [$msec] "$request" $status "$upstream_status" "$upstream_response_time" "$http_user_agent" n=$http_n' \
        "$BATS_TEST_TMPDIR/log"
    ended_with 0
    [ "$(jq -c '[.http.attempts, .calls.total, .calls.recovered, .calls.failed]' "$OUT")" = '[240,120,120,0]' ]
}

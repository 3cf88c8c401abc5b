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

@test "a field that says nothing is told" {
    lockstep analyze -f json --attempt-no nowhere --task-id nothing $JSON
    ended_with 0
    grep -q "the field 'nothing' joins nothing" "$ERR"
    lockstep analyze -f json --task-id idempotency_key $JSON
    never grep -q "joins nothing" "$ERR"
}

#!/usr/bin/env bats
# map, reduce and merge: the report of one process, whatever the cut, the order and the faults; and the
# drivers of the engines.

load helper

# The rest of a report; of what stands on standard input.
facts() {
    jq -S 'del(.input.files, .input.rejected_samples)'
}

log_of() {
    gzip -dcf "$1" >"$BATS_TEST_TMPDIR/log"
    "$LOCKSTEP" analyze -q -f json "${@:2}" "$BATS_TEST_TMPDIR/log" | facts >"$BATS_TEST_TMPDIR/want"
    cd "$BATS_TEST_TMPDIR"
}

# one_state LOG [OPTION]... — map and reduce of one log, to $BATS_TEST_TMPDIR/NAME.state
one_state() {
    "$LOCKSTEP" map -q "${@:2}" "$1" | LC_ALL=C sort | "$LOCKSTEP" reduce -o "${1##*/}.state"
}

same() {
    "$LOCKSTEP" merge -q -f json "$@" >"$OUT"
    facts <"$OUT" | cmp want -
}

# refused STATUS TEXT ARGUMENT... — and nothing is printed
refused() {
    lockstep merge -f json "${@:3}"
    ended_with "$1"
    complained "$2"
    [ ! -s "$OUT" ]
}

matrix() {
    local maps reduces i k states records
    for maps in $1; do
        rm -f part.* map-*
        split -n "l/$maps" -a 3 -d log part.
        for part in part.*; do
            "$LOCKSTEP" map -q --like log --partitions 16 -o "map-$part" "$part"
        done
        for reduces in $2; do
            rm -f ./*.state
            for ((i = 0; i < reduces; i++)); do
                records=()
                for ((k = i; k < 16; k += reduces)); do records+=(map-*."$k"); done
                LC_ALL=C sort "${records[@]}" | "$LOCKSTEP" reduce -o "$i.state"
            done
            mapfile -t states < <(printf '%s\n' ./*.state | shuf)
            same "${states[@]}"
        done
    done
}

@test "combined: maps, reduces and the order of merging change no byte" {
    log_of testdata/incidents/openai-requeue-20s.combined.log.gz
    matrix "1 7" "3"
    matrix "2" "1 16"
}

@test "JSON lines with ids: maps, reduces and the order of merging change no byte" {
    log_of testdata/incidents/sdk-retries-5s.json.log.gz
    matrix "7" "3"
}

@test "logs cut by time, by node and at random give the same bytes" {
    log_of testdata/incidents/sdk-retries-5s.json.log.gz
    head -n 300 log >b.log
    tail -n +301 log >a.log
    for name in a b; do one_state $name.log --like log; done
    same a.log.state b.log.state
    # each line to one of three nodes
    awk '{ print > ("node-" (NR * 7919 % 3)) }' log
    "$LOCKSTEP" analyze -q -f json node-* | facts >want
    for node in node-[0-2]; do one_state "$node" --like log; done
    same node-2.state node-0.state node-1.state
}

@test "merged states merge further, in any grouping" {
    log_of testdata/incidents/openai-requeue-20s.combined.log.gz
    split -n l/4 -a 1 -d log part.
    for part in part.?; do one_state "$part" --like log; done
    "$LOCKSTEP" merge --state left.state part.2.state part.0.state
    "$LOCKSTEP" merge --state right.state part.3.state part.1.state
    same right.state left.state
    "$LOCKSTEP" merge --state three.state left.state part.3.state
    same part.1.state three.state
    # (a b) is (b a), byte for byte
    "$LOCKSTEP" merge --state other.state part.0.state part.2.state
    cmp left.state other.state
}

@test "tries in a line, ids, layers, late lines and damage: a map, a reduce and a merge change no byte" {
    for log in testdata/format/{envoy-storm,ext-upstream-lists,haproxy-retries,dst-offsets,json-sdk,w3c-iis}.log \
        testdata/wrapped/{cri,journald}.log testdata/input/14-gz-corrupt-middle.log.gz; do
        "$LOCKSTEP" analyze -q -f json "$log" 2>"$ERR" | facts >"$BATS_TEST_TMPDIR/want"
        "$LOCKSTEP" map -q "$log" 2>"$ERR" | "$LOCKSTEP" reduce -o "$BATS_TEST_TMPDIR/state" || :
        "$LOCKSTEP" merge -q -f json "$BATS_TEST_TMPDIR/state" 2>"$ERR" | facts >"$BATS_TEST_TMPDIR/got"
        [ -s "$BATS_TEST_TMPDIR/want" ]
        cmp "$BATS_TEST_TMPDIR/want" "$BATS_TEST_TMPDIR/got" || {
            echo "$log"
            return 1
        }
    done
}

@test "requests of minutes: parts of a log know what the parts before them were past" {
    # lines in the order of their ends, some of which began minutes before; stamps of ends, then of starts
    awk 'BEGIN {
        srand(7)
        for (i = 0; i < 3000; i++) {
            took = rand() < 0.8 ? rand() * 4 : 20 + rand() * 180
            printf "%.3f %.3f %d %d %d\n", 1752580800 + 600 * rand() + took, took, rand() * 200, rand() * 3, rand() * 4
        }
    }' | sort -n >"$BATS_TEST_TMPDIR/ends"
    cd "$BATS_TEST_TMPDIR"
    for moment in end start; do
        awk -v moment=$moment '{
            at = moment == "end" ? $1 : $1 - $2
            printf "{\"ts\":%.3f,\"request_time\":%s,\"remote_addr\":\"10.0.0.%d\",\"method\":\"POST\",", at, $2, $3
            printf "\"uri\":\"/a\",\"status\":%d,\"user_agent\":\"agent-%d\"}\n", $5 < 2 ? 200 : 503, $4
        }' ends >log
        "$LOCKSTEP" analyze -q -f json log | facts >want
        [ "$(jq -r '.input.time.moment, (.input.limits.late_lines > 100)' want | tr '\n' ' ')" = "$moment true " ]
        split -n l/5 -a 1 -d log part.
        at=0
        rm -f ./*.state
        for part in part.?; do
            "$LOCKSTEP" map -q --like log --name log --at $at - <$part | "$LOCKSTEP" reduce -o $part.state
            at=$((at + $(wc -c <$part)))
        done
        "$LOCKSTEP" merge --state some.state part.3.state part.1.state
        same part.4.state some.state part.0.state part.2.state
        # files of their own, as nodes have them
        awk '{ print > ("node-" (NR * 7919 % 3)) }' log
        "$LOCKSTEP" analyze -q -f json node-? | facts >want
        for node in node-?; do one_state $node --like log; done
        same node-2.state node-0.state node-1.state
    done
}

@test "of more strings than are kept the same are kept, however nodes take turns" {
    awk 'BEGIN {
        srand(3)
        for (i = 0; i < 14000; i++)
            printf "10.0.%d.%d - - [15/Jul/2025:12:%02d:%02d +0000] \"GET /x%dq HTTP/1.1\" 200 1 \"-\" \"agent-%d\"\n",
                rand() * 9, rand() * 250, i / 280, i % 280 / 5, rand() * rand() * 20000, rand() * rand() * 9000
    }' >"$BATS_TEST_TMPDIR/many"
    cd "$BATS_TEST_TMPDIR"
    awk '{ print > ("node-" (NR * 7919 % 3)) }' many
    "$LOCKSTEP" analyze -q -f json node-? | facts >want
    [ "$(jq '.input.limits | .folded_targets > 0 and .folded_user_agents > 0' want)" = true ]
    for node in node-?; do one_state $node; done
    same node-2.state node-0.state node-1.state
}

@test "records are plain lines, KEY, TIME and RECORD; those of an attempt are short" {
    log_of testdata/incidents/openai-requeue-20s.combined.log.gz
    "$LOCKSTEP" map log >records
    never grep -qaP '[^\x20-\x7e\t]' records
    never grep -qvP '^[-0-9A-Z_a-z+]{11}\t[-0-9A-Z_a-z]{6}([-0-9A-Z_a-z]{2}){0,1}([-0-9A-Z_a-z]{4})?\t[^\t]+$' records
    bytes=$(grep -v '^+' records | wc -c)
    [ "$bytes" -lt $((48 * $(jq .http.attempts want))) ]
    # the same input, the same records
    "$LOCKSTEP" map log | cmp - records
}

@test "options on how lines are read are the states' own, others are merge's" {
    log_of testdata/incidents/sdk-retries-5s.json.log.gz --since 2020-01-01T00:00:00Z --match status=5xx,429,200 --allowance 40
    one_state log --since 2020-01-01T00:00:00Z --match status=5xx,429,200
    "$LOCKSTEP" merge -q -f json --allowance 40 log.state | facts | cmp want -
    cp log other
    one_state other --match status=5xx
    refused 3 "different options" log.state other.state
    lockstep merge --since 2020-01-01T00:00:00Z log.state
    ended_with 2
}

@test "options on memory and damage are the records', lines that cannot be read are kept, the rest is said where to give" {
    { gzip -dcf testdata/incidents/sdk-retries-5s.json.log.gz; echo no request; } >"$BATS_TEST_TMPDIR/bad"
    log_of "$BATS_TEST_TMPDIR/bad" --memory 32M --strict --rejects "$BATS_TEST_TMPDIR/rejects"
    one_state log --memory 32M --strict --rejects map-rejects
    same log.state
    cmp rejects map-rejects
    one_state bad --memory 32M
    refused 3 "different options" log.state bad.state
    for option in --redact --format --colour --once; do
        lockstep map $option x log
        ended_with 2
        complained "$option: it is for the report: give it to 'lockstep merge'"
        [ ! -s "$OUT" ]
    done
    lockstep map --layer a=b log
    complained "'lockstep analyze' knows further layers"
    lockstep map -j 2 log
    complained "--jobs: a map is one thread"
    for command in map merge; do
        for option in -v --timing --progress; do
            lockstep $command $option log
            ended_with 2
            complained "only 'lockstep analyze'"
            [ ! -s "$OUT" ]
        done
    done
    for option in --since --match --like; do
        lockstep merge $option x log.state
        ended_with 2
        complained "$option: it is on how lines are read: give it to 'lockstep map'"
    done
    lockstep merge --by host log.state
    ended_with 2
    complained "lockstep map --match host=NAME"
}

@test "the same input twice is refused, and counts once when told so" {
    log_of testdata/incidents/sdk-retries-5s.json.log.gz
    one_state log
    cp log.state again.state
    refused 3 "is there twice" log.state again.state
    "$LOCKSTEP" merge --once -q -f json log.state again.state | facts | cmp want -
    cp log copy
    one_state copy
    refused 3 "are the same" log.state copy.state
    "$LOCKSTEP" merge --once -q -f json copy.state log.state | facts | cmp want -
    "$LOCKSTEP" merge --once --state both.state copy.state log.state
    same --once both.state
    refused 3 "are the same" both.state
    # a task that ran twice, whose records both came
    "$LOCKSTEP" map -q --partitions 2 -o half log
    cat half.1 half.1 | "$LOCKSTEP" reduce -o twice.state
    "$LOCKSTEP" reduce -o rest.state half.0
    refused 3 "some are there twice" twice.state rest.state
    "$LOCKSTEP" merge --once -q -f json rest.state twice.state | facts | cmp want -
}

@test "copies of a log count once whatever the tree of merges" {
    log_of testdata/incidents/sdk-retries-5s.json.log.gz
    cp log copy
    for name in log copy; do
        "$LOCKSTEP" map -q --partitions 2 -o $name $name
        for i in 0 1; do "$LOCKSTEP" reduce -o $name.$i.state $name.$i; done
    done
    same --once log.0.state copy.1.state copy.0.state log.1.state
    for i in 0 1; do "$LOCKSTEP" merge --once --state $i.state log.$i.state copy.$i.state; done
    same --once 1.state 0.state
    # a task whose output came twice, in two branches
    "$LOCKSTEP" merge --once --state left.state 0.state log.1.state
    "$LOCKSTEP" merge --once --state right.state copy.1.state log.1.state log.0.state
    same --once left.state right.state
}

@test "inputs that differ in what no record has are two" {
    cd "$BATS_TEST_TMPDIR"
    echo '10.0.0.1 - - [10/Jul/2025:12:00:00 +0000] "GET /a HTTP/1.1" 500 12 "-" "a"' >one.log
    sed 's/ 12 / 13 /' one.log >two.log
    "$LOCKSTEP" analyze -q -f json one.log two.log | facts >want
    [ "$(jq .http.attempts want)" -eq 2 ]
    for name in one two; do one_state $name.log; done
    same two.log.state one.log.state
    same --once one.log.state two.log.state
}

@test "a state that is missing, cut short, damaged or of another version is refused" {
    log_of testdata/incidents/sdk-retries-5s.json.log.gz
    "$LOCKSTEP" map -q --partitions 2 -o half log
    for i in 0 1; do "$LOCKSTEP" reduce -o $i.state half.$i; done
    same 1.state 0.state
    refused 3 "a state is missing" 0.state
    refused 3 "a state is missing" 1.state
    head -c $(($(wc -c <1.state) / 2)) 1.state >cut.state
    refused 3 "cut short" 0.state cut.state
    : >empty.state
    refused 3 "empty" 0.state empty.state
    sed '1s/state 2/state 9/' 1.state >new.state
    refused 3 "another version" 0.state new.state
    refused 3 "no state of lockstep" 0.state log
    { head -c 500 1.state; printf 'x'; tail -c +502 1.state; } >bad.state
    refused 3 "checksum" 0.state bad.state
    refused 3 "No such file" 0.state nowhere.state
    refused 2 "no state given"
}

@test "records that are none, or not whole, make no state" {
    log_of testdata/incidents/sdk-retries-5s.json.log.gz
    "$LOCKSTEP" map -q log >records
    { cat records; echo "no record"; } >bad
    lockstep reduce -o bad.state bad
    ended_with 3
    complained "not a record"
    [ ! -e bad.state ]
    never compgen -G 'bad.state.*'
    # an output that was cut short misses attempts, and perhaps the account of its input
    head -n 200 records | "$LOCKSTEP" reduce -o short.state
    refused 3 "a state is missing" short.state
    grep -v -e '^+++++++++++	------	S' records | "$LOCKSTEP" reduce -o headless.state
    refused 3 "a state is missing" headless.state
}

@test "memory of a reduce has a bound, whatever the number of records" {
    [ -e "$(dirname "$LOCKSTEP")/tests/tools/failing_alloc.so" ] || skip "sanitizers take address space of their own"
    log_of testdata/incidents/openai-requeue-20s.combined.log.gz
    "$LOCKSTEP" map -q log | grep -v '^+' >records
    [ "$(wc -l <records)" -gt 2900 ]
    # 1.8 million of them; held all at once they would take twice as much
    for i in $(seq 30); do cat records; done >more
    (
        ulimit -v 160000
        for i in $(seq 21); do cat more; done | "$LOCKSTEP" reduce -o big.state
    )
    [ "$(wc -c <big.state)" -gt 20000000 ]
}

@test "records with instants of no log are refused, not merged" {
    log_of testdata/incidents/sdk-retries-5s.json.log.gz
    "$LOCKSTEP" map -q log >records
    # the TIME of one attempt long before 1970, as far as its digits go
    awk -F '\t' -v OFS='\t' '!/^\+/ && !done { $2 = "MWaFJ-"; done = 1 } { print }' records >far
    lockstep reduce -o far.state far
    ended_with 3
    complained "not a record"
    [ ! -e far.state ]
}

@test "an output in the folder that is read is no input" {
    log_of testdata/incidents/sdk-retries-5s.json.log.gz
    mkdir logs && mv log logs/a.log && cd logs
    for options in "" "--partitions 3"; do
        lockstep map . -o .recs $options
        ended_with 0
        silent
        lockstep map . -o recs $options
        ended_with 0
        silent
        cat .recs* >../hidden
        cmp ../hidden <(cat recs*)
        rm -f recs* .recs*
    done
}

@test "parts go where their names are, whatever stands at the name without a number" {
    log_of testdata/incidents/sdk-retries-5s.json.log.gz
    "$LOCKSTEP" map -q --partitions 2 -o plain log
    mkdir part elsewhere
    ln -s "$PWD/elsewhere/zero" part.0
    : >elsewhere/zero
    lockstep map -q --partitions 2 -o part log
    ended_with 0
    cmp plain.0 elsewhere/zero
    [ -L part.0 ]
    cmp plain.1 part.1
    [ -z "$(ls part)" ]
}

@test "as many parts as are promised, or a word on the limit" {
    log_of testdata/incidents/sdk-retries-5s.json.log.gz
    ulimit -Sn 64
    lockstep map -q --partitions 200 -o part log
    ended_with 0
    [ "$(compgen -G 'part.*' | wc -l)" -eq 200 ]
    ulimit -Hn 100
    lockstep map -q --partitions 200 -o other log
    ended_with 2
    complained "ulimit -Hn: 100"
    never compgen -G 'other.*'
}

@test "parts of a log by name and place keep their order; parts read in different ways are refused" {
    log_of testdata/incidents/openai-requeue-20s.ext.log.gz
    head -n 800 log >z
    tail -n +801 log >a
    at=$(wc -c <z)
    "$LOCKSTEP" map -q --like log --name log --at 0 - <z | "$LOCKSTEP" reduce -o z.state
    "$LOCKSTEP" map -q --like log --name log --at "$at" - <a | "$LOCKSTEP" reduce -o a.state
    same a.state z.state
    [ "$(jq -c '[.input.files[].path]' "$OUT")" = '["log"]' ]
    head -n 3 z >few
    "$LOCKSTEP" map -q --name log --at 0 - <few | "$LOCKSTEP" reduce -o few.state
    refused 3 "--like 'log'" few.state a.state
}

@test "two places of a log with the same lines are two" {
    line='10.0.0.1 - - [10/Jul/2025:12:00:00 +0000] "GET /a HTTP/1.1" 500 12 "-" "a"'
    cd "$BATS_TEST_TMPDIR"
    printf '%s\n' "$line" "$line" >log
    "$LOCKSTEP" analyze -q -f json log | facts >want
    for i in 0 1; do
        echo "$line" | "$LOCKSTEP" map -q --like log --name log --at $((i * (${#line} + 1))) - | "$LOCKSTEP" reduce -o $i.state
    done
    same 1.state 0.state
    refused 3 "is there twice" 1.state 0.state 1.state
}

@test "a directive at a log's head reaches its other parts" {
    {
        echo '#Fields: date time c-ip cs-method cs-uri-stem sc-status time-taken'
        for i in $(seq 10 59); do echo "2026-03-05 10:00:$i 10.1.1.$((i % 7)) GET /a 503 12"; done
        for i in $(seq 10 59); do echo "2026-03-05 10:02:$i 10.1.1.$((i % 7)) GET /a 200 12"; done
    } >"$BATS_TEST_TMPDIR/w3c"
    log_of "$BATS_TEST_TMPDIR/w3c"
    split -n l/5 -a 1 -d log part.
    for part in part.?; do one_state "$part" --like log; done
    same part.?.state
}

# ---- engines ----

# A sanitizer's build would run what the tests above have run, at its own pace.
engine() {
    [ -e "$(dirname "$LOCKSTEP")/tests/tools/failing_alloc.so" ] || skip "not under sanitizers"
    log_of testdata/incidents/sdk-retries-5s.json.log.gz
    drivers=$BATS_TEST_DIRNAME/../scale
    split -n l/6 -a 1 -d log part.
    mkdir made
    export REDUCES=3 LIKE=$PWD/log
}

@test "engine: sort and GNU parallel" {
    command -v parallel >/dev/null || skip "GNU parallel is not installed"
    engine
    "$drivers/parallel.sh" made part.? | facts | cmp want -
}

@test "engine: Dask Distributed, a worker killed while it works" {
    "$PYTHON" -c 'import distributed' 2>/dev/null || skip "python3-distributed is not installed"
    engine
    timeout 115 "$PYTHON" "$drivers/dask_test.py" "$PWD/made" "$PWD"/part.? >"$OUT" 2>"$ERR" || {
        cat "$ERR"
        return 1
    }
    grep -q '^killed worker .* in the middle of a map' "$ERR"
    [ ! -e made/never ]
    facts <"$OUT" | cmp want -
}

@test "engine: Hadoop Streaming's command, sort for its shuffle, a mapper killed and run again" {
    engine
    HADOOP=$drivers/hadoop_stub.sh SPLIT=20000 "$drivers/hadoop.sh" made "$PWD/log" 2>"$ERR" |
        facts | cmp want -
}

@test "engine: Spark's repartitionAndSortWithinPartitions and pipe" {
    "$PYTHON" -c 'import pyspark' 2>/dev/null || skip "pyspark is not installed"
    engine
    "$PYTHON" "$drivers/spark_run.py" made "$PWD"/part.? 2>"$ERR" | facts | cmp want -
}

@test "engine: Slurm's job arrays, one task of each requeued" {
    engine
    PATH=$drivers/slurm_stub:$PATH "$drivers/slurm.sh" made part.? 2>"$ERR" | facts | cmp want -
}

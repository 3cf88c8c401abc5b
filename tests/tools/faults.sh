#!/bin/sh
# faults.sh STEP ALLOC.so PROGRAM — out_of_memory.sh over runs of every kind; the last line is
# "N of N kinds hold", the exit status 0 when all do.
set -u
step=$1 alloc=$2 program=$3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
kinds=0 held=0

# kind NAME FROM ARGUMENT...
kind() {
    name=$1 from=$2
    shift 2
    kinds=$((kinds + 1))
    if sh tests/tools/out_of_memory.sh "$step" "$from" "$alloc" "$program" "$@" >"$work/told"; then
        held=$((held + 1))
        echo "$name: $(tail -n 1 "$work/told")"
    else
        sed "s/^/$name: /" "$work/told"
    fi
}

zcat testdata/incidents/seed-small-ids.log.gz | head -n 300 >"$work/storm.log"
gzip -k "$work/storm.log"
zcat testdata/incidents/openai-requeue-20s.json.log.gz | head -n 60 >"$work/json.log"
zcat testdata/incidents/seed-small-ids.sdk.jsonl.gz | head -n 20 >"$work/sdk.jsonl"
"$program" analyze --format json "$work/storm.log" >"$work/before.json" || exit 1
"$program" analyze --format json "$work/json.log" >"$work/after.json" || exit 1
head -n 60 "$work/storm.log" >"$work/part.log"
"$program" map -o "$work/records" "$work/part.log" && LC_ALL=C sort -o "$work/sorted" "$work/records" &&
    "$program" reduce -o "$work/a.state" "$work/sorted" &&
    tail -n 60 "$work/storm.log" | "$program" map --name b - | LC_ALL=C sort | "$program" reduce -o "$work/b.state" || exit 1
mkdir "$work/many" || exit 1
for i in $(seq 70); do head -n "$i" "$work/part.log" | tail -n 1 >"$work/many/$i.log"; done
printf 'a key that nobody knows' >"$work/key"

kind text 1 analyze "$work/storm.log"
kind json 2 analyze --format json "$work/json.log"
kind html 3 analyze --format html --output @ "$work/storm.log.gz"
kind markdown 4 analyze --format markdown --jobs 2 "$work/storm.log"
kind by 5 analyze --format csv --table by --by target --output @ --rejects "$work/rejects" "$work/json.log"
kind sdk 6 analyze --sdk-log "$work/sdk.jsonl" --match 'status!=500' --explain clock "$work/storm.log"
kind redact 7 attempts --redact all --redact-key "$work/key" "$work/json.log"
kind attempts 1 attempts --format csv "$work/storm.log.gz"
kind formats 1 formats --explain "$work/json.log"
kind many 2 analyze --memory 32M "$work/many"
kind map 1 map -o @ "$work/part.log"
kind reduce 1 reduce -o @ "$work/sorted"
kind merge 1 merge "$work/a.state" "$work/b.state"
kind merged 2 merge -o @ "$work/a.state" "$work/b.state"
kind render 1 render --format html "$work/before.json"
kind diff 2 diff "$work/before.json" "$work/after.json"
kind whatif 3 whatif --attempts 2 --runs 1 --threads 1 tests/cli/golden/openai-requeue.json
kind plan 1 plan --callers 400 --allowance 67
kind simulate 1 simulate contention --burst 5 --runs 2 --threads 1 --output @
kind emit 1 simulate outage --callers 20 --down 5 --emit-log @
echo "$held of $kinds kinds hold"
[ "$held" -eq "$kinds" ]

#!/bin/sh
# memcheck.sh PROGRAM — valgrind's memcheck over runs of every kind, damaged and cut input among them; the last
# line is "N of N runs clean", the exit status 0 when all are.
#
# Rights are kept (--no-sandbox): valgrind opens files of its own until the end.
set -u
program=$1
command -v valgrind >/dev/null || {
    echo "memcheck: valgrind is not installed (apt-get install valgrind)" >&2
    exit 1
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
runs=0 clean=0

# check ARGUMENT... — whatever its status, memcheck finds nothing and no block is lost
check() {
    runs=$((runs + 1))
    valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect,possible \
        --errors-for-leak-kinds=definite,indirect,possible --vgdb=no --log-file="$work/log" \
        "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
    if [ $? -ne 99 ] && [ ! -s "$work/log" ]; then
        clean=$((clean + 1))
    else
        echo "lockstep $*"
        cat "$work/log"
    fi
}

zcat testdata/incidents/seed-small-ids.log.gz | head -n 2000 >"$work/storm.log"
zcat testdata/incidents/openai-requeue-20s.json.log.gz | head -n 1000 >"$work/json.log"
gzip -c "$work/storm.log" | head -c 9000 >"$work/cut.gz"
xz -c "$work/storm.log" | head -c 9000 >"$work/cut.xz"
zstd -qc "$work/storm.log" | head -c 9000 >"$work/cut.zst"
bzip2 -c "$work/storm.log" | head -c 9000 >"$work/cut.bz2"
gzip -dc testdata/incidents/seed-small-ids.sdk.jsonl.gz | head -n 200 >"$work/sdk.jsonl"
"$program" analyze --format json "$work/json.log" >"$work/report.json"

check analyze --no-sandbox "$work/storm.log"
check analyze --no-sandbox --jobs 3 --format html -o "$work/page" testdata/quiet/control-quiet.ext.log.gz
check analyze --no-sandbox --format json --by caller --sdk-log "$work/sdk.jsonl" "$work/storm.log"
check analyze --no-sandbox --format markdown --rejects "$work/rejects" --redact targets README.md "$work/json.log"
check analyze --no-sandbox --explain clock --format csv "$work/json.log"
for file in "$work"/cut.* testdata/input/14-gz-corrupt-middle.log.gz testdata/input/15-huge-line.log.gz; do
    check analyze --no-sandbox "$file"
    check analyze --no-sandbox --strict "$file"
done
for file in testdata/format/*.log; do
    check formats --no-sandbox --explain "$file"
done
check attempts --no-sandbox --tz Europe/Berlin testdata/format/json-traefik.log testdata/input/19-bom-crlf.log
check watch --no-sandbox -
check map --no-sandbox -o "$work/records" "$work/storm.log"
LC_ALL=C sort -o "$work/sorted" "$work/records"
check reduce --no-sandbox -o "$work/a.state" "$work/sorted"
check reduce --no-sandbox -o "$work/b.state" README.md
check merge --no-sandbox --format json "$work/a.state"
head -c 5000 "$work/a.state" >"$work/cut.state"
check merge --no-sandbox "$work/a.state" "$work/cut.state"
mkdir "$work/many"
for i in $(seq 80); do head -n "$i" "$work/storm.log" | tail -n 1 >"$work/many/$i.log"; done
check analyze --no-sandbox --memory 32M "$work/many"
check render --no-sandbox --format html "$work/report.json"
check render --no-sandbox README.md
check diff --no-sandbox "$work/report.json" tests/cli/golden/control-quiet.json
check whatif --no-sandbox --attempts 2 --runs 1 tests/cli/golden/openai-requeue.json
check plan --no-sandbox --callers 400 --allowance 67
check simulate --no-sandbox contention --burst 5 --runs 2
check simulate --no-sandbox outage --callers 50 --down 5 --emit-log "$work/x.log.gz" --emit-sdk-log "$work/x.jsonl"
check completion bash
check schema
check no-such-command
echo "$clean of $runs runs clean"
[ "$clean" -eq "$runs" ]

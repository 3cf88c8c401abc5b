#!/bin/sh
# bench_reports.sh LOG... — the reports of many logs: each JSON keeps the schema, each format of the saved
# report is the direct one byte for byte, a page holds its policy, no script and no address that is fetched,
# and stays below 300,000 bytes; rendering it stays below 100 ms of CPU.  One line a trouble, a sum at the end.
lockstep=${LOCKSTEP:-build/release/lockstep}
python=${PYTHON:-python3}
room=$(mktemp -d) || exit 1
trap 'rm -rf "$room"' EXIT
count=0
bad=0
largest=0

trouble() {
    echo "$1: $2"
    bad=$((bad + 1))
}

"$lockstep" schema >"$room/schema.json" || exit 1
for log in "$@"; do
    "$lockstep" analyze -q -f json "$log" >"$room/report-$count.json" 2>/dev/null
    [ -s "$room/report-$count.json" ] || continue
    for format in text html markdown csv; do
        "$lockstep" analyze -q -f "$format" "$log" >"$room/direct" 2>/dev/null
        "$lockstep" render -f "$format" "$room/report-$count.json" >"$room/$format" || trouble "$log" "$format: no render"
        cmp -s "$room/direct" "$room/$format" || trouble "$log" "$format: not the direct one"
    done
    size=$(wc -c <"$room/html")
    [ "$size" -gt "$largest" ] && largest=$size
    [ "$size" -lt 300000 ] || trouble "$log" "page of $size bytes"
    grep -q "Content-Security-Policy\" content=\"default-src 'none'" "$room/html" || trouble "$log" "no policy"
    grep -qiE '<(script|iframe|object|embed|img|base|form)|<[a-z]+ ([^>]* )?(on[a-z]+=|src=|href="[^#d])|url\(|@import' \
        "$room/html" && trouble "$log" "the page could act or fetch"
    count=$((count + 1))
done
"$python" tests/cli/validate.py "$room/schema.json" "$room"/report-*.json || trouble "schema" "not kept"
"$python" - "$lockstep" "$room"/report-*.json <<'EOF' || bad=$((bad + 1))
import resource, subprocess, sys
worst, slow = 0, None
for path in sys.argv[2:]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.argv[1], "render", "-f", "html", path], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if took > worst:
        worst, slow = took, path
print(f"rendering a page: at most {1000 * worst:.0f} ms of CPU")
sys.exit(worst > 0.1)
EOF
echo "$count reports, largest page $largest bytes, $bad troubles"
[ "$bad" -eq 0 ]

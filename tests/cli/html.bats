load helper

# page LOG... — the HTML report of the log, checked
page() {
    "$LOCKSTEP" analyze -q -f html "$@" >"$OUT" || [ $? -eq 3 ]
    "$PYTHON" tests/cli/page.py "$OUT"
}

@test "the page of every log of testdata is well formed, quiet and small" {
    local log pages=()
    for log in testdata/incidents/*.log.gz testdata/quiet/*.log.gz testdata/input/*.log*; do
        pages+=("$BATS_TEST_TMPDIR/$(basename "$log").html")
        "$LOCKSTEP" analyze -q -f html "$log" >"${pages[-1]}" || [ $? -eq 3 ]
    done
    "$PYTHON" tests/cli/page.py "${pages[@]}"
}

@test "the page of an incident has its verdict, its pictures and what each finding rests on" {
    page testdata/incidents/openai-requeue-20s.ext.log.gz
    says "Retries are synchronised"
    says "What happened"
    says "Where to look"
    says "How it was computed"
    says "On which population"
    says "How sure"
    says "What would change it"
    says "From calls to attempts"
    [ "$(grep -c '<figure>' "$OUT")" -ge 4 ]
}

@test "the page of an empty log says that nothing is known, and shows no false 0" {
    page /dev/null
    says "Nothing is known: the input holds no request."
    never grep -qF "0.0 %" "$OUT"
}

@test "strings of a log stay text in the page" {
    local i
    for i in $(seq 10 40); do
        echo "10.0.0.$i - - [15/Jul/2025:12:00:05 +0000] \"GET /<script>alert(1)</script>?a=\\\"onload=x HTTP/1.1\" 429 12 \"-\" \"<img src=x onerror='alert(1)'>&amp;</style></title>\""
        echo "10.0.0.$i - - [15/Jul/2025:12:00:25 +0000] \"GET /<script>alert(1)</script>?a=\\\"onload=x HTTP/1.1\" 429 12 \"-\" \"<img src=x onerror='alert(1)'>&amp;</style></title>\""
        echo "10.0.0.$i - - [15/Jul/2025:12:00:45 +0000] \"GET /<script>alert(1)</script>?a=\\\"onload=x HTTP/1.1\" 200 12 \"-\" \"<img src=x onerror='alert(1)'>&amp;</style></title>\""
        printf '<svg onload=alert(1)>\033]0;title\007 \342\200\256 not a request --><!--\n'
    done >"$BATS_TEST_TMPDIR/<b>log.log"
    page "$BATS_TEST_TMPDIR/<b>log.log"
    says "&lt;img src=x onerror=&#39;alert(1)&#39;&gt;&amp;amp;&lt;/style&gt;"
    says "&lt;svg onload=alert(1)&gt;"
    says "&lt;b&gt;log.log"
    never grep -qiE '<(script|img|svg onload|b>)|http-equiv="refresh' <(sed 's/<b>[^<]*<\/b>//g' "$OUT")
}

@test "a page of many clocks, populations and files stays below its bound" {
    "$PYTHON" - "$BATS_TEST_TMPDIR" <<'EOF'
import sys
# 60 programs, each refused and back after a delay of its own, each with a long name
for f in range(60):
    with open("%s/part%02d.log" % (sys.argv[1], f), "w") as out:
        delay, name = 5 + f, "program-%d/" % f + "<&\"'>" * 60
        for k in range(40):
            t = 3600 * 12 + 7 * f + k * delay
            for c in range(6):
                out.write('10.%d.0.%d - - [15/Jul/2025:%02d:%02d:%02d +0000] "POST /v1/%s HTTP/1.1" 429 1 "-" "%s"\n'
                          % (f, c, t // 3600, t // 60 % 60, t % 60, "x" * 300, name.replace('"', "'")))
EOF
    page "$BATS_TEST_TMPDIR"/part*.log
}

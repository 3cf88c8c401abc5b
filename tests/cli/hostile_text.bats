#!/usr/bin/env bats
# What a log says never acts: not on the terminal, not in a page, not in a spreadsheet.

load helper

# A storm whose user agent, target and caller carry all of it; and lines that are no requests.
hostile_log() {
    python3 - <<'PY'
import sys
evil = (b'=cmd|calc!A0 <script>alert(1)</script> \x1b[31m\x1b]0;title\x07 \xc2\x9b31m `rm` | pipe '
        b'\xe2\x80\xae\xe2\x81\xa6 \xe2\x80\xa8 \xff\xfe \x00\x7f &amp; ](javascript:alert(1))')
out = sys.stdout.buffer
for i in range(600):
    out.write(b'10.0.0.%d - - [15/Jul/2025:12:%02d:%02d +0000] "GET /%s HTTP/1.1" 503 1 "-" "%s"\n'
              % (i % 9, i // 60, i % 60, evil.replace(b' ', b'_'), evil))
    if i % 50 == 0:
        out.write(b'no request ' + evil + b'\n')
PY
}

# calm FILE [KEEP] — no control character but ends of lines, no C1, no bidirectional control, valid UTF-8
calm() {
    python3 - "$1" "${2:-}" <<'PY'
import sys
text = open(sys.argv[1], 'rb').read().decode('utf-8')
keep = '\n' + sys.argv[2].replace('CR', '\r')
bad = [c for c in text if c not in keep and
       (ord(c) < 32 or 127 <= ord(c) < 160 or 0x202a <= ord(c) <= 0x202e or
        0x2066 <= ord(c) <= 0x2069 or ord(c) in (0x200e, 0x200f, 0x2028, 0x2029))]
sys.exit(print('in', sys.argv[1], sorted(map(hex, map(ord, set(bad))))) or 1 if bad else 0)
PY
}

setup_file() {
    hostile_log >"$BATS_FILE_TMPDIR/$(printf 'log\033[31m<marquee>`x`')"
}

log() {
    printf '%s' "$BATS_FILE_TMPDIR"/log*
}

@test "text, JSON, HTML, Markdown and CSV of a hostile log under a hostile name" {
    for format in text json html markdown csv; do
        lockstep analyze -f $format --by target "$(log)"
        ended_with 0
        calm "$OUT" CR
        calm "$ERR"
    done
    lockstep analyze -q --ascii "$(log)"
    ended_with 0
    never grep -q '[^ -~]' "$OUT"
}

@test "HTML: no element of the log's making" {
    lockstep analyze -q -f html --by target "$(log)"
    ended_with 0
    never grep -qi '<script>alert' "$OUT"
    never grep -q 'href="javascript:' "$OUT"
    never grep -q '<marquee>' "$OUT"
    grep -q '&lt;script&gt;' "$OUT"
}

@test "CSV: no cell begins with a formula" {
    for table in arrivals clocks waves layers policies attempts by; do
        lockstep analyze -q -f csv --table $table --by target "$(log)"
        ended_with 0
        python3 - "$OUT" <<'PY'
import csv, sys
for row in csv.reader(open(sys.argv[1], newline='')):
    for cell in row:
        if cell[:1] in ('=', '@', '\t', '\r'):
            sys.exit('cell ' + cell[:40])
PY
    done
}

@test "Markdown: log text stands in code, and leaves it nowhere" {
    lockstep analyze -q -f markdown --by target "$(log)"
    ended_with 0
    never grep -q '^<script' "$OUT"
    python3 - "$OUT" <<'PY'
import re, sys
for line in open(sys.argv[1]):
    outside = re.sub(r'(`+)(?!`).*?(?<!`)\1(?!`)', '', line)
    if '<script>' in outside or '](javascript' in outside.replace('\\]', ''):
        sys.exit(line)
PY
}

@test "JSON: U+2028 is escaped, or replaced; every text is valid" {
    lockstep analyze -q -f json --by target "$(log)"
    ended_with 0
    jq -e . "$OUT" >/dev/null
    never grep -q "$(printf '\342\200\250')" "$OUT"
}

@test "attempts, formats --explain, --explain clock, errors and warnings" {
    for format in jsonl csv; do
        lockstep attempts -f $format "$(log)"
        ended_with 0
        calm "$OUT" CR
        calm "$ERR"
    done
    lockstep formats --explain "$(log)"
    ended_with 0
    calm "$OUT"
    lockstep analyze -q --explain clock "$(log)"
    ended_with 0
    calm "$OUT"
    lockstep analyze "$(printf 'no\033[31m\nfile\302\233')"
    ended_with 3
    calm "$ERR"
    lockstep analyze "$(printf -- '--x\033[31m')"
    ended_with 2
    calm "$ERR"
    lockstep analyze --match "$(printf 'a\033=b')" "$(log)"
    calm "$ERR"
    lockstep "$(printf 'x\033[31m')"
    ended_with 2
    calm "$ERR"
}

@test "diff, render and whatif of a hostile report" {
    lockstep analyze -q -f json "$(log)"
    cp "$OUT" "$BATS_TEST_TMPDIR/r.json"
    lockstep diff "$BATS_TEST_TMPDIR/r.json" "$BATS_TEST_TMPDIR/r.json"
    ended_with 0
    calm "$OUT"
    for format in text html markdown csv; do
        lockstep render -f $format "$BATS_TEST_TMPDIR/r.json"
        ended_with 0
        calm "$OUT" CR
    done
    lockstep whatif "$BATS_TEST_TMPDIR/r.json"
    calm "$OUT"
    calm "$ERR"
}

#!/usr/bin/env bats
# What the README shows is what the program prints.

load helper

@test "the README's picture is a plot of the report's page" {
    "$LOCKSTEP" analyze -q -f html testdata/incidents/seed-requeue-60s.log.gz >"$BATS_TEST_TMPDIR/page"
    "$PYTHON" tests/cli/picture.py Closer <"$BATS_TEST_TMPDIR/page" >"$BATS_TEST_TMPDIR/picture"
    [ "${UPDATE:-}" != 1 ] || cp "$BATS_TEST_TMPDIR/picture" testdata/readme/waves.svg
    # the same incident, whatever the page's colours are now
    grep '^<title>' testdata/readme/waves.svg | cmp - <(grep '^<title>' "$BATS_TEST_TMPDIR/picture")
    grep -qF '](testdata/readme/waves.svg)' README.md
}

# Each command of the README, on bundled logs in the place of the names that it uses; FILE-like names stand
# for files that are there.  What needs a network, root or minutes is left out by name.
@test "every lockstep command of the README runs" {
    here=$PWD
    mkdir -p "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/there/shop"
    ln -s "$LOCKSTEP" "$BATS_TEST_TMPDIR/bin/lockstep"
    cd "$BATS_TEST_TMPDIR/there"
    zcat "$here/testdata/incidents/openai-requeue-20s.combined.log.gz" >access.log
    cp "$here/testdata/incidents/openai-requeue-20s.combined.log.gz" access.log.gz
    cp "$here/testdata/quiet/control-quiet.combined.log.gz" access.log.2.gz
    zcat access.log.2.gz >access.log.1
    cp access.log.2.gz shop/access.log.1.gz
    cp "$here/testdata/incidents/seed-small-ids.sdk.jsonl.gz" calls.jsonl.gz
    cp "$here/testdata/format/json-short-keys.log" app.log
    cp "$here/testdata/format/haproxy-retries.log" haproxy.log
    for when in before after report; do "$LOCKSTEP" analyze -q -f json access.log >$when.json; done
    sed -n 's/^    \(\([a-z]* .*| \)\{0,1\}lockstep .*\)/\1/p' "$here/README.md" | sed -e 's/ *#.*//' \
        -e 's|/var/log/nginx/||g' -e '/^lockstep watch/s|access.log.*|<access.log|' -e 's/^tail -F/cat/' \
        -e 's|time=at,status=res.code,took_ms=res.ms|time=msec,status=st|' |
        grep -v '^lockstep simulate' >commands
    [ "$(wc -l <commands)" -ge 18 ]
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
    unset -f lockstep
    while read -r command; do
        echo "$command"
        status=0
        eval "$command" >"$OUT" 2>"$ERR" || status=$?
        # an unknown option, or one that takes no such value, is 2
        [ "$status" -ne 2 ] || cat "$ERR"
        [ "$status" -ne 2 ] && [ "$status" -lt 4 ]
    done <commands
    # one run in the place of many; of the study, which takes ten seconds, the shortest
    grep -oE '^    lockstep simulate .*' "$here/README.md" | sed -e 's/ *#.*//' -e 's/--study S2/--study S4/' >commands
    [ "$(wc -l <commands)" -ge 5 ]
    while read -r command; do
        echo "$command"
        eval "$command --runs 1" >"$OUT"
    done <commands
    [ -s drill.log.gz ]
}

@test "the README's worked incident is the program's own output" {
    "$LOCKSTEP" analyze testdata/incidents/seed-requeue-60s.log.gz >"$BATS_TEST_TMPDIR/all"
    sed -n '/^<!-- output -->$/,/^<!-- end -->$/p' README.md | sed -e '/^<!--/d' -e 's/^    //' \
        -e 's/[[:space:]]*$//' >"$BATS_TEST_TMPDIR/shown"
    sed -e 's/[[:space:]]*$//' "$BATS_TEST_TMPDIR/all" >"$BATS_TEST_TMPDIR/printed"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/shown")" -gt 40 ]
    # every paragraph of the excerpt stands in the output, in order
    python3 - "$BATS_TEST_TMPDIR/shown" "$BATS_TEST_TMPDIR/printed" <<'EOF'
import sys
shown, printed = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
at = 0
for paragraph in shown.strip("\n").split("\n\n"):
    paragraph = paragraph.strip("\n")
    if paragraph in ("", "  …"):
        continue
    found = printed.find(paragraph, at)
    if found < 0:
        sys.exit("not in the output:\n" + paragraph)
    at = found
EOF
}

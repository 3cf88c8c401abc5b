#!/usr/bin/env bats
# What the README shows is what the program prints.

load helper

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

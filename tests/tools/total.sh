#!/bin/sh
# total.sh DIR PART... — one line for each DIR/PART.txt, then their sum; fails when anything failed.
#
# A part without a result could not even be built or run: one failure.
dir=$1
shift
passed=0
failed=0
for part in "$@"; do
    if ! read -r ok bad <"$dir/$part.txt"; then
        ok=0
        bad=1
        echo "$part: did not run"
    fi 2>/dev/null
    printf '%-8s %6d passed, %d failed\n' "$part" "$ok" "$bad"
    passed=$((passed + ok))
    failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

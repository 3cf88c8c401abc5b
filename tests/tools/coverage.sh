#!/bin/sh
# coverage.sh BUILD FILE.c... — what of each source the runs since the last build reached: lines, and branches taken at
# least once; then the sums, and fails below 90 % of lines or 80 % of branches.  Which lines were not reached stands
# in BUILD/uncovered.txt, a row a run of lines.
#
# Branches that only a compiler's clean-up or an assert would take are none of ours: gcov's "branch never executed"
# counts as not taken all the same, so that the figure errs on the low side.
build=$(cd "$1" && pwd)
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
ln -s "$(pwd)/src" "$tmp/src" # gcov looks for sources from where it writes
: >"$build/uncovered.txt"
for file in "$@"; do
    (cd "$tmp" && rm -f ./*.gcov && gcov -b -o "$build/${file%.c}.o" "$file" 2>/dev/null) |
        awk -v file="$file" '
            /^File / { mine = index($0, file "\047") > 0 }
            mine && /^Lines executed/ { split($0, part, /[:% ]+/); lines = part[3]; line_count = part[5] }
            mine && /^Taken at least once/ { split($0, part, /[:% ]+/); taken = part[5]; branches = part[7] }
            mine && /^No branches/ { taken = 100; branches = 0 }
            END { if (line_count) printf "%s\t%s\t%s\t%s\t%s\n", file, lines, line_count, taken, branches }'
    # "    #####:   12:text" — neighbours become one row
    awk -F : -v file="$file" '
        function flush() { if (from) printf "%s:%d-%d\t%s\n", file, from, to, text; from = 0 }
        $1 ~ /#####/ { n = $2 + 0; if (!from) { from = n; text = $0; sub(/^[^:]*:[^:]*:[ \t]*/, "", text) } to = n; next }
        $1 ~ /-/ || !/^ *[^ ]*:/ { next }
        { flush() }
        END { flush() }' "$tmp/$(basename "$file").gcov" >>"$build/uncovered.txt" 2>/dev/null
done | sort -t "$(printf '\t')" -k 2n | awk -F '\t' '
    { printf "%6.1f%% of %5d lines  %6.1f%% of %5d branches  %s\n", $2, $3, $4, $5, $1
      hit += $2 / 100 * $3; all += $3; taken += $4 / 100 * $5; ways += $5 }
    END {
        if (!all)
            exit 1
        printf "%6.1f%% of %5d lines  %6.1f%% of %5d branches  in all\n", 100 * hit / all, all, 100 * taken / ways, ways
        exit hit < 0.9 * all || taken < 0.8 * ways
    }'

#!/bin/sh
# coverage.sh BUILD FILE.c... — line coverage of each source by the runs since the last build.
build=$1
shift
for file in "$@"; do
    gcov -n -o "$build/${file%.c}.o" "$file" 2>/dev/null |
        awk -v file="$file" '
            $0 == "File \047" file "\047" { mine = 1; next }
            mine && /^Lines executed/ {
                split($0, part, /[:% ]+/)
                printf "%s\t%s\t%s\n", file, part[3], part[5]
                exit
            }'
done | awk -F '\t' '
    { printf "%6.1f%% of %5d  %s\n", $2, $3, $1; hit += $2 / 100 * $3; all += $3 }
    END { if (all) printf "%6.1f%% of %5d lines in all\n", 100 * hit / all, all }'

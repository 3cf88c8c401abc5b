#!/bin/bash
# bench_scale.sh LOG... — the same bytes, whatever the cut: each log in 1, 2, 7 and 64 parts, reduced by 1, 3
# and 16, merged in a shuffled order, against analyze.  One TSV row a log and cut:
# log, maps, reduces, "same" or "DIFFERENT", bytes an attempt in the shuffle, bytes an attempt in states.
# MAPS and REDUCES choose others.  Exit status 1 when a report differs.
set -u
: "${LOCKSTEP:=build/release/lockstep}" "${MAPS:=1 2 7 64}" "${REDUCES:=1 3 16}"
export LC_ALL=C
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0

facts() {
    jq 'del(.input.files, .input.rejected_samples)'
}

bytes() {
    cat "$@" | wc -c
}

for log in "$@"; do
    "$LOCKSTEP" analyze -q -f json "$log" 2>/dev/null | facts >"$folder/want"
    attempts=$(jq .http.attempts "$folder/want")
    gzip -dcf "$log" >"$folder/log"
    for maps in $MAPS; do
        rm -f "$folder"/part.* "$folder"/map-*
        split -n "l/$maps" -a 3 -d "$folder/log" "$folder/part."
        for part in "$folder"/part.*; do
            "$LOCKSTEP" map -q --like "$folder/log" --partitions 16 -o "$folder/map-${part##*.}" "$part" 2>/dev/null
        done
        for reduces in $REDUCES; do
            rm -f "$folder"/*.state
            for ((i = 0; i < reduces; i++)); do
                for ((k = i; k < 16; k += reduces)); do cat "$folder"/map-*."$k"; done |
                    sort -S 256M | "$LOCKSTEP" reduce -o "$folder/$i.state"
            done
            # shuffled on purpose
            mapfile -t states < <(printf '%s\n' "$folder"/*.state | shuf)
            "$LOCKSTEP" merge -q -f json "${states[@]}" 2>"$folder/err" | facts >"$folder/got"
            same=same
            cmp -s "$folder/want" "$folder/got" || { same=DIFFERENT failed=1; head -1 "$folder/err" >&2; }
            printf '%s\t%s\t%s\t%s\t%.1f\t%.1f\n' "$log" "$maps" "$reduces" "$same" \
                "$(bytes "$folder"/map-* | awk -v n="$attempts" '{ print n ? $1 / n : 0 }')" \
                "$(bytes "$folder"/*.state | awk -v n="$attempts" '{ print n ? $1 / n : 0 }')"
        done
    done
done
exit $failed

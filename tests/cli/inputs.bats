#!/usr/bin/env bats
# Compressions, folders, many files, files given twice.

load helper

QUIET=testdata/quiet/control-quiet.combined.log.gz
SAME=testdata/input/same.log

# report INPUT... — without what names the files
report() {
    "$LOCKSTEP" analyze --quiet --format json "$@" |
        jq -S 'del(.input.files, .input.rejected_samples)'
}

# reads NAME — was its library there at build time?
reads() {
    "$LOCKSTEP" --version | grep -q "$1"
}

# problems — of the files, one a line; "null" where there is none
problems() {
    jq -r '.input.files[] | "\(.path | sub(".*/"; "")): \(.lines): \(.problem)"' "$OUT"
}

@test "the same log in every compression, from a file and a pipe: the same report" {
    report "$QUIET" >"$BATS_TEST_TMPDIR/gzip"
    [ "$(jq .http.attempts "$BATS_TEST_TMPDIR/gzip")" = 685 ]
    while read -r library suffix; do
        reads "$library" || continue
        report "$SAME.$suffix" | cmp - "$BATS_TEST_TMPDIR/gzip"
        report - <"$SAME.$suffix" | cmp - "$BATS_TEST_TMPDIR/gzip"
        cat "$SAME.$suffix" | report | cmp - "$BATS_TEST_TMPDIR/gzip"
    done <<'ROWS'
libzstd zst
liblzma xz
libbz2 bz2
ROWS
}

@test "pieces in four compressions, as files in any order and as one file" {
    for library in libzstd liblzma libbz2; do
        reads "$library" || skip "built without $library"
    done
    report "$QUIET" >"$BATS_TEST_TMPDIR/whole"
    report testdata/input/piece-{3.log.xz,1.log.gz,4.log.bz2,2.log.zst} | cmp - "$BATS_TEST_TMPDIR/whole"
    cat testdata/input/piece-{1.log.gz,2.log.zst,3.log.xz,4.log.bz2} >"$BATS_TEST_TMPDIR/one"
    report "$BATS_TEST_TMPDIR/one" | cmp - "$BATS_TEST_TMPDIR/whole"
    cat "$BATS_TEST_TMPDIR/one" | report | cmp - "$BATS_TEST_TMPDIR/whole"
}

@test "text behind gzip is read on" {
    zcat "$QUIET" >"$BATS_TEST_TMPDIR/all"
    head -n 100 "$BATS_TEST_TMPDIR/all" | gzip >"$BATS_TEST_TMPDIR/log"
    tail -n +101 "$BATS_TEST_TMPDIR/all" >>"$BATS_TEST_TMPDIR/log"
    report "$BATS_TEST_TMPDIR/all" >"$BATS_TEST_TMPDIR/want"
    report "$BATS_TEST_TMPDIR/log" | cmp - "$BATS_TEST_TMPDIR/want"
}

@test "what cannot be read is named with the pipe that works, and the rest is read" {
    small_log >"$BATS_TEST_TMPDIR/log"
    printf '\x04\x22\x4D\x18\x64\x40' >"$BATS_TEST_TMPDIR/x"
    lockstep analyze -f json "$BATS_TEST_TMPDIR/x" "$BATS_TEST_TMPDIR/log"
    ended_with 3
    complained "x: lz4 is not read; use: lz4 -dc FILE | lockstep analyze -"
    [ "$(value http.attempts)" = 400 ]
    tar -cf "$BATS_TEST_TMPDIR/x" -C "$BATS_TEST_TMPDIR" log
    gzip -c "$BATS_TEST_TMPDIR/x" >"$BATS_TEST_TMPDIR/x.gz"
    for tar in x x.gz; do
        lockstep analyze -f json "$BATS_TEST_TMPDIR/$tar" "$BATS_TEST_TMPDIR/log"
        ended_with 3
        complained "$tar: it is a tar archive; use: tar -xOf FILE | lockstep analyze -"
        [ "$(value http.attempts)" = 400 ]
    done
}

@test "a damaged zstd file: what could be read, the file, the byte and status 3" {
    reads libzstd || skip "built without libzstd"
    head -c 3000 "$SAME.zst" >"$BATS_TEST_TMPDIR/log"
    { cat "$SAME.zst"; printf 'garbage'; } >"$BATS_TEST_TMPDIR/tail"
    lockstep analyze -f json "$BATS_TEST_TMPDIR/log"
    ended_with 3
    grep -q "log: zstd stream is cut short at byte 3000" "$ERR"
    lockstep analyze -f json "$BATS_TEST_TMPDIR/tail"
    ended_with 0
    complained "tail: 7 bytes behind the compressed data, from byte $(wc -c <"$SAME.zst") on, are ignored"
}

# rotated FOLDER — 200 files of a few lines each, some compressed, names in no order of time
rotated() {
    local folder=$1 i=0 piece
    mkdir "$folder"
    zcat "$QUIET" | head -n 500 | split -a 3 -d -l 4 - "$BATS_TEST_TMPDIR/odd."
    zcat "$QUIET" | tail -n +501 | split -a 3 -d -n r/75 - "$BATS_TEST_TMPDIR/over."
    for piece in "$BATS_TEST_TMPDIR"/odd.* "$BATS_TEST_TMPDIR"/over.*; do
        i=$((i + 1))
        mv "$piece" "$folder/access.log.$((i * 77 % 211))"
    done
    gzip "$folder"/access.log.*7
}

@test "a folder of 200 rotated files that overlap, with 12 descriptors, in any order" {
    rotated "$BATS_TEST_TMPDIR/logs"
    [ "$(ls "$BATS_TEST_TMPDIR/logs" | wc -l)" = 200 ]
    mkdir "$BATS_TEST_TMPDIR/logs/older"
    echo foreign | tee "$BATS_TEST_TMPDIR/logs/.hidden" >"$BATS_TEST_TMPDIR/logs/older/log"
    report "$QUIET" | jq '.http, .clocks, .input.lines' >"$BATS_TEST_TMPDIR/want"
    (
        ulimit -n 12
        lockstep analyze -f json "$BATS_TEST_TMPDIR/logs"
        ended_with 0
        silent
    )
    jq -S '.http, .clocks, .input.lines' "$OUT" | cmp - "$BATS_TEST_TMPDIR/want"
    [ "$(jq '.input.files | length' "$OUT")" = 200 ]
    cp "$OUT" "$BATS_TEST_TMPDIR/first"
    lockstep analyze -f json $(ls "$BATS_TEST_TMPDIR"/logs/access* | sort -R)
    cmp "$OUT" "$BATS_TEST_TMPDIR/first"
}

@test "folders that hold no file, or are none" {
    small_log >"$BATS_TEST_TMPDIR/log"
    mkdir "$BATS_TEST_TMPDIR/empty"
    lockstep analyze -f json "$BATS_TEST_TMPDIR/empty" "$BATS_TEST_TMPDIR/log"
    ended_with 3
    complained "there is no file in the directory '$BATS_TEST_TMPDIR/empty'"
    [ "$(value http.attempts)" = 400 ]
}

@test "a file that is given twice counts once, whatever its name and compression" {
    cd "$BATS_TEST_TMPDIR"
    small_log >access.log
    cp access.log copy.log
    gzip -c access.log >packed.gz
    ln -s access.log link.log
    lockstep analyze -f json access.log ./access.log copy.log packed.gz link.log
    ended_with 0
    problems | sort >problems
    diff problems - <<'ROWS'
access.log: 0: the same file as './access.log': counted once
access.log: 400: null
copy.log: 0: the same content as './access.log', 400 lines: counted once
link.log: 0: the same file as './access.log': counted once
packed.gz: 0: the same content as './access.log', 400 lines: counted once
ROWS
    [ "$(value input.lines.total)" = 400 ]
    [ "$(wc -l <"$ERR")" = 4 ]
    cp "$OUT" first
    lockstep analyze -f json packed.gz link.log copy.log ./access.log access.log
    cmp "$OUT" first
}

@test "a log that is the start of another counts once" {
    cd "$BATS_TEST_TMPDIR"
    small_log >access.log
    head -c 20010 access.log >access.log.1
    head -c 500 <(gzip -c access.log) >cut.gz
    lockstep analyze -f json access.log.1 cut.gz access.log
    ended_with 3
    [ "$(value http.attempts)" = 400 ]
    problems | grep -q "^access.log.1: 0: all its [0-9]* lines begin 'access.log' as well: counted once"
    problems | grep -q "^cut.gz: 0: gzip stream is cut short at byte 500; all its .* counted once"
}

@test "files that begin alike and go on differently all count" {
    cd "$BATS_TEST_TMPDIR"
    small_log >a.log
    { head -n 399 a.log; sed -n '400s/10.0.0/10.0.1/p' a.log; } >b.log
    head -n 300 a.log >c.log
    sed -n 1p a.log | sed 's/ 429 / 503 /' >>c.log
    lockstep analyze -f json a.log b.log c.log
    ended_with 0
    silent
    [ "$(value input.lines.total)" = 1101 ]
}

@test "pipes among the files" {
    cd "$BATS_TEST_TMPDIR"
    small_log >access.log
    report access.log >want
    report <(head -n 150 access.log) <(tail -n +151 access.log | gzip) | cmp - want
}

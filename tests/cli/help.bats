load helper

@test "--help, -h and help say the same" {
    lockstep --help
    ended_with 0
    silent
    golden help.txt
    cp "$OUT" "$BATS_TEST_TMPDIR/first"
    lockstep -h
    cmp "$OUT" "$BATS_TEST_TMPDIR/first"
    lockstep help
    cmp "$OUT" "$BATS_TEST_TMPDIR/first"
}

@test "each command shows its help in two ways" {
    for command in analyze schema help; do
        lockstep "$command" --help
        ended_with 0
        silent
        harmless 80
        golden "help-$command.txt"
        cp "$OUT" "$BATS_TEST_TMPDIR/first"
        lockstep help "$command"
        cmp "$OUT" "$BATS_TEST_TMPDIR/first"
    done
}

@test "--version names the libraries" {
    for version in --version -V; do
        lockstep $version
        ended_with 0
        silent
        grep -qE '^lockstep [0-9]+\.[0-9]+\.[0-9]+ \(zlib [0-9.]+(, ISA-L [0-9.]+)?(, lib(zstd|lzma|bz2) [0-9.]+)*, cJSON [0-9.]+, kissfft.*\)$' "$OUT"
    done
    cp "$OUT" "$BATS_TEST_TMPDIR/first"
    lockstep analyze --version
    cmp "$OUT" "$BATS_TEST_TMPDIR/first"
}

@test "no command is wrong use" {
    lockstep
    ended_with 2
    complained "no command given"
    lockstep --
    ended_with 2
    complained "no command given"
}

@test "an unknown command is wrong use, and a slip of the pen is understood" {
    lockstep frobnicate
    ended_with 2
    complained "unknown command 'frobnicate'"
    lockstep analyse access.log
    ended_with 2
    complained "unknown command 'analyse'; did you mean 'analyze'?"
    lockstep help shcema
    ended_with 2
    complained "did you mean 'schema'?"
    [ ! -s "$OUT" ]
}

@test "a file instead of a command is understood" {
    lockstep testdata/README.md
    ended_with 2
    complained "did you mean: lockstep analyze testdata/README.md"
}

@test "unknown options are wrong use" {
    while IFS='|' read -r arguments message; do
        lockstep $arguments
        ended_with 2
        complained "$message"
        [ ! -s "$OUT" ]
    done <<'ROWS'
--frob|unknown option '--frob'
-Z|unknown option '-Z'
--versoin|did you mean '--version'?
analyze --fromat json|unknown option '--fromat'; did you mean '--format'?
analyze -Z|unknown option '-Z'
analyze --color|option '--color' needs a value: auto|always|never
analyze -f|option '-f' needs a value: NAME
analyze --ascii=yes|option '--ascii' takes no value
analyze --s x|option '--s' is ambiguous
schema --ascii|unknown option '--ascii'
help analyze schema|help takes one command or topic
help clokcs|did you mean 'clocks'?
clocks|lockstep help clocks
watch --jsonn|did you mean '--json'?
simulate outage --downn 3|did you mean '--down'?
plan --calers 3|did you mean '--callers'?
ROWS
}

@test "--help fits a screen, and so does each topic; what they show runs" {
    lockstep --help
    [ "$(wc -l <"$OUT")" -le 24 ]
    lockstep help help
    sed -n '/^Topics:/,$p' "$OUT" | awk '/^  [a-z]/ { print $1 }' >"$BATS_TEST_TMPDIR/topics"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/topics")" -ge 8 ]
    mkdir "$BATS_TEST_TMPDIR/there"
    zcat testdata/incidents/seed-small-ids.log.gz >"$BATS_TEST_TMPDIR/there/access.log"
    cp testdata/quiet/control-quiet.combined.log.gz "$BATS_TEST_TMPDIR/there/access.log.1.gz"
    while read -r topic; do
        lockstep help "$topic"
        ended_with 0
        silent
        harmless 79
        [ "$(wc -l <"$OUT")" -le 24 ]
        grep -oE '^ {4,}lockstep (analyze|formats|plan|simulate) .*' "$OUT" |
            sed -E 's/^ +//; s/ {3,}[a-z].*$//; s/FILE$/access.log/' >>"$BATS_TEST_TMPDIR/commands" || :
    done <"$BATS_TEST_TMPDIR/topics"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/commands")" -ge 10 ]
    cd "$BATS_TEST_TMPDIR/there"
    while read -r _ arguments; do
        echo "$arguments"
        eval "lockstep $arguments"
        [ "$status" -le 1 ]
        [ -s "$OUT" ] || [ -s r.html ]
    done <"$BATS_TEST_TMPDIR/commands"
    lockstep help quick start
    says "the first three lines of the report are the answer"
}

@test "the tutorial of lockstep(1) shows what its commands print" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    ln -s "$LOCKSTEP" "$BATS_TEST_TMPDIR/bin/lockstep"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH "$PYTHON" tests/cli/tutorial.py man/lockstep.1 ${UPDATE:+update}
}

@test "a command's name may hold anything" {
    lockstep "$(printf 'x\033[31m\nlockstep: all is well')"
    ended_with 2
    complained 'x\x1b[31m\x0alockstep: all is well'
}

@test "the examples of the man pages run" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    ln -s "$LOCKSTEP" "$BATS_TEST_TMPDIR/bin/lockstep"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
    unset -f lockstep # the helper's writes to a file, past the pipes of the examples
    command -v jq >/dev/null || jq() { cat; }
    sed -n 's/^\.Dl \$ //p' man/*.[15] >"$BATS_TEST_TMPDIR/examples"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/examples")" -ge 5 ]
    while read -r example; do
        echo "$example"
        eval "$example" >"$OUT" 2>"$ERR"
        silent
        [ -s "$OUT" ]
    done <"$BATS_TEST_TMPDIR/examples"
}

load helper

# on_terminal ROWS ARGUMENT... — the program on a terminal of 80 columns
on_terminal() {
    status=0
    TERM=${TERM_IS-xterm} "$PYTHON" tests/cli/on_terminal.py "$1" 80 "$LOCKSTEP" "${@:2}" >"$OUT" 2>"$ERR" </dev/null || status=$?
}

# A program of that name that writes its words and its name, then what it reads, to $BATS_TEST_TMPDIR/seen.
pager_named() {
    mkdir -p "$BATS_TEST_TMPDIR/bin"
    printf '#!/bin/sh\n{ for w; do echo "word $w"; done; echo "LESS=$LESS of ${0##*/}"; cat; } >"%s"\n' \
        "$BATS_TEST_TMPDIR/seen" >"$BATS_TEST_TMPDIR/bin/$1"
    chmod +x "$BATS_TEST_TMPDIR/bin/$1"
    PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

shown_by_pager() {
    [ -s "$BATS_TEST_TMPDIR/seen" ] && ! [ -s "$OUT" ]
}

LOG=testdata/quiet/cron-60s.log.gz

@test "a long report goes through LOCKSTEP_PAGER, else PAGER, else less" {
    pager_named less
    unset LOCKSTEP_PAGER LESS
    on_terminal 20 analyze -q "$LOG"
    ended_with 0
    shown_by_pager
    grep -qx "LESS=FRX of less" "$BATS_TEST_TMPDIR/seen"
    "$LOCKSTEP" analyze -q "$LOG" >"$BATS_TEST_TMPDIR/plain"
    sed -e 1d -e 's/\x1b\[[0-9;]*m//g' "$BATS_TEST_TMPDIR/seen" | cmp "$BATS_TEST_TMPDIR/plain"
    pager_named other
    rm "$BATS_TEST_TMPDIR/seen"
    LESS=M PAGER="other -a 'two words' \$(touch $BATS_TEST_TMPDIR/ran);x" on_terminal 20 analyze -q "$LOG"
    shown_by_pager
    [ "$(head -n 5 "$BATS_TEST_TMPDIR/seen" | tr '\n' '|')" = "word -a|word two words|word \$(touch|word $BATS_TEST_TMPDIR/ran);x|LESS=M of other|" ]
    [ ! -e "$BATS_TEST_TMPDIR/ran" ]
    rm "$BATS_TEST_TMPDIR/seen"
    PAGER=less LOCKSTEP_PAGER=other on_terminal 20 analyze -q "$LOG"
    grep -qx "LESS=FRX of other" "$BATS_TEST_TMPDIR/seen"
}

@test "no pager: short, no terminal, not wanted, cat, dumb, missing" {
    pager_named less
    unset LOCKSTEP_PAGER
    not_paged() {
        ended_with 0
        [ ! -e "$BATS_TEST_TMPDIR/seen" ]
        says "Inputs"
    }
    on_terminal 2000 analyze -q "$LOG"
    not_paged
    lockstep analyze -q "$LOG"
    not_paged
    on_terminal 20 analyze -q --no-pager "$LOG"
    not_paged
    LOCKSTEP_PAGER= PAGER=less on_terminal 20 analyze -q "$LOG"
    not_paged
    LOCKSTEP_PAGER=cat on_terminal 20 analyze -q "$LOG"
    not_paged
    TERM_IS=dumb on_terminal 20 analyze -q "$LOG"
    not_paged
    rm "$BATS_TEST_TMPDIR/bin/less"
    mkdir "$BATS_TEST_TMPDIR/none"
    PATH=$BATS_TEST_TMPDIR/none on_terminal 20 analyze -q "$LOG"
    not_paged
    never grep -q "pager" "$OUT"
    LOCKSTEP_PAGER=no-such-pager on_terminal 20 analyze -q "$LOG"
    not_paged
    says "cannot run the pager 'no-such-pager': No such file or directory"
    LOCKSTEP_PAGER="less 'x" on_terminal 20 analyze -q "$LOG"
    not_paged
    says "is no pager: no closing quote"
}

@test "a pager that is left early or fails changes no status" {
    LOCKSTEP_PAGER=true on_terminal 20 analyze -q "$LOG"
    ended_with 0
    [ ! -s "$OUT" ]
    LOCKSTEP_PAGER=false on_terminal 20 analyze -q "$LOG"
    ended_with 0
    LOCKSTEP_PAGER=true on_terminal 20 analyze -q -f json --fail-on error-share=0 testdata/incidents/seed-small-ids.log.gz
    ended_with 1
}

@test "render and diff go through the pager as well" {
    pager_named other
    "$LOCKSTEP" analyze -q -f json "$LOG" >"$BATS_TEST_TMPDIR/a.json"
    LOCKSTEP_PAGER=other on_terminal 20 render "$BATS_TEST_TMPDIR/a.json"
    ended_with 0
    shown_by_pager
    rm "$BATS_TEST_TMPDIR/seen"
    LOCKSTEP_PAGER=other on_terminal 5 diff "$BATS_TEST_TMPDIR/a.json" "$BATS_TEST_TMPDIR/a.json"
    ended_with 0
    shown_by_pager
}

# Shared by the tests of the program.  $LOCKSTEP is the program (default: the release build).
# UPDATE=1 records what is printed as golden instead of comparing.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    LOCKSTEP=${LOCKSTEP:-build/release/lockstep}
    case $LOCKSTEP in /*) ;; *) LOCKSTEP=$PWD/$LOCKSTEP ;; esac
    export LOCKSTEP
    export LC_ALL=C.UTF-8
    unset LC_CTYPE LANG NO_COLOR COLUMNS LINES PAGER
    export LOCKSTEP_PAGER=cat
    OUT=$BATS_TEST_TMPDIR/out
    ERR=$BATS_TEST_TMPDIR/err
}

# lockstep ARGUMENT... — standard output to $OUT, standard error to $ERR, status in $status.
lockstep() {
    status=0
    "$LOCKSTEP" "$@" >"$OUT" 2>"$ERR" || status=$?
}

# The status, or all that was printed.
ended_with() {
    [ "$status" -eq "$1" ] || {
        echo "status $status, not $1"
        cat "$ERR" "$OUT"
        return 1
    }
}

# One line on standard error, and this is in it.
complained() {
    [ "$(wc -l <"$ERR")" -eq 1 ] && [ "$(head -c 10 "$ERR")" = "lockstep: " ] && grep -qF -- "$1" "$ERR" || {
        echo "not one line with '$1':"
        cat "$ERR"
        return 1
    }
}

# never COMMAND... — fails where the command succeeds ("! command" would not end a test)
never() {
    if "$@"; then
        return 1
    fi
}

silent() {
    [ ! -s "$ERR" ] || {
        cat "$ERR"
        return 1
    }
}

# says TEXT — on one line of standard output
says() {
    grep -qF -- "$1" "$OUT" || {
        echo "'$1' is missing in:"
        cat "$OUT"
        return 1
    }
}

# golden NAME — standard output is tests/cli/golden/NAME
golden() {
    if [ "${UPDATE:-}" = 1 ]; then
        cp "$OUT" "tests/cli/golden/$1"
    fi
    diff -u "tests/cli/golden/$1" "$OUT"
}

# No byte that acts on a terminal, and no line wider than $1 columns.
harmless() {
    if LC_ALL=C grep -n '[^[:print:][:space:]]' <(LC_ALL=C tr -d '\200-\377' <"$OUT"); then
        return 1
    fi
    [ "$(wc -L <"$OUT")" -le "$1" ]
}

# value KEY.PATH — of the JSON report, "null" when it is
value() {
    "$PYTHON" -c '
import json, sys
v = json.load(open(sys.argv[1]))
for k in sys.argv[2].split("."):
    v = v[int(k)] if isinstance(v, list) else v[k]
print(json.dumps(v))' "$OUT" "$1"
}

PYTHON=/usr/bin/python3
[ -x "$PYTHON" ] || PYTHON=python3

# A small log: 40 callers, refused once a minute for five minutes, come back after 20 s; written without
# a generator so that it never changes.
small_log() {
    local i m
    for m in 0 1 2 3 4; do
        for i in $(seq 10 49); do
            echo "10.0.0.$i - - [15/Jul/2025:12:0$m:05 +0000] \"POST /v1/jobs HTTP/1.1\" 429 12 \"-\" \"batch/1.0\""
        done
        for i in $(seq 10 49); do
            echo "10.0.0.$i - - [15/Jul/2025:12:0$m:25 +0000] \"POST /v1/jobs HTTP/1.1\" 200 12 \"-\" \"batch/1.0\""
        done
    done
}

# until_true CONDITION — within ten seconds
until_true() {
    for _ in $(seq 200); do
        if eval "$1"; then
            return 0
        fi
        sleep 0.05
    done
    echo "never: $1"
    return 1
}

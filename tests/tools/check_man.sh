#!/bin/sh
# check_man.sh RESULT PAGE... — the man pages are clean and name all that --help names.
#
# Every page passes mandoc's lint.  Every command and option that `lockstep --help` prints stands
# in man/lockstep.1; every option that `lockstep COMMAND --help` prints in man/lockstep-COMMAND.1,
# or in lockstep.1 for a command without a page of its own.
result=$1
shift
mkdir -p "$(dirname "$result")"
passed=0
failed=0

finish() {
    echo "man: $passed passed, $failed failed"
    echo "$passed $failed" >"$result"
    [ "$failed" -eq 0 ]
    exit
}

fail() {
    failed=$((failed + 1))
    echo "FAILED man: $1"
}

if ! command -v mandoc >/dev/null; then
    echo "man: skipped, mandoc is not installed"
    finish
fi

for page in "$@"; do
    if output=$(mandoc -T lint -W warning "$page" 2>&1) && [ -z "$output" ]; then
        passed=$((passed + 1))
    else
        fail "$page is not clean"
        echo "$output" | sed 's/^/    /'
    fi
done

# The page as its readers see it, without the overstriking.
shown() {
    mandoc -T ascii -O width=200 "$1" | sed "s/.$(printf '\b')//g"
}

options_of() {
    grep -oE -e '(^|[[:space:],[|])--?[A-Za-z][A-Za-z-]*' | grep -oE -e '--?[A-Za-z][A-Za-z-]*' | sort -u
}

# The indented words below a line "Commands:", up to the next blank or unindented line.
commands_of() {
    awk 'tolower($0) ~ /^(sub)?commands:?[ \t]*$/ { on = 1; next }
         on && !/^[ \t]+[a-z]/ { on = 0 }
         on { print $1 }'
}

# lacks PAGE WORD... — the words that do not stand in the page.
lacks() {
    text=$(shown "$1")
    shift
    for word in "$@"; do
        printf '%s\n' "$text" | grep -qE -e "(^|[^A-Za-z-])$word([^A-Za-z-]|\$)" ||
            printf ' %s' "$word"
    done
}

# check_page PAGE WHAT WORD...
check_page() {
    page=$1
    what=$2
    shift 2
    if [ ! -f "$page" ]; then
        fail "$what: there is no $page"
        return
    fi
    missing=$(lacks "$page" "$@")
    if [ -n "$missing" ]; then
        fail "$page does not name$missing, which $what prints"
    else
        passed=$((passed + 1))
    fi
}

if [ ! -x "$LOCKSTEP" ]; then
    fail "there is no program to ask for its --help"
    finish
fi
if ! help=$("$LOCKSTEP" --help) || [ -z "$help" ]; then
    fail "lockstep --help fails"
    finish
fi
commands=$(printf '%s\n' "$help" | commands_of)
if [ -z "$commands" ]; then
    fail "lockstep --help names no command below a line 'Commands:'"
fi
# shellcheck disable=SC2046,SC2086 # lists of words
check_page man/lockstep.1 "lockstep --help" $commands $(printf '%s\n' "$help" | options_of)
# Commands that another one's line tells of have pages, too.
for page in man/lockstep-*.1; do
    command=${page#man/lockstep-}
    commands="$commands ${command%.1}"
done
for command in $(printf '%s\n' $commands | sort -u); do
    help=$("$LOCKSTEP" "$command" --help 2>/dev/null) || continue
    page=man/lockstep-$command.1
    [ -f "$page" ] || [ "$command" = analyze ] || page=man/lockstep.1
    # shellcheck disable=SC2046
    check_page "$page" "lockstep $command --help" $(printf '%s\n' "$help" | options_of)
done
finish

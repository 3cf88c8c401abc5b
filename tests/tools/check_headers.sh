#!/bin/sh
# check_headers.sh RESULT HEADER... — each header compiles alone, without a warning.
#
# $CC; $FLAGS for headers below src/, $PUBLIC_FLAGS (no -Isrc) for those below include/: a public
# header may not need a private one.
result=$1
shift
mkdir -p "$(dirname "$result")"
passed=0
failed=0
for header in "$@"; do
    case $header in
    include/*) flags=$PUBLIC_FLAGS name=${header#include/} ;;
    *) flags=$FLAGS name=${header#src/} ;;
    esac
    # shellcheck disable=SC2086 # flags are words
    if output=$(printf '#include "%s"\n' "$name" | $CC $flags -Werror -fsyntax-only -xc - 2>&1); then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $header does not compile alone"
        echo "$output" | sed 's/^/    /'
    fi
done
echo "headers: $passed passed, $failed failed"
echo "$passed $failed" >"$result"
[ "$failed" -eq 0 ]

#!/bin/sh
# lint.sh FILE.c... — clang-tidy and cppcheck where present, gcc -fanalyzer; $FLAGS to compile with.
# shellcheck disable=SC2086 # flags are words
bad=0

if command -v clang-tidy >/dev/null; then
    echo "== clang-tidy"
    clang-tidy --quiet "$@" -- $FLAGS 2>/dev/null || bad=1
else
    echo "== clang-tidy is not installed"
fi

if command -v cppcheck >/dev/null; then
    echo "== cppcheck"
    cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
        --error-exitcode=1 --suppress=missingIncludeSystem -Isrc -Iinclude "$@" || bad=1
else
    echo "== cppcheck is not installed"
fi

echo "== gcc -fanalyzer"
for file in "$@"; do
    gcc $FLAGS -fanalyzer -Werror -c -o /dev/null "$file" || bad=1
done
exit $bad

#!/bin/sh
# lint.sh TOOL FILE.c... — tidy (clang-tidy), analyzer (gcc -fanalyzer) or cppcheck over each file; $FLAGS to compile
# with.  As many files at once as $JOBS (1) says.  Exceptions stand in .clang-tidy, and beside the code with a reason.
# shellcheck disable=SC2086 # flags are words
tool=$1
shift
have() {
    command -v "$1" >/dev/null || {
        echo "== $1 is not installed: skipped"
        exit 0
    }
    echo "== $tool"
}
each() {
    printf '%s\n' "$files" | xargs -P "${JOBS:-1}" -I FILE "$@"
}
files=$(printf '%s\n' "$@")
case $tool in
tidy)
    have clang-tidy
    each clang-tidy --quiet FILE -- $FLAGS 2>/dev/null
    ;;
analyzer)
    have gcc
    # gcc 12 loses sight of a block that is kept in a structure behind a pointer, and calls it lost: what is lost is
    # looked for at every failing allocation instead (make faults), and by LeakSanitizer (make asan).  Of a structure
    # that a function of another file returns it takes the members for unset.
    export FLAGS
    each sh -c 'case $0 in
        src/format/unwrap.c | src/api/whatif_show.c) set -- -Wno-analyzer-use-of-uninitialized-value ;;
        esac
        exec gcc $FLAGS -fanalyzer -Wno-analyzer-malloc-leak "$@" -Werror -c -o /dev/null "$0"' FILE
    ;;
cppcheck)
    have cppcheck
    cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
        --error-exitcode=1 --suppress=missingIncludeSystem -Isrc -Iinclude "$@"
    ;;
*)
    echo "lint: '$tool' is none of tidy, analyzer, cppcheck" >&2
    exit 2
    ;;
esac

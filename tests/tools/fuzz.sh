#!/bin/sh
# fuzz.sh BUILD SECONDS FUZZER... — runs each libFuzzer binary; new inputs stay in BUILD/corpus.
#
# tests/fuzz/corpus/<x>/ are the seeds, tests/fuzz/<x>.dict (if any) the dictionary.
build=$1
seconds=$2
shift 2
bad=0
for fuzzer in "$@"; do
    name=${fuzzer##*/fuzz_}
    mkdir -p "$build/corpus/$name" "$build/crash"
    seeds=tests/fuzz/corpus/$name
    [ -d "$seeds" ] || seeds=
    dict=tests/fuzz/$name.dict
    [ -f "$dict" ] && dict=-dict=$dict || dict=
    echo "== fuzz_$name, $seconds s"
    # shellcheck disable=SC2086 # one word or none
    "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 \
        -verbosity=0 -artifact_prefix="$build/crash/$name-" $dict "$build/corpus/$name" $seeds ||
        { bad=1 && echo "FAILED fuzz_$name: see $build/crash"; }
done
exit $bad

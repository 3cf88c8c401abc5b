#!/bin/sh
# check_fuzz.sh RESULT FUZZER... — feeds each tests/fuzz/corpus/<x>/* to fuzz_<x>, one test an input.
result=$1
shift
mkdir -p "$(dirname "$result")"
passed=0
failed=0
for fuzzer in "$@"; do
    name=${fuzzer##*/fuzz_}
    inputs=0
    for input in tests/fuzz/corpus/"$name"/*; do
        [ -f "$input" ] || continue
        inputs=$((inputs + 1))
        if output=$("$fuzzer" "$input" 2>&1); then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "FAILED fuzz_$name $input"
            echo "$output" | sed 's/^/    /'
        fi
    done
    if [ "$inputs" -eq 0 ]; then
        failed=$((failed + 1))
        echo "FAILED fuzz_$name: tests/fuzz/corpus/$name has no inputs"
    fi
done
echo "fuzz: $passed passed, $failed failed"
echo "$passed $failed" >"$result"
[ "$failed" -eq 0 ]

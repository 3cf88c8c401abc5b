#!/bin/sh
# check_layers.sh RESULT — the includes of all sources keep to src/LAYERS.
result=$1
mkdir -p "$(dirname "$result")"
files=$(find src include -name '*.[ch]' | sort)
# shellcheck disable=SC2086 # file names have no spaces here
output=$(awk -f tests/tools/layers.awk src/LAYERS $files) && failed=0 || failed=1
[ "$failed" -eq 0 ] || echo "$output" | sed 's/^/FAILED /'
echo "layers: $((1 - failed)) passed, $failed failed"
echo "$((1 - failed)) $failed" >"$result"
[ "$failed" -eq 0 ]

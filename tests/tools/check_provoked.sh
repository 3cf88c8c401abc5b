#!/bin/sh
# check_provoked.sh RESULT — every error code and every bound has its row in tests/provoked.tsv, every row its test.
result=$1
table=tests/provoked.tsv
tab=$(printf '\t')
mkdir -p "$(dirname "$result")"
passed=0
failed=0

fails() {
    failed=$((failed + 1))
    echo "FAILED $1"
}

names=$(sed -n 's/^    X(\(E[A-Z]*\),.*/\1/p' src/base/err.h
    sed -n 's/^    LK_\(BOUND_[A-Z]*\),.*/\1/p' src/model/bounds.h)
[ "$(echo "$names" | wc -l)" -gt 15 ] || fails "the names of codes and bounds are not found"
for name in $names; do
    row=$(grep "^$name$tab" "$table") || { fails "$name has no row in $table"; continue; }
    file=$(echo "$row" | cut -f 2)
    test=$(echo "$row" | cut -f 3)
    if [ "$file" = - ]; then
        echo "provoked: $name by no test of its own"
    elif grep -qF -e "@test \"$test\"" -e "TEST($test)" "$file"; then
        passed=$((passed + 1))
    else
        fails "$name: no '$test' in $file"
    fi
done
for name in $(grep -v '^#' "$table" | cut -f 1); do
    echo "$names" | grep -qx "$name" || fails "$name in $table is no code and no bound"
done
[ -z "$(grep -v '^#' "$table" | cut -f 1 | sort | uniq -d)" ] || fails "a name has two rows in $table"
echo "provoked: $passed passed, $failed failed"
echo "$passed $failed" >"$result"
[ "$failed" -eq 0 ]

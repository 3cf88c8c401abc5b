#!/bin/bash
# hadoop_stub.sh jar JAR ... — what Hadoop Streaming does with these options, on one machine: the input in
# splits of SPLIT bytes at line ends, a mapper each with its file and offset in the environment, the reduce
# chosen by the first field, sorted by the first two.  The second split's mapper is killed once and run again.
set -eu
shift 2
reduces=1
while [ $# -gt 0 ]; do
    case $1 in
    -D) case $2 in mapreduce.job.reduces=*) reduces=${2#*=} ;; esac ;;
    -input) input=$2 ;;
    -output) output=$2 ;;
    -mapper) mapper=$2 ;;
    -reducer) reducer=$2 ;;
    -partitioner) ;;
    *) echo "unknown: $1" >&2; exit 1 ;;
    esac
    shift 2
done
mkdir "$output"
export LC_ALL=C mapreduce_map_input_file=$input mapreduce_map_input_start mapreduce_task_partition
mapreduce_map_input_start=0
split -C "${SPLIT:-100000}" -a 4 -d "$input" "$output/split-"
for split in "$output"/split-*; do
    if [ "$split" = "$output/split-0001" ]; then
        (eval "$mapper" <"$split" | head -c 1000 >"$output/map-killed") 2>/dev/null || :
        rm "$output/map-killed"
    fi
    eval "$mapper" <"$split" >"$output/map-${split##*-}"
    mapreduce_map_input_start=$((mapreduce_map_input_start + $(wc -c <"$split")))
done
for ((mapreduce_task_partition = 0; mapreduce_task_partition < reduces; mapreduce_task_partition++)); do
    cat "$output"/map-* | awk -F '\t' -v n="$reduces" -v i="$mapreduce_task_partition" '
        BEGIN { for (c = 32; c < 127; c++) code[sprintf("%c", c)] = c }
        { h = 0; for (k = 1; k <= length($1); k++) h = (h * 31 + code[substr($1, k, 1)]) % 2147483648 }
        h % n == i' | sort -t "$(printf '\t')" -k1,1 -k2,2 -s | eval "$reducer"
done

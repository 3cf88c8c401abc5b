#!/bin/sh
# hadoop.sh FOLDER INPUT — Hadoop Streaming over INPUT, a log in HDFS; LIKE is its start on every node.
# KEY is the first field, TIME the second: both sort, the first alone decides the reduce.  A reduce keeps
# its state in the folder by the number of its task, beside its place and renamed: a task that is run
# twice leaves one.
set -eu
: "${LOCKSTEP:=lockstep}" "${REDUCES:=3}" "${HADOOP:=hadoop}" "${STREAMING_JAR:=hadoop-streaming.jar}"
folder=$1
input=$2
"$HADOOP" jar "$STREAMING_JAR" \
    -D stream.num.map.output.key.fields=2 \
    -D mapreduce.partition.keypartitioner.options=-k1,1 \
    -D mapreduce.job.output.key.comparator.class=org.apache.hadoop.mapreduce.lib.partition.KeyFieldBasedComparator \
    -D mapreduce.partition.keycomparator.options=-k1,2 \
    -D mapreduce.job.reduces="$REDUCES" \
    -D stream.map.input.ignoreKey=true \
    -partitioner org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner \
    -input "$input" -output "$folder/job" \
    -mapper "sh -c '$LOCKSTEP map -q ${LIKE:+--like $LIKE} --name \"\$mapreduce_map_input_file\" --at \"\$mapreduce_map_input_start\"'" \
    -reducer "sh -c '$LOCKSTEP reduce -o $folder/part-\$mapreduce_task_partition.state'"
"$LOCKSTEP" merge -f json "$folder"/part-*.state

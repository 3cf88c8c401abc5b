#!/usr/bin/env python3
"""spark_run.py FOLDER FILE... — map, repartitionAndSortWithinPartitions, reduce and merge on Spark.

pipe() joins both programs to the job; states leave as lines of base64.  LIKE as in parallel.sh."""
import base64, os, shlex, subprocess, sys
from pyspark import SparkContext
from pyspark.rdd import portable_hash

LOCKSTEP = os.environ.get("LOCKSTEP", "lockstep")
REDUCES = int(os.environ.get("REDUCES", "3"))
LIKE = os.environ.get("LIKE")
REDUCE = f"{shlex.quote(LOCKSTEP)} reduce -o s.$$ && base64 -w 0 s.$$ && echo && rm s.$$"


def run_map(path):
    like = ["--like", LIKE] if LIKE else []
    return subprocess.run([LOCKSTEP, "map", "-q"] + like + [path], check=True,
                          stdout=subprocess.PIPE).stdout.decode("ascii").splitlines()


def keyed(line):
    key, at, record = line.split("\t", 2)
    return (key, at), record


def main():
    folder, files = sys.argv[1], sys.argv[2:]
    spark = SparkContext(appName="lockstep")
    states = (spark.parallelize(files, len(files)).flatMap(run_map).map(keyed)
              .repartitionAndSortWithinPartitions(REDUCES, lambda k: portable_hash(k[0]))
              .map(lambda kv: "\t".join(kv[0] + (kv[1],)))
              .pipe(f"sh -c {shlex.quote(REDUCE)}", checkCode=True)
              .filter(lambda line: line).collect())
    paths = []
    for i, state in enumerate(states):
        paths.append(f"{folder}/part-{i}.state")
        with open(paths[-1], "wb") as out:
            out.write(base64.b64decode(state))
    spark.stop()
    sys.exit(subprocess.run([LOCKSTEP, "merge", "-f", "json"] + paths).returncode)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""dask_run.py SCHEDULER FOLDER FILE... — map, shuffle, reduce and merge on a Dask cluster.

FILEs are logs, or parts of one cut at line ends and named in their order; then LIKE is the log, or its
first part.  A task writes its output beside its place and renames it, so that one that is killed, or run
twice, leaves what a single run leaves."""
import os, subprocess, sys
from distributed import Client

LOCKSTEP = os.environ.get("LOCKSTEP", "lockstep")
REDUCES = int(os.environ.get("REDUCES", "3"))
LIKE = os.environ.get("LIKE")


def run_map(path, prefix, reduces=16, like=None, program="lockstep"):
    subprocess.run([program, "map", "-q", "--partitions", str(reduces), "-o", prefix]
                   + (["--like", like] if like else []) + [path], check=True)
    return prefix


def run_reduce(prefixes, i, program="lockstep"):
    state = os.path.join(os.path.dirname(prefixes[0]), f"part-{i}.state")
    sort = subprocess.Popen(["sort"] + [f"{p}.{i}" for p in prefixes], stdout=subprocess.PIPE,
                            env=dict(os.environ, LC_ALL="C"))
    subprocess.run([program, "reduce", "-o", state], stdin=sort.stdout, check=True)
    if sort.wait() != 0:
        raise OSError("sort failed")
    return state


def main():
    scheduler, folder, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    with Client(scheduler) as client:
        maps = [client.submit(run_map, f, f"{folder}/map-{i}", REDUCES, LIKE, LOCKSTEP, pure=False)
                for i, f in enumerate(files)]
        prefixes = client.gather(maps)
        states = client.gather([client.submit(run_reduce, prefixes, i, LOCKSTEP, pure=False) for i in range(REDUCES)])
    sys.exit(subprocess.run([LOCKSTEP, "merge", "-f", "json"] + states).returncode)


if __name__ == "__main__":
    main()

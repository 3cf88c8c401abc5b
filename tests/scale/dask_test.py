#!/usr/bin/env python3
"""dask_test.py FOLDER FILE... — dask_run.py on a scheduler and two workers on 127.0.0.1, of which one is
killed by its process id in the middle of a map: the first map of all gets half of its input, then nothing, until
its worker is gone.  The report goes to standard output; what is started here is stopped here."""
import os, re, signal, subprocess, sys, threading, time

FOLDER, FILES = sys.argv[1], sys.argv[2:]
LOCKSTEP = os.environ.get("LOCKSTEP", "lockstep")
HERE = os.path.dirname(os.path.abspath(__file__))
started = []


def start(*command):
    log = open(f"{FOLDER}/{command[0]}-{len(started)}.log", "w")
    process = subprocess.Popen([sys.executable, "-c",
        "import sys; from distributed.cli.%s import main; sys.argv[0] = 'dask'; main()" % command[0]]
        + list(command[1:]), stdout=log, stderr=log, start_new_session=True)
    started.append(process)
    return process, log.name


def address(name, process):
    """Where the scheduler says that it listens."""
    for _ in range(300):
        found = re.search(r"Scheduler at:\s+(tcp://\S+)", open(name).read())
        if found:
            return found[1]
        if process.poll() is not None:
            break
        time.sleep(0.1)
    sys.exit("the scheduler did not start:\n" + open(name).read())


def hold_first_map():
    """In the program's place: the first map says whose it is, and stops in the middle."""
    path = f"{FOLDER}/lockstep"
    with open(path, "w") as f:
        f.write(f"""#!/bin/sh
if [ "$1" = map ] && mkdir '{FOLDER}/held' 2>/dev/null; then
    for input; do :; done
    {{ head -c $(($(wc -c <"$input") / 2)) "$input"; echo $PPID >'{FOLDER}/held/new'
      mv '{FOLDER}/held/new' '{FOLDER}/held/worker'; sleep 100; }} | '{LOCKSTEP}' map -q -o '{FOLDER}/never' -
    exit 1
fi
exec '{LOCKSTEP}' "$@"
""")
    os.chmod(path, 0o755)
    return path


def kill_one_while_it_works(workers):
    """By its process id; its children go with it."""
    for _ in range(6000):
        if os.path.exists(f"{FOLDER}/held/worker"):
            break
        time.sleep(0.01)
    victim = int(open(f"{FOLDER}/held/worker").read())
    if victim not in [w.pid for w in workers]:
        sys.exit(f"{victim} is no worker")
    os.killpg(victim, signal.SIGKILL)
    print(f"killed worker {victim} in the middle of a map", file=sys.stderr)


def main():
    scheduler, log = start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    where = address(log, scheduler)
    workers = [start("dask_worker", where, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny",
                     "--no-dashboard", "--local-directory", f"{FOLDER}/worker-{i}")[0] for i in range(2)]
    driver = subprocess.Popen([sys.executable, f"{HERE}/dask_run.py", where, FOLDER] + FILES,
                              env=dict(os.environ, LOCKSTEP=hold_first_map()))
    started.append(driver)
    killer = threading.Thread(target=kill_one_while_it_works, args=(workers,), daemon=True)
    killer.start()
    status = driver.wait(timeout=110)
    killer.join()
    return status


try:
    status = main()
finally:
    for process in started:
        if process.poll() is None:
            process.terminate()
    for process in started:
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
sys.exit(status)

#!/usr/bin/env python3
"""dask_test.py FOLDER FILE... — dask_run.py on a scheduler and two workers on 127.0.0.1, of which one is
killed while it works.  The report goes to standard output; what is started here is stopped here."""
import os, re, signal, subprocess, sys, threading, time

FOLDER, FILES = sys.argv[1], sys.argv[2:]
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


def kill_one_while_it_works(victim):
    """By its process id, once something was mapped and before all was; its children go with it."""
    for _ in range(600):
        done = [f for f in os.listdir(FOLDER) if re.fullmatch(r"map-\d+\.0", f)]
        if done:
            break
        time.sleep(0.01)
    print(f"killed worker {victim.pid} after {len(done)} of {len(FILES)} maps", file=sys.stderr)
    os.killpg(victim.pid, signal.SIGKILL)


def main():
    scheduler, log = start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    where = address(log, scheduler)
    workers = [start("dask_worker", where, "--host", "127.0.0.1", "--nthreads", "1", "--no-nanny",
                     "--no-dashboard", "--local-directory", f"{FOLDER}/worker-{i}")[0] for i in range(2)]
    driver = subprocess.Popen([sys.executable, f"{HERE}/dask_run.py", where, FOLDER] + FILES)
    started.append(driver)
    killer = threading.Thread(target=kill_one_while_it_works, args=(workers[0],), daemon=True)
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

#!/usr/bin/env python3
"""matrix.py [OPTION]... LOG... — is the report the same bytes, however logs are cut, reduced and merged?

For each log, or with --fleet N for each N of them together: cut in 1, 2, 7 and 64 parts, reduced by 1, 3 and
16, the states merged in a shuffled order, flat or by merges of merges; compared with `lockstep analyze` after
jq 'del(.input.files, .input.rejected_samples)'.

Kinds of cut, in turn:
  bytes   ranges of bytes that end at line ends, in files
  place   the same on standard input, with --name and --at
  time    by the stamps of lines: each part has those of a span
  nodes   each line to one of the parts at random
The report must be that of analyze on the whole log.  But for places, it may also be that of analyze on the parts
("same as parts"): as files, they may have the lines of one instant in another order.  With --each K a log is cut in K of the combinations, and the next log
goes on with those that follow.  A log that gzip calls damaged has one part, the file itself.

One TSV row a combination: log, cut, maps, reduces, merge, how it compares or DIFFERENT, bytes an attempt of records and of
states.  Exit status 1 when a report differs."""
import argparse, gzip, itertools, json, os, random, re, shutil, subprocess, sys, tempfile, zlib
from collections import Counter
from datetime import datetime

LOCKSTEP = os.environ.get("LOCKSTEP", "lockstep")
PARTITIONS = 16
C = dict(os.environ, LC_ALL="C")
CUTS = ("bytes", "place", "time", "nodes")
MERGES = ("flat", "tree")


def facts(command):
    """What a command reports, without what no state has; what it says where it reports nothing."""
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if not ran.stdout:
        return b"no report, status %d\n" % ran.returncode, ran.stderr
    return subprocess.run(["jq", "del(.input.files, .input.rejected_samples)"], input=ran.stdout, check=True,
                          stdout=subprocess.PIPE).stdout, ran.stderr


# ---- cuts ----

def by_bytes(lines, parts):
    """Ranges of about as many bytes each; some have none where lines are long."""
    size = sum(map(len, lines))
    out, at = [[] for _ in range(parts)], 0
    for line in lines:
        out[min(parts - 1, at * parts // size)].append(line)
        at += len(line)
    return out


STAMPS = [(re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{1,6})?"), None),
          (re.compile(rb"\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d"), "%d/%b/%Y:%H:%M:%S")]


def stamp(line, pattern, form):
    found = pattern.search(line)
    if not found:
        return None
    text = found[0].decode()
    try:
        return (datetime.strptime(text, form) if form else datetime.fromisoformat(text[:19])).timestamp()
    except ValueError:
        return None


def by_time(lines, parts):
    """Spans of one length; a line without a stamp goes with the one before."""
    for pattern, form in STAMPS:
        at = [stamp(line, pattern, form) for line in lines]
        known = [t for t in at if t is not None]
        if len(known) > len(lines) / 2:
            break
    else:
        return None
    low, high, last = min(known), max(known), min(known)
    out = [[] for _ in range(parts)]
    for line, t in zip(lines, at):
        last = t if t is not None else last
        out[min(parts - 1, int((last - low) * parts / (high - low + 1)))].append(line)
    return out


def by_nodes(lines, parts, rng):
    out = [[] for _ in range(parts)]
    for line in lines:
        out[rng.randrange(parts)].append(line)
    return out


# ---- stages ----

class Work:
    def __init__(self, options, rng):
        self.folder = tempfile.mkdtemp(prefix="matrix-")
        self.options, self.rng = options, rng

    def path(self, name):
        return f"{self.folder}/{name}"

    def clear(self, kept=()):
        for name in os.listdir(self.folder):
            if name not in kept:
                os.unlink(self.path(name))

    def map(self, i, arguments, stdin=None):
        """A map that finds nothing to read still leaves its account; what it says is merge's to repeat."""
        with open(stdin or os.devnull, "rb") as f:
            ran = subprocess.run([LOCKSTEP, "map", "-q", "--partitions", str(PARTITIONS), "-o",
                                  self.path(f"map-{i}")] + self.options + arguments, stdin=f, stderr=subprocess.PIPE)
        if ran.returncode not in (0, 3):
            sys.exit(f"map {arguments}: {ran.stderr.decode()}")

    def reduce(self, maps, reduces):
        states = []
        for r in range(reduces):
            order = [self.path(f"map-{i}.{k}") for i in range(maps) for k in range(r, PARTITIONS, reduces)]
            self.rng.shuffle(order)
            states.append(self.path(f"{r}.state"))
            sort = subprocess.Popen(["sort", "-S", "256M", "--files0-from=-"], env=C, stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE)
            reduce = subprocess.Popen([LOCKSTEP, "reduce", "-o", states[-1]], stdin=sort.stdout)
            sort.stdout.close()
            sort.stdin.write("\0".join(order).encode())
            sort.stdin.close()
            if sort.wait() or reduce.wait():
                sys.exit("sort or reduce failed")
        return states

    def merge(self, states, kind):
        self.rng.shuffle(states)
        made = 0
        while kind == "tree" and len(states) > 2:
            group = [states.pop() for _ in range(min(len(states), self.rng.randint(1, 4)))]
            states.insert(0, self.path(f"merged-{made}.state"))
            made += 1
            subprocess.run([LOCKSTEP, "merge", "--state", states[0]] + group, check=True)
        self.rng.shuffle(states)
        return facts([LOCKSTEP, "merge", "-q", "-f", "json"] + states)


def bytes_of(work, prefix, suffix, attempts):
    size = sum(os.path.getsize(work.path(f)) for f in os.listdir(work.folder)
               if f.startswith(prefix) and f.endswith(suffix))
    return size / attempts if attempts else 0.0


# ---- one log ----

def read(path):
    with open(path, "rb") as f:
        data = f.read()
    try:
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError, zlib.error):
        return None


def analyze(work, paths):
    return facts([LOCKSTEP, "analyze", "-q", "-f", "json"] + work.options + paths)


def cut_and_map(work, lines, cut, maps):
    """What to compare with: the log or its parts, without those that have no line."""
    parts = {"bytes": by_bytes, "place": by_bytes, "time": by_time}.get(cut)
    parts = parts(lines, maps) if parts else by_nodes(lines, maps, work.rng)
    if parts is None:
        return cut_and_map(work, lines, "bytes", maps)
    for i, part in enumerate(parts):
        with open(work.path(f"part.{i:03}"), "wb") as f:
            f.writelines(part)
    places = [0] + list(itertools.accumulate(sum(map(len, part)) for part in parts))
    for i in work.rng.sample(range(maps), maps):
        like, part = ["--like", work.path("log")], work.path(f"part.{i:03}")
        if cut == "place":
            work.map(i, like + ["--name", "log", "--at", str(places[i]), "-"], part)
        else:
            work.map(i, like + [part])
    whole = cut == "place" or maps == 1
    return [work.path("log")] if whole else [work.path(f"part.{i:03}") for i in range(maps) if parts[i]]


def one_log(work, log, combinations, check):
    text = read(log)
    lines = None
    if text is not None:
        lines = text.split(b"\n")
        lines = [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
        with open(work.path("log"), "wb") as f:
            f.write(text)
    whole = analyze(work, [work.path("log") if lines else log])
    for (cut, maps), rest in itertools.groupby(combinations, lambda c: c[:2]):
        work.clear(kept=("log",))
        want = whole
        if lines:
            paths = cut_and_map(work, lines, cut, maps)
            want = analyze(work, paths) if len(paths) > 1 else whole
        else:
            work.map(0, [log])
            maps, cut = 1, "none"
        for _, _, reduces, kind in rest:
            check(log, cut, maps, reduces, kind, want, whole)


def fleet(work, logs, combinations, check):
    """Whole logs, each to one of the maps."""
    want = analyze(work, logs)
    for (_, maps), rest in itertools.groupby(combinations, lambda c: c[:2]):
        work.clear()
        maps = min(maps, len(logs))
        for i in range(maps):
            work.map(i, logs[i::maps])
        for _, _, reduces, kind in rest:
            check(f"{logs[0]} and {len(logs) - 1} more", "files", maps, reduces, kind, want, want)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--maps", default="1,2,7,64")
    ap.add_argument("--reduces", default="1,3,16")
    ap.add_argument("--cuts", default=",".join(CUTS))
    ap.add_argument("--merges", default=",".join(MERGES))
    ap.add_argument("--each", type=int, help="combinations a log, all by default")
    ap.add_argument("--fleet", type=int, help="so many logs together, each whole")
    ap.add_argument("--option", action="append", default=[], help="to map and analyze, as --option=--tz=UTC")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--quiet", action="store_true", help="rows that differ only, and how many do not")
    ap.add_argument("logs", nargs="+", metavar="LOG")
    a = ap.parse_args()
    rng = random.Random(a.seed)
    every = list(itertools.product(a.cuts.split(","), map(int, a.maps.split(",")), map(int, a.reduces.split(",")),
                                   a.merges.split(",")))
    turns, tally = itertools.cycle(rng.sample(every, len(every))), Counter()
    work = Work(a.option, rng)

    def check(log, cut, maps, reduces, kind, want, whole):
        got = work.merge(work.reduce(maps, reduces), kind)
        same = "same" if got[0] == whole[0] else "same as parts" if got[0] == want[0] else "DIFFERENT"
        if same != "DIFFERENT" and not got[0].startswith(b"{"):
            same = "no report"
        tally[same] += 1
        attempts = json.loads(want[0])["http"]["attempts"] if want[0].startswith(b"{") else 0
        if same == "DIFFERENT" or not a.quiet:
            print(log, cut, maps, reduces, kind, same, "%.1f" % bytes_of(work, "map-", "", attempts),
                  "%.1f" % bytes_of(work, "", ".state", attempts), sep="\t", flush=True)
        if same == "DIFFERENT":
            sys.stderr.write(f"  analyze: {want[1][:300]!r}\n  merge: {got[1][:300]!r}\n")
        for name in os.listdir(work.folder):
            if name.endswith(".state"):
                os.unlink(work.path(name))

    def chosen():
        return sorted(next(turns) for _ in range(a.each)) if a.each else sorted(every)

    try:
        if a.fleet:
            for i in range(0, len(a.logs), a.fleet):
                fleet(work, a.logs[i:i + a.fleet], chosen(), check)
        else:
            for log in a.logs:
                one_log(work, log, chosen(), check)
                work.clear()
    finally:
        shutil.rmtree(work.folder)
    print(", ".join(f"{n} {what}" for what, n in sorted(tally.items())), file=sys.stderr)
    sys.exit(1 if tally["DIFFERENT"] else 0)


if __name__ == "__main__":
    main()

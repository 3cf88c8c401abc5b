#!/usr/bin/env python3
"""reports.py — compares whole reports of the program, field by field, with those of tests/cli/golden/reports.

    reports.py [--update] [--first] [--cpu SECONDS] [--keep FOLDER] [--only NAME,...] PROGRAM

tests/cli/reports.tsv says what is run: a name, where the log comes from (a file of testdata, or a model of `simulate`
with its options), the command and its options.  Texts and whole numbers have to be the same, fractions to one part
in a million; a long list of numbers stands in the golden file as its length, its sum and its first moment.  What
`analyze --explain` prints is compared word by word, its fractions to their last place; of `attempts` each column has a
checksum.

A line is printed for each field that differs.  --update records what the program says now, and prints what has
changed by that; --first ends at the first run that differs.
"""
import argparse
import json
import lzma
import os
import re
import resource
import shlex
import subprocess
import sys
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GOLDEN = os.path.join(HERE, "golden", "reports")
LONG = 6        # a list of more numbers is summed up
ROWS = 3        # a list of more objects becomes a list a member
SHOWN = 20      # differences of a run
FRACTION = 1e-6 # what the compilers may differ in


def is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def rounded(x):
    return float(f"{x:.9g}") if isinstance(x, float) else x


def compact(x):
    """The report with the long lists summed up, and without what differs from build to build."""
    if isinstance(x, dict):
        return {k: compact(v) for k, v in x.items() if k != "generator"}
    if isinstance(x, list):
        if len(x) > LONG and all(is_number(v) for v in x):
            return {"n": len(x), "sum": rounded(sum(x)),
                    "moment": rounded(sum(v * (i + 1) for i, v in enumerate(x)))}
        if len(x) > LONG and all(isinstance(v, str) for v in x):
            return {"n": len(x), "sum": f"{zlib.crc32(json.dumps(x).encode()):08x}"}
        if len(x) > ROWS and all(isinstance(v, dict) and v.keys() == x[0].keys() for v in x):
            return {"rows": len(x), **{k: compact([v[k] for v in x]) for k in x[0]}}
        return [compact(v) for v in x]
    return rounded(x)


def columns(text):
    """Of JSON lines: how many of them, and each column's checksum."""
    rows = [json.loads(line) for line in text.splitlines()]
    names = list(rows[0]) if rows else []
    sums = {n: zlib.crc32("\n".join(json.dumps(r[n]) for r in rows).encode()) for n in names}
    return {"rows": len(rows), **{n: f"{s:08x}" for n, s in sums.items()}}


def words(text):
    """Of an explanation: its lines, a row each."""
    return text.splitlines()


def differences(old, new, path=""):
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(k for k in new if k not in old)]:
            at = f"{path}.{key}" if path else key
            if key not in old or key not in new:
                yield at, old.get(key, "(no such field)"), new.get(key, "(no such field)")
            else:
                yield from differences(old[key], new[key], at)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{path} (length)", len(old), len(new)
        for i, (a, b) in enumerate(zip(old, new)):
            yield from differences(a, b, f"{path}[{i}]")
    elif is_number(old) and is_number(new) and (isinstance(old, float) or isinstance(new, float)):
        if not abs(old - new) <= FRACTION * max(abs(old), abs(new)) + 1e-12:
            yield path, old, new
    elif isinstance(old, str) and isinstance(new, str):
        if old != new and not same_words(old, new):
            yield path, old, new
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        yield path, old, new


NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def same_words(old, new):
    """Whether they differ in the last place of fractions alone, which two compilers may round to either side."""
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return False
    for a, b in zip(NUMBER.findall(old), NUMBER.findall(new)):
        place = 10.0 ** -len(re.split("e", a.split(".")[1])[0])
        if abs(float(a) - float(b)) > 1.01 * place * (10.0 ** int(a.split("e")[1]) if "e" in a else 1.0):
            return False
    return True


class Program:
    def __init__(self, path, cpu, kept):
        self.path, self.cpu, self.kept, self.logs = os.path.abspath(path), cpu, kept, {}

    def run(self, arguments, stdin=b""):
        with subprocess.Popen([self.path, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, cwd=ROOT) as child:
            if hasattr(resource, "prlimit"): # Linux
                resource.prlimit(child.pid, resource.RLIMIT_CPU, (self.cpu, self.cpu))
            out, err = child.communicate(stdin)
        return child.returncode, out, err.decode(errors="replace").strip()

    def made(self, source):
        first, *rest = shlex.split(source)
        if first == "simulate":
            status, out, err = self.run(["simulate", *rest, "--emit-log", "-"])
            if status:
                sys.exit(f"{source}: {err}")
            return out
        with open(os.path.join(ROOT, "testdata", first), "rb") as f:
            # unpacked here: the program may be built without liblzma
            return lzma.decompress(f.read()) if first.endswith(".xz") else f.read()

    def log(self, source):
        """Its bytes; those of the last one are kept, since runs of one log stand behind each other."""
        if source not in self.logs:
            kept = self.kept and os.path.join(self.kept, f"{zlib.crc32(source.encode()):08x}")
            if kept and os.path.exists(kept):
                with open(kept, "rb") as f:
                    self.logs = {source: f.read()}
            else:
                self.logs = {source: self.made(source)}
                if kept:
                    with open(kept, "wb") as f:
                        f.write(self.logs[source])
        return self.logs[source]

    def says(self, source, command):
        """What is compared: a report, columns or lines."""
        command = shlex.split(command)
        is_report = command[0] == "analyze" and "--explain" not in command
        options = ["-q", "-f", "json"] if is_report else ["-q"]
        status, out, err = self.run([*command, *options], self.log(source))
        text = out.decode("utf-8", errors="replace")
        try:
            said = compact(json.loads(text)) if is_report else \
                columns(text) if command[0] == "attempts" else {"lines": words(text)}
        except (ValueError, KeyError) as e:
            return {"status": status, "error": str(e), "stderr": err}
        return {"status": status, **said}


def written(said):
    """A line a member."""
    rows = [f" {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in said.items()]
    return "{\n" + ",\n".join(rows) + "\n}\n"


def table():
    with open(os.path.join(HERE, "reports.tsv"), encoding="utf-8") as f:
        for row in f:
            if row.strip() and not row.startswith("#"):
                name, source, command = row.rstrip("\n").split("\t")
                yield name, source, command


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--update", action="store_true", default=os.environ.get("UPDATE") == "1")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--cpu", type=int, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", metavar="FOLDER", help="take the logs from there, where they were made before")
    parser.add_argument("program")
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    program, differing = Program(options.program, options.cpu, options.keep), 0
    for name, source, command in table():
        if only and name not in only:
            continue
        path = os.path.join(GOLDEN, name + ".json")
        old = {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                old = json.load(f)
        new = json.loads(written(program.says(source, command)))
        found = list(differences(old, new)) if old else [("(all)", "nothing recorded", "a report")]
        for at, was, now in found[:SHOWN]:
            print(f"{name}: {at}: {json.dumps(was)[:200]} -> {json.dumps(now)[:200]}", flush=True)
        if len(found) > SHOWN:
            print(f"{name}: and {len(found) - SHOWN} more")
        if found and options.update:
            with open(path, "w", encoding="utf-8") as f:
                f.write(written(new))
        elif found:
            differing += 1
            if options.first:
                break
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()

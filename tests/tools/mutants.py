#!/usr/bin/env python3
"""mutants.py — do the tests notice when an operator or a number of infer/ and link/ is another one?

    mutants.py [--count N] [--seed N] [--list] [--only FILE[:LINE]] [--again RESULT] [--no-unit] [--cli]
               BUILD RESULT

Draws N of all single-token changes of src/infer and src/link (seeded, so the same draw again), builds each in a
copy outside the tree, and compares whole reports first (tests/cli/reports.py); where none differs, it runs the unit
tests that reach the changed file, those of the same name first, until one fails; where none does and --cli is given,
a chosen part of the command-line tests.  BUILD is a folder with release/flags,
release/src and release/tests of a build with default visibility (make mutants makes it).

A mutant that gives the very same object code is equivalent and another one is drawn in its place; so is one that
tests/tools/mutants_known.tsv names, with the reason.  One that does not compile is none.  One that runs longer
than ten times what the tests take, or asks for 8 GB, counts as noticed: a user would notice as well.
"""
import argparse
import bisect
import glob
import os
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

FOLDERS = ("src/infer", "src/link")
KNOWN = "tests/tools/mutants_known.tsv"
# A run of the program for reports.py that takes more seconds of CPU than this went astray: it takes less than one.
REPORT_CPU = "5"
# Where a finding is wrong these differ: whole incidents, the clocks' kinds, policies, identity, SDK logs.
CLI = ("policies", "clock_kinds", "incidents", "identity", "sdk", "analyze")

TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      | (?P<number>\b(?:0[xX][0-9a-fA-F]+|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?)[uUlLfF]*\b)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<op><<=|>>=|->|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^=!<>]=|[-+*/%&|^~!<>=?:;,.(){}\[\]\#\\])""",
    re.S | re.X)

# What each binary operator becomes.
BINARY = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",),
    "&&": ("||",), "||": ("&&",), "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("*",),
    "<<": (">>",), ">>": ("<<",), "&": ("|",), "|": ("&",), "^": ("&",),
    "+=": ("-=",), "-=": ("+=",), "*=": ("/=",), "/=": ("*=",), "|=": ("&=",), "&=": ("|=",),
    "++": ("--",), "--": ("++",),
}
WORDS = {"true": ("false",), "false": ("true",), "break": ("continue",), "continue": ("break",)}
# What they hold is for the sanitizers to notice, or a message.
SKIPPED_CALLS = {"assert", "static_assert", "_Static_assert", "lk_fail", "LK_NEW", "lk_alloc"}


def other_numbers(text):
    """A whole number one off; a fraction doubled and halved."""
    body = text.rstrip("uUlLfF") if not text.lower().startswith("0x") else text
    tail = text[len(body):]
    if body.lower().startswith("0x"):
        return ()
    if re.fullmatch(r"\d+", body):
        n = int(body)
        return (f"{n + 1}{tail}",) if n < 2 else (f"{n + 1}{tail}", f"{n - 1}{tail}")
    value = float(body)
    return ("1.0" + tail,) if value == 0 else (repr(value * 2) + tail, repr(value / 2) + tail)


def closing(tokens, i):
    """The index behind the bracket that closes the one at i."""
    depth = 0
    while i < len(tokens):
        depth += {"(": 1, ")": -1}.get(tokens[i].group(), 0)
        i += 1
        if depth == 0:
            break
    return i


def is_binary(text, token, before):
    """Binary operators stand between blanks here (clang-format), and behind a value."""
    if before is None or not (before.lastgroup in ("number", "word") or before.group() in (")", "]")):
        return False
    if before.group() in ("return", "case", "const", "struct", "sizeof"):
        return False
    return text[token.start() - 1] in " \n" and text[token.end():token.end() + 1] in (" ", "\n")


def mutants_of(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    starts = [0] + [m.end() for m in re.finditer("\n", text)]
    # Preprocessor lines give no tokens, neither do strings and comments.
    plain = re.sub(r"(?m)^[ \t]*#.*(?:\\\n.*)*$", lambda m: " " * len(m.group()), text)
    # Rows of tables are data, no operators: which of them are right their own tests and sources say.
    plain = re.sub(r"/\* clang-format off \*/.*?/\* clang-format on \*/",
                   lambda m: re.sub(r"[^\n]", " ", m.group()), plain, flags=re.S)
    tokens = [m for m in TOKEN.finditer(plain) if m.lastgroup != "skip"]
    skip_to = 0
    for i, token in enumerate(tokens):
        if i < skip_to:
            continue
        what, before = token.group(), tokens[i - 1] if i else None
        if token.lastgroup == "word" and what in SKIPPED_CALLS and i + 1 < len(tokens) and \
                tokens[i + 1].group() == "(":
            skip_to = closing(tokens, i + 1)
            continue
        others = ()
        if token.lastgroup == "number":
            # x[0] and = { 0 } stand for a first element and for nothing
            if not (before and before.group() in ("[", "{") and what == "0"):
                others = other_numbers(what)
        elif token.lastgroup == "word":
            others = WORDS.get(what, ())
        elif what in ("++", "--", "+=", "-=", "*=", "/=", "|=", "&="):
            others = BINARY[what]
        elif what == "!":
            others = ("",)
        elif what in BINARY and is_binary(plain, token, before):
            others = BINARY[what]
        line = bisect.bisect_right(starts, token.start())
        shown = text[starts[line - 1]:].split("\n", 1)[0]
        at = token.start() - starts[line - 1]
        for other in others:
            yield {"file": path, "line": line, "start": token.start(), "end": token.end(), "old": what,
                   "new": other, "shown": shown.strip(), "mutated":
                   (shown[:at] + other + shown[at + len(what):]).strip(), "text": text}


def known():
    rows = {}
    if os.path.exists(KNOWN):
        with open(KNOWN, encoding="utf-8") as f:
            for row in f:
                if row.strip() and not row.startswith("#"):
                    path, mutated, reason = row.rstrip("\n").split("\t")
                    rows[path, mutated] = reason
    return rows


class Bench:
    """A built tree: the library as one shared object of which one member is exchanged."""

    def __init__(self, build, tmp):
        self.build, self.tmp = os.path.join(build, "release"), tmp
        with open(os.path.join(self.build, "flags"), encoding="utf-8") as f:
            compile_, _, libs = f.read().strip().split(" | ")
        self.compile = shlex.split(compile_)
        self.libs = shlex.split(libs)
        with open(os.path.join(self.build, "members"), encoding="utf-8") as f:
            self.objects = [os.path.join(self.build, s[:-2] + ".o") for s in f.read().split()]
        self.so = os.path.join(tmp, "liblockstep.so")
        self.link(self.objects)
        self.tests, self.program = {}, None # linked when they are first asked
        self.reach = self.reaching()
        self.takes, self.same = {}, {}
        self.logs = os.path.join(tmp, "logs")
        os.mkdir(self.logs)

    def cc(self, *arguments):
        return subprocess.run([*self.compile[:1], *arguments], capture_output=True, text=True, check=False)

    def link(self, objects):
        done = self.cc("-shared", "-Wl,-Bsymbolic", "-pthread", "-o", self.so + ".new", *objects, *self.libs)
        if done.returncode:
            sys.exit(done.stderr)
        os.replace(self.so + ".new", self.so)

    def executable(self, name, objects):
        out = os.path.join(self.tmp, name)
        done = self.cc("-pthread", "-o", out, *objects, self.so, "-Wl,-rpath," + self.tmp, *self.libs, "-lcmocka")
        if done.returncode:
            sys.exit(done.stderr)
        return out

    @staticmethod
    def names(files, *options):
        names = {f: set() for f in files}
        out = subprocess.run(["nm", "-A", *options, *names], capture_output=True, text=True, check=True)
        for row in out.stdout.splitlines():
            names[row.split(":", 1)[0]].add(row.split()[-1])
        return names

    def reaching(self):
        """For each object the tests that, linked with the archive, hold it."""
        defined = self.names(self.objects, "-g", "--defined-only")
        objects = glob.glob(os.path.join(self.build, "tests/unit/test_*.o"))
        static = {os.path.basename(o)[5:-2]: o[:-2] for o in sorted(objects)}
        held = self.names(static.values())
        return {o: {t for t in static if defined[o] & held[static[t]]} for o in self.objects}

    def run(self, test, limit):
        """Whether it passes, and the seconds of CPU it took."""
        def bound():
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            if limit:
                resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run([self.tests[test]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, preexec_fn=bound, check=False,
                                  timeout=30 * limit if limit else None)
            ok = done.returncode == 0
        except subprocess.TimeoutExpired:
            ok = False
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ok, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def time(self, tests):
        """How long each takes on the unchanged code, where it has to pass."""
        new = sorted(tests - self.takes.keys())
        if new:
            self.link(self.objects)
        for test in new:
            name = "test_" + test
            self.tests[test] = self.executable(name, [os.path.join(self.build, "tests/unit", name + ".o")])
            ok, self.takes[test] = self.run(test, None)
            if not ok:
                sys.exit(f"mutants: {test} fails on the unchanged code")

    def reached(self, path):
        return self.reach[os.path.join(self.build, path[:-2] + ".o")]

    def noticing_test(self, path):
        stem, tests = os.path.basename(path)[:-2], self.reached(path)
        for test in sorted(tests, key=lambda t: (t != stem, not stem.startswith(t), self.takes[t])):
            if not self.run(test, int(5 + 10 * self.takes[test]))[0]:
                return "unit " + test
        return None

    def linked_program(self):
        if not self.program:
            self.program = self.executable("lockstep", glob.glob(os.path.join(self.build, "src/cli/*.o")))
        return self.program

    def noticing_report(self):
        """The first run whose report is another one, or None."""
        done = subprocess.run([sys.executable, "tests/cli/reports.py", "--first", "--cpu", REPORT_CPU,
                               "--keep", self.logs, self.linked_program()], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env={k: v for k, v in os.environ.items() if k != "UPDATE"}, check=False)
        return "report " + (done.stdout or done.stderr).split("\n", 1)[0][:100] if done.returncode else None

    def noticing_cli(self):
        self.linked_program()
        env = dict(os.environ, LOCKSTEP=self.program, LC_ALL="C")
        for name in CLI:
            try:
                done = subprocess.run(["bats", "--formatter", "tap", f"tests/cli/{name}.bats"], env=env,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, check=False, timeout=600)
                if done.returncode:
                    return "cli " + name
            except subprocess.TimeoutExpired:
                return "cli " + name
        return None

    def object_of(self, path, text, out):
        """Compiles the text as if it stood at the path; whether it compiles."""
        copy = os.path.join(self.tmp, "copy", path)
        os.makedirs(os.path.dirname(copy), exist_ok=True)
        with open(copy, "w", encoding="utf-8") as f:
            f.write(text)
        flags = [f for f in self.compile[1:] if f not in ("-g", "-Werror")]
        return subprocess.run([self.compile[0], *flags, "-w", "-iquote", os.path.dirname(path), "-c", "-o", out,
                               copy], capture_output=True, check=False).returncode == 0

    @staticmethod
    def code(path):
        with open(path, "rb") as f:
            return f.read()

    def original(self, m):
        if m["file"] not in self.same:
            out = os.path.join(self.tmp, "original.o")
            self.object_of(m["file"], m["text"], out)
            self.same[m["file"]] = self.code(out)
        return self.same[m["file"]]

    def judge(self, m, how):
        changed = os.path.join(self.tmp, "changed.o")
        text = m["text"][:m["start"]] + m["new"] + m["text"][m["end"]:]
        if not self.object_of(m["file"], text, changed):
            return "not C", None
        if self.code(changed) == self.original(m):
            return "same code", None
        if how.unit:
            self.time(self.reached(m["file"]))
        mine = os.path.join(self.build, m["file"][:-2] + ".o")
        self.link([changed if o == mine else o for o in self.objects])
        by = self.noticing_report() or (how.unit and self.noticing_test(m["file"])) or (how.cli and self.noticing_cli())
        return ("noticed", by) if by else ("survived", None)


def report(done, seed, out):
    counts = {}
    for verdict, _, _ in done:
        counts[verdict] = counts.get(verdict, 0) + 1
    judged = counts.get("noticed", 0) + counts.get("survived", 0)
    for folder in FOLDERS:
        mine = [v for v, _, m in done if m["file"].startswith(folder + "/")]
        out.write(f"# {folder}: {mine.count('noticed')} of {mine.count('noticed') + mine.count('survived')}\n")
    out.write(f"# seed {seed}: {counts.get('noticed', 0)} of {judged} mutants noticed"
              f" ({100 * counts.get('noticed', 0) / max(judged, 1):.1f} %); not counted:"
              f" {counts.get('same code', 0)} of the same code, {counts.get('equivalent', 0)} known to be"
              f" equivalent, {counts.get('not C', 0)} that are not C\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="show the draw, build nothing")
    parser.add_argument("--only", help="FILE[:LINE]: all mutants of it")
    parser.add_argument("--again", metavar="RESULT", help="only those that survived then")
    parser.add_argument("--no-unit", dest="unit", action="store_false", help="whole reports only")
    parser.add_argument("--cli", action="store_true", help="other command-line tests as well: minutes a survivor")
    parser.add_argument("build")
    parser.add_argument("result")
    options = parser.parse_args()
    every = [m for folder in FOLDERS for path in sorted(glob.glob(folder + "/*.c")) for m in mutants_of(path)]
    if options.only:
        path, _, line = options.only.partition(":")
        every = [m for m in every if m["file"] == path and (not line or m["line"] == int(line))]
        options.count = len(every)
    if options.again:
        with open(options.again, encoding="utf-8") as f:
            rows = [row.split("\t") for row in f if row.startswith("survived\t")]
        places = {(row[1], row[2]) for row in rows}
        every = [m for m in every if (f"{m['file']}:{m['line']}", m["mutated"]) in places]
        options.count = len(every)
    random.Random(options.seed).shuffle(every)
    if options.list:
        for m in every[:options.count]:
            print(f"{m['file']}:{m['line']}\t{m['shown']}\t{m['mutated']}")
        return
    reasons, done, judged = known(), [], 0
    tmp = tempfile.mkdtemp(prefix="mutants.")
    try:
        bench = Bench(options.build, tmp)
        differing = bench.noticing_report()
        if differing:
            sys.exit(f"mutants: on the unchanged code differs: {differing}")
        with open(options.result, "w", encoding="utf-8") as out:
            for m in every:
                if judged == options.count:
                    break
                began = time.monotonic()
                if (m["file"], m["mutated"]) in reasons:
                    verdict, by = "equivalent", reasons[m["file"], m["mutated"]]
                else:
                    verdict, by = bench.judge(m, options)
                done.append((verdict, by, m))
                judged += verdict in ("noticed", "survived")
                row = f"{verdict}\t{m['file']}:{m['line']}\t{m['mutated']}\t{m['old']}\t{m['new']}\t{by or '-'}"
                out.write(f"{row}\t{time.monotonic() - began:.0f} s\n")
                out.flush()
                if verdict == "survived":
                    print(f"survived  {m['file']}:{m['line']}\n    {m['shown']}\n    {m['mutated']}", flush=True)
            report(done, options.seed, out)
        report(done, options.seed, sys.stdout)
    finally:
        shutil.rmtree(tmp)


if __name__ == "__main__":
    main()

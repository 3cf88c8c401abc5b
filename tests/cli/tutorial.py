"""The tutorial's commands are run, and what it shows of their output is what they print.

tutorial.py PAGE [update] — for each '.Dl "$ COMMAND"'  of the page's section FIRST INVESTIGATION.  A
comment '.\\" shows: REGEX | +N' before a literal block names the lines of the output that the block
holds: the first that fits and N more; "..." stands between excerpts.  update writes them anew.
"""
import functools
import os
import re
import subprocess
import sys

page = sys.argv[1]
update = sys.argv[2:] == ["update"]
text = open(page, encoding="utf-8").read()
head, rest = text.split(".Sh FIRST INVESTIGATION\n", 1)
body, tail = rest.split("\n.Sh ", 1)


@functools.lru_cache(None)
def run(command):
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=dict(os.environ, LC_ALL="C"))
    if done.returncode or done.stderr:
        sys.exit("%s: status %d, %s" % (command, done.returncode, done.stderr.decode()))
    if not done.stdout:
        sys.exit("%s: prints nothing" % command)
    return done.stdout.decode().split("\n")


def escaped(line):
    line = line.rstrip().replace("\\", "\\e")
    return "\\&" + line if line[:1] in (".", "'") else line


def excerpt(lines, shows):
    out = []
    for rule in shows:
        regex, more = rule.rsplit("|", 1)
        at = next((i for i, l in enumerate(lines) if re.search(regex.strip(), l)), None)
        if at is None:
            sys.exit("nothing fits '%s'" % regex)
        if out:
            out.append("...")
        out += lines[at:at + int(more) + 1]
    return [escaped(l) for l in out]


lines, shown, shows, i, blocks, new = body.split("\n"), None, [], 0, 0, []
while i < len(lines):
    line = lines[i]
    new.append(line)
    if line.startswith('.Dl "$ '):
        shown = run(line[7:-1].replace("\\e", "\\"))
        shows = []
    elif line.startswith('.\\" shows: '):
        shows.append(line[11:])
    elif line.startswith(".Bd -literal"):
        end = lines.index(".Ed", i)
        want = excerpt(shown, shows)
        if not update and lines[i + 1:end] != want:
            sys.exit("the page shows\n%s\nbut it is\n%s" % ("\n".join(lines[i + 1:end]), "\n".join(want)))
        new += want
        i = end - 1
        blocks += 1
    i += 1
if update:
    open(page, "w", encoding="utf-8").write(head + ".Sh FIRST INVESTIGATION\n" + "\n".join(new) + "\n.Sh " + tail)
if blocks < 5:
    sys.exit("only %d outputs are shown" % blocks)

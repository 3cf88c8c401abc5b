"""Writes a log as a server does while somebody follows it, and rotates it.

watch_writer.py FILE LINES — numbered lines, some flushed in the middle; the file is renamed once and
emptied in place twice on the way, as logrotate does with and without copytruncate.
"""
import os
import shutil
import sys
import time

path, count = sys.argv[1], int(sys.argv[2])


def line(i):
    return ('10.0.%d.%d - - [15/Jul/2025:12:%02d:%02d +0000] "GET /v1/item/%d HTTP/1.1" 200 12 "-" "a/1"\n'
            % (i // 200 % 200, i % 200, i // 600 % 60, i // 10 % 60, i)).encode()


def copy_truncate(f, number):
    shutil.copy(path, "%s.%d" % (path, number))
    os.ftruncate(f, 0)


f = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
for i in range(count):
    text = line(i)
    if i % 7 == 3:  # half a line, then the rest
        os.write(f, text[:20])
        if i in (count // 2 - count // 2 % 7 + 3, count * 3 // 4 - count * 3 // 4 % 7 + 3):
            copy_truncate(f, i)
        text = text[20:]
    os.write(f, text)
    if i == count // 4:
        os.rename(path, path + ".0")
        new = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.write(f, b"")
    elif i == count // 4 + 20:  # the writer hears of it later
        os.close(f)
        f = new
    if i % (count // 20) == 0:
        time.sleep(0.05)
os.close(f)

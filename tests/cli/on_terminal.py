"""on_terminal.py ROWS COLUMNS COMMAND... — runs the command on a terminal of that size; prints what it wrote
there and ends with its status."""
import fcntl, os, pty, struct, sys, termios

pid, master = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", int(sys.argv[1]), int(sys.argv[2]), 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
while True:
    try:
        got = os.read(master, 65536)
    except OSError:
        break
    if not got:
        break
    sys.stdout.buffer.write(got.replace(b"\r\n", b"\n"))
sys.stdout.flush()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

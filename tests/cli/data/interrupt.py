"""Sends a signal to a command once it has said something: interrupt.py SIGNAL TEXT COMMAND...

The command has a terminal for its standard error, so that it shows its progress there; the signal is
sent when TEXT has been seen in it, however long that takes. Prints what the command said there, but
for its progress, and ends with its exit code.
"""
import os
import pty
import re
import signal
import subprocess
import sys

number, text, command = signal.Signals["SIG" + sys.argv[1]], sys.argv[2].encode(), sys.argv[3:]
here, there = pty.openpty()
child = subprocess.Popen(command, stderr=there)
os.close(there)
said, sent = b"", False
while True:
    try:
        part = os.read(here, 4096)
    except OSError:  # the command has closed its end
        break
    if not part:
        break
    said += part
    if not sent and text in said:
        child.send_signal(number)
        sent = True
code = child.wait()
if not sent:
    print(f"{sys.argv[2]} was never said", file=sys.stderr)
for line in said.decode("utf-8", "replace").splitlines():
    line = re.sub(r".*\r?\x1b\[K", "", line.replace("\r\n", "\n").rstrip("\r\n"))
    if line and "[#" not in line and "[." not in line:
        print(line, file=sys.stderr)
sys.exit(code if code >= 0 else 128 - code)

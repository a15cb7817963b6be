"""How harnesses drive a shell on a pseudoterminal, as far as the shell can tell. No more than Python itself is needed.

Reads one request as JSON from standard input, and prints the answers to its lines as JSON.

    {"argv": [...], "lines": [...]}                     a shell for each line, which is its last argument
    {"argv": [...], "lines": [...], "first": "..."}     one shell, in which each line is typed at the prompt MARK; `first` sets that
    ... "echo": false                                   the terminal does not show what is typed

The parts, with the calls that they make:

    pexpect 4.8 and ptyprocess   spawn(): forkpty, 24 rows of 80 columns, echo off where asked, sendline(), expect()
    SWE-agent/SWE-ReX            src/swerex/runtime/local.py: BashSession, echo off and a prompt of its own
    OpenHands/software-agent-sdk openhands-tools/openhands/tools/terminal/terminal/subprocess_terminal.py, metadata.py: a prompt of JSON
    Aider-AI/aider               aider/run_cmd.py: run_cmd_pexpect, which is a shell of $SHELL -i -c LINE
    google-gemini/gemini-cli     packages/core/src/services/shellExecutionService.ts: node-pty, a shell of bash -c LINE
"""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios
import time

LIMIT = 60
MARK = "READY> "


class Terminal:
    """A program on a terminal of its own, which hangs up when this one ends."""

    def __init__(self, argv, echo=True):
        self.text = ""
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            if not echo:
                modes = termios.tcgetattr(0)
                modes[3] &= ~termios.ECHO
                termios.tcsetattr(0, termios.TCSANOW, modes)
            os.execvp(argv[0], argv)

    def read(self, seconds=LIMIT):
        """Waits for more text. False at its end, or if none comes."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            data = b""
        self.text += data.decode("utf-8", "backslashreplace")
        return bool(data)

    def answer(self, line):
        """Types a line. What comes before the next prompt."""
        os.write(self.master, (line + "\n").encode())
        end = time.time() + LIMIT
        while MARK not in self.text:
            if not self.read(max(0, end - time.time())):
                raise TimeoutError(f"no prompt in {self.text!r}")
        before, _, self.text = self.text.partition(MARK)
        return {"output": before}


def run(argv):
    child = Terminal(argv)
    while child.read():
        pass
    _, status = os.waitpid(child.pid, 0)
    return {"output": child.text.replace("\r\n", "\n"), "exit": os.waitstatus_to_exitcode(status)}


request = json.load(sys.stdin)
argv, lines = request["argv"], request["lines"]
if "first" in request:
    shell = Terminal(argv, request["echo"])
    shell.answer(request["first"])
    answers = [shell.answer(line) for line in lines]
else:
    answers = [run([*argv, line]) for line in lines]
print(json.dumps(answers))

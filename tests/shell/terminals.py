"""How harnesses drive a shell on a pseudoterminal, as far as the shell can tell. No more than Python itself is needed.

Reads one request as JSON from standard input, and prints the answers to its lines as JSON.

    {"harness": "swe-rex" | "openhands" | "typist" | "spawn", "argv": [...], "lines": [...], "typist": {...}}

The parts, with the calls that they make:

    pexpect 4.8 and ptyprocess   spawn(): forkpty, 24 rows of 80 columns, echo off where asked, sendline(), expect()
    SWE-agent/SWE-ReX            src/swerex/runtime/local.py: BashSession, _check_bash_command
    OpenHands/software-agent-sdk openhands-tools/openhands/tools/terminal/terminal/subprocess_terminal.py
    Aider-AI/aider               aider/run_cmd.py: run_cmd_pexpect, which is a "spawn" of $SHELL -i -c LINE
    google-gemini/gemini-cli     packages/core/src/services/shellExecutionService.ts: node-pty, a "spawn" of bash -c LINE
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

LIMIT = 60


class Terminal:
    """The master's side of a terminal."""

    def __init__(self, master):
        self.master = master
        self.text = ""
        self.characters = 0
        self.ended = False

    def read(self, seconds=LIMIT):
        """Waits for more text."""
        if self.ended or not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            data = b""
        self.ended = not data
        text = data.decode("utf-8", "backslashreplace")
        self.characters += len(text)
        self.text += text
        return not self.ended

    def expect(self, *wanted, seconds=LIMIT):
        """What came before the first of these texts; both are taken away."""
        end = time.time() + seconds
        while True:
            places = [(self.text.find(text), text) for text in wanted if text in self.text]
            if places:
                place, text = min(places)
                before, self.text = self.text[:place], self.text[place + len(text) :]
                return before
            if time.time() > end or self.ended:
                raise TimeoutError(f"no {wanted} in {self.text!r}")
            self.read(max(0, end - time.time()))

    def send(self, text):
        os.write(self.master, text.encode())

    def sendline(self, text=""):
        self.send(text + "\n")


class Spawn(Terminal):
    """pexpect.spawn"""

    def __init__(self, argv, env=None, echo=True):
        self.pid, master = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
            if not echo:
                modes = termios.tcgetattr(0)
                modes[3] &= ~termios.ECHO
                termios.tcsetattr(0, termios.TCSANOW, modes)
            os.execvpe(argv[0], argv, os.environ if env is None else env)
        super().__init__(master)

    def close(self):
        """As pexpect: hang up first, then kill."""
        os.close(self.master)
        for number in (signal.SIGHUP, signal.SIGCONT, signal.SIGINT, signal.SIGKILL):
            end = time.time() + 1
            while time.time() < end:
                if os.waitpid(self.pid, os.WNOHANG) != (0, 0):
                    return number.name
                time.sleep(0.01)
            os.kill(self.pid, number)
        return "not"


def without_controls(text):
    return re.sub(r"\x1B[@-_][0-?]*[ -/]*[@-~]", "", text).replace("\r\n", "\n")


class SweRex:
    PS1 = "SHELLPS1PREFIX"
    UNIQUE = "UNIQUESTRING29234"

    def __init__(self, argv):
        self.shell = Spawn(argv, dict(os.environ, PS1=self.PS1, PS2="", PS0=""), echo=False)
        time.sleep(0.3)
        self.shell.sendline(f"export PS1='{self.PS1}' ; export PS2='' ; export PS0=''")
        self.shell.expect(self.PS1)

    def run(self, line):
        if line == "C-c":
            return self.interrupt()
        check = f"/usr/bin/env bash -n << 'SOUNIQUEEOF'\n{line}\nSOUNIQUEEOF"
        checked = subprocess.run(check, shell=True, capture_output=True, text=True)
        if checked.returncode:
            return {"refused": checked.stderr}
        if line.startswith("sleep"):
            # The command runs into its time limit, and is interrupted next.
            self.shell.sendline(line)
            return {"timeout": True}
        if "\n" in line:
            line += f"\n TMPEXITCODE=$? ; sleep 0.1; echo -n '{self.UNIQUE}' ; (exit $TMPEXITCODE)"
            self.shell.sendline(line)
            output = self.shell.expect(self.UNIQUE)
        else:
            self.shell.sendline(line)
            output = self.shell.expect(self.PS1)
        self.shell.sendline("\necho EXITCODESTART$?EXITCODEEND")
        raw = self.shell.expect("EXITCODEEND")
        codes = re.findall("EXITCODESTART([0-9]+)", raw)
        output += raw.split("EXITCODESTART")[0]
        self.shell.expect(self.PS1)
        output = without_controls(output).replace(self.UNIQUE, "").replace(self.PS1, "")
        return {"output": output, "exit": int(codes[0])}

    def interrupt(self):
        """Again, until there is a prompt: the command may not have begun yet."""
        for _ in range(LIMIT):
            self.shell.send("\x03")
            try:
                self.shell.expect(self.PS1, seconds=1)
            except TimeoutError:
                continue
            time.sleep(0.5)
            while self.shell.read(0.1):
                pass
            self.shell.text = ""
            return {"interrupted": True}
        raise TimeoutError("no prompt after an interrupt")

    def close(self):
        return self.shell.close()


class OpenHands:
    BEGIN, END = "\n###PS1JSON###\n", "\n###PS1END###"

    def __init__(self, argv):
        fields = {
            "pid": "$!",
            "exit_code": "$?",
            "username": r"\u",
            "hostname": r"\h",
            "working_dir": "$(pwd)",
            "py_interpreter_path": r'$(command -v python || echo "")',
        }
        ps1 = self.BEGIN + json.dumps(fields, indent=2).replace('"', r"\"") + self.END + "\n"
        master, slave = pty.openpty()
        env = dict(os.environ, PS1=ps1, PS2="", TERM="xterm-256color", GIT_PAGER="cat", PAGER="cat")
        self.process = subprocess.Popen(
            argv, stdin=slave, stdout=slave, stderr=slave, env=env, bufsize=0, preexec_fn=os.setsid, close_fds=True
        )
        os.close(slave)
        self.terminal = Terminal(master)
        self.terminal.sendline(f"set +H; export PROMPT_COMMAND='export PS1=\"{ps1}\"'; export PS2=\"\"")
        # It waits for a second; this is what it waits for.
        self.prompts = 0
        self.wait('PS2=""')

    def wait(self, line=""):
        """Until one more prompt has come, after the line, and the screen ends with it."""
        self.prompts += 1
        while True:
            content = self.terminal.text.replace("\r\n", "\n")
            found = list(re.finditer(r"^###PS1JSON###((?:(?!###PS1JSON###).)*?)###PS1END###", content, re.S | re.M))
            is_there = line in content and self.END in content[content.index(line) + len(line) :]
            if is_there and len(found) >= self.prompts and content.rstrip().endswith(self.END.rstrip()):
                self.prompts = len(found)
                return content, found
            if not self.terminal.read():
                raise TimeoutError(f"no prompt at the end of {content!r}")

    def run(self, line):
        self.terminal.sendline(line)
        content, found = self.wait()
        meta = json.loads(found[-1].group(1))
        output = content[found[-2].end() : found[-1].start()].strip("\n")
        output = output[len(line) :] if output.startswith(line) else output
        return {"output": without_controls(output).strip(), "exit": int(meta["exit_code"]), "cwd": meta["working_dir"]}

    def close(self):
        self.terminal.sendline("exit")
        try:
            self.process.wait(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(os.getpgid(self.process.pid), signal.SIGKILL)
            return "killed"
        return "exited"


class Typist:
    """Any program that types lines at a prompt and waits for the next one."""

    def __init__(self, argv, ps1="READY> ", mark="READY> "):
        self.mark = mark
        self.terminal = Spawn(argv, os.environ)
        # The echo of this line must not look like the prompt.
        self.terminal.sendline(f"PS1=''{ps1!r}".replace(mark, f"{mark[:2]}''{mark[2:]}"))
        self.terminal.expect(mark)

    def run(self, line):
        self.terminal.sendline(line)
        return {"output": self.terminal.expect(self.mark)}

    def close(self):
        return self.terminal.close()


def spawn(argv, line):
    child = Spawn([*argv, line])
    while child.read():
        pass
    _, status = os.waitpid(child.pid, 0)
    output = child.text.replace("\r\n", "\n")
    return {"output": output, "exit": os.waitstatus_to_exitcode(status), "characters": child.characters}


request = json.load(sys.stdin)
harness, argv = request["harness"], request["argv"]
if harness == "spawn":
    answers = [spawn(argv, line) for line in request["lines"]]
else:
    session = Typist(argv, **request["typist"]) if harness == "typist" else {"swe-rex": SweRex, "openhands": OpenHands}[harness](argv)
    terminal = session.shell if harness == "swe-rex" else session.terminal
    # Input typed before the first prompt may be shown twice.
    terminal.characters = 0
    answers = [session.run(line) for line in request["lines"]]
    answers.append({"closed": session.close(), "characters": terminal.characters})
print(json.dumps(answers))

"""A client of `agent-shell --jsonl`: shows output while it comes; Ctrl-C cancels the command, not the session.

    python3 client.py 'cd /tmp && ls' 'pwd'
    python3 client.py --ask 'cd /tmp && ls' 'pwd'
"""
import json
import signal
import sys
from subprocess import PIPE, Popen


class AgentShell(Popen):
    """One bash that lasts, and the agent commands in it. Use it in a `with`."""

    def __init__(self, *options):
        # In a session of its own: Ctrl-C is for this program alone.
        command = ["agent-shell", *options, "--jsonl"]
        super().__init__(command, stdin=PIPE, stdout=PIPE, encoding="utf-8", start_new_session=True)
        self.id = 0

    def send(self, **message):
        self.stdin.write(json.dumps(message) + "\n")
        self.stdin.flush()

    def run(self, command, on_output=None, approve=None, **limits):
        """The result. on_output(name, chunk) hears output; approve(question) answers 'allow' or 'deny'."""
        self.id += 1
        self.send(approve=approve is not None)
        self.send(id=self.id, command=command, stream=on_output is not None, **limits)
        for message in map(json.loads, self.stdout):
            if message.get("id") != self.id:
                continue
            if message.get("event") == "approve":
                self.send(id=self.id, approve="allow" if approve(message) == "allow" else "deny")
            elif "event" in message:
                on_output(message["event"], message["chunk"])
            elif "error" in message:
                raise ValueError(message["error"])
            else:
                return message
        raise EOFError("agent-shell has ended")

    def cancel(self):
        """Ends the command that runs, from a signal handler or another thread."""
        self.send(cancel=self.id)


def visible(text):
    """The text without characters that a terminal would obey: they could show another command. None of its lines looks like ours."""
    return "".join(c if c.isprintable() else "\n> " if c == "\n" else f"\\u{ord(c):04x}" for c in text)


def ask(question):
    print("Run this?", visible(question["command"]))
    return "allow" if input("[y/N] ") == "y" else "deny"


def show(name, chunk):
    print(chunk, end="", flush=True, file=getattr(sys, name))


def tell(result):
    """What is for the model goes the way of errors."""
    print("exit code", result["exitCode"], flush=True)
    for text in result.get("reminders", []):
        print(text, file=sys.stderr)


if __name__ == "__main__":
    commands = sys.argv[1:]
    approve = ask if commands[:1] == ["--ask"] else None
    with AgentShell() as shell:
        signal.signal(signal.SIGINT, lambda *_: shell.cancel())
        for command in commands[1:] if approve else commands:
            tell(shell.run(command, show, approve))

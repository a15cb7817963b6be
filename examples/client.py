"""A client of `agent-shell --jsonl`: shows output while it comes; Ctrl-C cancels the command, not the session.

    python3 client.py 'cd /tmp && ls' 'pwd'
"""
import json
import signal
import subprocess
import sys


class AgentShell:
    """One bash that lasts, and the agent commands in it. Use it in a `with`."""

    def __init__(self, *options):
        # In a session of its own: Ctrl-C is for this program alone.
        self.process = subprocess.Popen(
            ["agent-shell", *options, "--jsonl"], encoding="utf-8", start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )
        self.count = 0

    def send(self, **message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def run(self, command, on_output=None, approve=None, **limits):
        """The result. on_output(name, chunk) hears output; approve(question) answers 'allow' or 'deny'."""
        self.count += 1
        self.send(approve=approve is not None)
        self.send(id=self.count, command=command, stream=on_output is not None, **limits)
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("event") == "approve":
                self.send(id=self.count, approve=approve(message))
            elif message.get("event") in ("stdout", "stderr"):
                on_output(message["event"], message["chunk"])
            elif message.get("id") == self.count:
                return message
        raise RuntimeError(f"agent-shell has ended with exit code {self.process.wait()}")

    def cancel(self):
        """Ends the command that runs, from a signal handler or another thread."""
        self.send(cancel=self.count)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


if __name__ == "__main__":
    with AgentShell() as shell:
        signal.signal(signal.SIGINT, lambda *_: shell.cancel())
        for command in sys.argv[1:]:
            result = shell.run(command, lambda name, chunk: print(chunk, end="", flush=True))
            print("exit code", result["exitCode"], *result.get("reminders", []), sep="\n")

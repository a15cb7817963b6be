"""A client of `agent-shell --jsonl`: one JSON request a line in, one JSON result a line out.

    python3 client.py 'cd /tmp && ls'
"""
import json
import subprocess
import sys


class AgentShell:
    """One bash that lasts, and the agent commands in it. Use it in a `with`."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            ["agent-shell", *options, "--jsonl"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self.count = 0

    def run(self, command, timeout_ms=30_000):
        """The result: type, stdout, stderr, exitCode, durationMs, and reminders where there are any."""
        self.count += 1
        request = {"id": self.count, "command": command, "timeoutMs": timeout_ms}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"agent-shell has ended with exit code {self.process.wait()}")
        return json.loads(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


if __name__ == "__main__":
    with AgentShell() as shell:
        for line in sys.argv[1:]:
            result = shell.run(line)
            print(result["stdout"] + result["stderr"], end="")
            print("exit code", result["exitCode"], *result.get("reminders", []), sep="\n")

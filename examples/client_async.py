"""As client.py, for asyncio: shows output while it comes; a task that is cancelled cancels its command, not the session.

    python3 client_async.py 'cd /tmp && ls' 'pwd'
"""
import asyncio
import json
import sys
from asyncio.subprocess import PIPE

from client import show, tell


class AgentShell:
    """One bash that lasts, and the agent commands in it. Use it in an `async with`."""

    def __init__(self, *options, approve=None):
        """`await approve(question)` answers 'allow' or 'deny'."""
        self.command = ["agent-shell", *options, "--jsonl"]
        self.approve = approve
        self.requests = {}
        self.id = 0

    async def __aenter__(self):
        # In a session of its own: Ctrl-C is for this program alone. A line is as long as the output that it brings.
        options = {"start_new_session": True, "limit": 2**30}
        self.process = await asyncio.create_subprocess_exec(*self.command, stdin=PIPE, stdout=PIPE, **options)
        self.reader = asyncio.create_task(self.read())
        self.send(approve=self.approve is not None)
        return self

    async def __aexit__(self, *_):
        self.process.stdin.close()
        await self.reader
        await self.process.wait()

    def send(self, **message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    async def run(self, command, on_output=None, **limits):
        """The result. on_output(name, chunk) hears output. Of several at once, each waits for those before it."""
        self.id += 1
        number = self.id
        result = asyncio.get_running_loop().create_future()
        self.requests[number] = result, on_output
        self.send(id=number, command=command, stream=on_output is not None, **limits)
        try:
            await self.process.stdin.drain()
            return await result
        except asyncio.CancelledError:
            self.send(cancel=number)
            raise
        finally:
            del self.requests[number]

    async def read(self):
        try:
            async for line in self.process.stdout:
                await self.hear(json.loads(line))
        finally:
            for result, _ in self.requests.values():
                if not result.done():
                    result.set_exception(EOFError("agent-shell has ended"))

    async def hear(self, message):
        number = message.get("id")
        result, on_output = self.requests.get(number, (None, None))
        if message.get("event") == "approve":
            answer = await self.approve(message) if result else "deny"
            self.send(id=number, approve="allow" if answer == "allow" else "deny")
        elif result is None or result.done():
            return
        elif "event" in message:
            on_output(message["event"], message["chunk"])
        elif "error" in message:
            result.set_exception(ValueError(message["error"]))
        else:
            result.set_result(message)


async def main(commands):
    async with AgentShell() as shell:
        for command in commands:
            tell(await shell.run(command, show))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))

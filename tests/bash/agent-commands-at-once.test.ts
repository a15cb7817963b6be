import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';
import { TestAgent } from '../helpers/agents.ts';
import { ENV } from '../helpers/bash.ts';
import { eventually } from '../helpers/eventually.ts';
import { startSession } from '../helpers/session.ts';

describe.each([
  [100, '100 bytes', 100],
  [25, '100 KB', 100_000],
])('%i concurrent calls from one line, with %s each', (calls, _size, size) => {
  test('each get their own reply, by argument', async () => {
    const agent = new TestAgent(({ argv }) => ({
      stdout: `${argv[0]} ${argv[1]}`,
      stderr: `error of ${argv[0]}\n`,
      exitCode: Number(argv[0]) % 256,
    }));
    const session = startSession({ handlers: [agent] });
    const line = `text=$(head -c ${size} /dev/zero | tr '\\0' x)
      for i in {1..${calls}}; do { Agent $i "$text" >out.$i 2>err.$i; echo $? >code.$i; } & done; wait
      for i in {1..${calls}}; do
        [ "$(<out.$i)" = "$i $text" ] && [ "$(<err.$i)" = "error of $i" ] && [ "$(<code.$i)" = $((i % 256)) ] || echo "wrong: $i"
      done`;
    expect(await session.run(line)).toEqual({ stdout: '', stderr: '', exitCode: 0 });
    expect(new Set(agent.calls.map(({ argv }) => argv[0])).size).toBe(calls);
  });

  test('each get their own reply, by standard input', async () => {
    const agent = new TestAgent(({ argv, stdin }) => ({ stdout: `${argv[0]} ${stdin}` }));
    const session = startSession({ handlers: [agent] });
    const line = `text=$(head -c ${size} /dev/zero | tr '\\0' x)
      for i in {1..${calls}}; do { echo "$i $text" | Agent $i - >out.$i; } & done; wait
      for i in {1..${calls}}; do [ "$(<out.$i)" = "$i $i $text" ] || echo "wrong: $i"; done`;
    expect(await session.run(line)).toEqual({ stdout: '', stderr: '', exitCode: 0 });
    expect(agent.calls.length).toBe(calls);
  });

  test('leave the store at one of the lists that were written, whole', async () => {
    const store = new TodoStore();
    const session = startSession({ handlers: [new TodoWriteHandler(store)] });
    const seen: string[] = [];
    store.onChange(({ items }) => seen.push(JSON.stringify(items)));
    const list = (name: string): TodoItem[] => {
      const text = (letter: string) => `${letter}${name}`.padEnd(size === 100 ? 10 : 200, '漢');
      const item = { content: text('c'), activeForm: text('a'), status: 'pending' as const };
      return Array.from({ length: size === 100 ? 1 : 50 }, () => item);
    };
    const json = JSON.stringify({ todos: list('NAME') }).replaceAll('NAME漢漢漢', 'NAME');
    writeFileSync(join(session.cwd, 'list.json'), json);
    const line = `for i in {1..${calls}}; do
        printf -v name '%04d' $i; sed "s/NAME/$name/g" list.json | TodoWrite & done | sort | uniq -c; wait`;
    const { stdout, stderr, exitCode } = await session.run(line);
    expect([stderr, exitCode]).toEqual(['', 0]);
    expect(stdout).toMatch(new RegExp(`^ *${calls} Todo list updated: [^\\n]*\\n$`));
    expect(seen.length).toBe(calls);
    expect(new Set(seen).size).toBe(calls);
    const last = JSON.stringify(store.get().items);
    expect(seen.at(-1)).toBe(last);
    const name = /"content":"c(\d{4})/.exec(last)?.[1] ?? '';
    expect(last.match(/\d{4}/g)?.every((digits) => digits === name)).toBe(true);
  });
});

test.each(['KILL', 'TERM', 'INT'])(
  'a caller that is ended by SIG%s while it waits harms nobody',
  async (signal) => {
    const agent = new TestAgent(({ argv }) => ({ stdout: `reply to ${argv}\n` }));
    const session = startSession({ handlers: [agent] });
    // In the background SIGINT is ignored, but not under job control.
    const killing = session.run(
      `set -m; Agent wait >killed 2>&1 & pid=$!; set +m; until [ -e go ]; do sleep 0.01; done; kill -${signal} $pid; wait $pid; echo $?; Agent other; cat killed`,
    );
    await eventually('the call waits', () => agent.calls.length === 1);
    const other = startSession({ cwd: session.cwd });
    await other.run('touch go');
    const { stdout } = await killing;
    expect(stdout).toMatch(/^(137|143|130)\nreply to other\n$/);
    agent.release();
    expect((await session.run('Agent next')).stdout).toBe('reply to next\n');
  },
);

test('a caller whose reply nobody reads any more harms nobody', async () => {
  const agent = new TestAgent(({ argv }) => ({
    stdout: argv[0] === 'wait' ? 'x'.repeat(10_000_000) : 'y',
  }));
  const session = startSession({ handlers: [agent] });
  await session.run('Agent wait | head -c 1 & sleep 0; disown');
  await eventually('the call waits', () => agent.calls.length === 1);
  agent.release();
  expect((await session.run('Agent other; wait')).stdout).toContain('y');
});

describe('when the host is gone', () => {
  const GONE = 'Agent: the agent shell that this command belongs to is gone\n';

  /** Calls Agent as a program that is no child of the session. */
  async function callFromOutside(path: string, ...argv: string[]) {
    const child = spawn(path, argv, { env: ENV, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += `out: ${chunk}`;
    });
    child.stderr.on('data', (chunk) => {
      output += `${chunk}`;
    });
    const [code] = await once(child, 'close');
    return { output, code };
  }

  test('a call that waits says so in one line and fails', async () => {
    const agent = new TestAgent();
    const session = startSession({ handlers: [agent] });
    const path = (await session.run('type -P Agent')).stdout.trim();
    const waiting = callFromOutside(path, 'wait');
    await eventually('the call waits', () => agent.calls.length === 1);
    await session.dispose();
    expect(await waiting).toEqual({ output: GONE, code: 1 });
  });

  test('a script without the slots of a host says so too', async () => {
    const session = startSession({ handlers: [new TestAgent()] });
    const result = await session.run(
      'cp -r "$(dirname "$(type -P Agent)")" scripts; ./scripts/Agent x',
    );
    expect(result).toEqual({ stdout: '', stderr: GONE, exitCode: 1 });
  });
});

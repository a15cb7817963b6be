import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { serveJsonl } from '../../src/cli/jsonl.ts';
import { splitLines } from '../../src/cli/jsonl-messages.ts';
import { JsonlOutput } from '../../src/cli/jsonl-output.ts';
import { BashRouter } from '../../src/shell/router/bash-router.ts';
import {
  AGENT_SHELL,
  agentShell,
  JsonlClient,
  type JsonlResult,
  NO_LISTS,
} from '../helpers/agent-shell.ts';
import { TestAgent } from '../helpers/agents.ts';
import { ENV } from '../helpers/bash.ts';
import { eventually } from '../helpers/eventually.ts';
import { listFiles, temporaryDirectory } from '../helpers/files.ts';
import { hasProc, isAlive, processesWith } from '../helpers/processes.ts';

const request = (id: unknown, command: string, more: object = {}) =>
  `${JSON.stringify({ id, command, ...more })}\n`;

/** Sends all the input at once, and reads all the results. */
async function serve(input: string) {
  const { stdout, stderr, exitCode } = await agentShell(['--jsonl'], { stdin: input });
  const results: JsonlResult[] = stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  return { results, stderr, exitCode };
}

/** Shared, since starting a host takes longer than most lines. */
const shared = JsonlClient.shared();

/** Sends all the input to the shared host at once, and reads so many results. */
async function exchange(input: string, count: number): Promise<JsonlResult[]> {
  shared().write(input);
  return Promise.all(Array.from({ length: count }, () => shared().next()));
}

test('each request gets one result, with all of its fields', async () => {
  const line = 'echo out; echo err >&2; (exit 3)';
  const results = await exchange(request(1, line, { timeoutMs: 1e300 }), 1);
  expect(results).toEqual([
    {
      id: 1,
      type: 'native_shell_command',
      stdout: 'out\n',
      stderr: 'err\n',
      exitCode: 3,
      durationMs: expect.any(Number),
    },
  ]);
  expect(results[0]?.durationMs).toBeGreaterThan(0);
});

test('results come in the order of the requests, with their ids', async () => {
  const ids = [1, 'two', 0, -1.5, '', 'ü\u2028', 1e300, 1];
  const input = ids
    .map((id, index) => request(id, `sleep 0.0${9 - index}; echo ${index}`))
    .join('');
  const results = await exchange(`${input}no JSON\n`, ids.length + 1);
  expect(results.pop()).toMatchObject({ id: null, error: expect.any(String) });
  expect(results.map(({ id, stdout }) => [id, stdout])).toEqual(
    ids.map((id, index) => [id, `${index}\n`]),
  );
});

describe('with a router that fails', () => {
  async function answersTo(...lines: Buffer[]): Promise<string> {
    const router = new BashRouter();
    await router.dispose();
    const output = new PassThrough({ highWaterMark: 2 ** 30 });
    await serveJsonl({ ...NO_LISTS, router, input: Readable.from(lines), output });
    return output
      .end()
      .setEncoding('utf8')
      .reduce((all, chunk) => all + chunk, '');
  }

  test('a request has a result, too', async () => {
    expect(JSON.parse(await answersTo(Buffer.from(request(7, 'echo hi'))))).toMatchObject({
      id: 7,
      type: 'native_shell_command',
      stdout: '',
      stderr: expect.stringMatching(/^agent-shell: .* disposed\n$/),
      exitCode: 1,
    });
  });

  test('more requests at once than may wait are all answered', async () => {
    const line = Buffer.from(request(1, `: ${'x'.repeat(2 ** 20)}`));
    expect((await answersTo(...Array(70).fill(line))).match(/^\{"id":1,/gm)).toHaveLength(70);
  });
});

test('a request waits until the client has read the lines before it', async () => {
  const order: string[] = [];
  const agent = new TestAgent(() => {
    order.push('run');
    return {};
  });
  const output = new Writable({
    highWaterMark: 1,
    write: (_line, _encoding, done) => {
      setTimeout(() => {
        order.push('read');
        done();
      }, 10);
    },
  });
  const input = Readable.from([Buffer.from(`{"hello":true}\n${request(1, 'Agent').repeat(2)}`)]);
  await serveJsonl({ ...NO_LISTS, router: new BashRouter({ handlers: [agent] }), input, output });
  expect(order).toEqual(['read', 'run', 'read', 'run', 'read']);
});

test('requests share one bash and one list', async () => {
  const client = shared();
  await client.send('cd /; v=1');
  await client.send(`TodoWrite '{"todos":[{"content":"a","activeForm":"b","status":"pending"}]}'`);
  const { stdout } = await client.send('pwd; echo $v; TodoRead | head -n 1; cd "$OLDPWD"');
  expect(stdout).toBe('/\n1\n[ ] a\n');
  expect((await client.send(`TodoWrite '{"todos":[]}'`)).type).toBe('agent_shell_command');
});

test('a list in memory is not that of a caller whose environment names a session', async () => {
  const client = shared();
  const call = 'TodoWrite --add Elsewhere --active-form E 2>&1';
  const line = `(export TODO_SESSION=elsewhere; ${call}; TodoRead); TodoRead --session elsewhere; TodoRead`;
  const { stdout } = await client.send(line);
  const shown = stdout.match(/^(?:\[ \] .*|No todos\.)$/gm);
  expect(shown).toEqual(['[ ] Elsewhere', '[ ] Elsewhere', 'No todos.']);
});

test('it is that of the agent main, by this name too, and of no other', async () => {
  const client = shared();
  await client.send('TodoWrite --add Here --active-form H');
  for (const call of ['TodoRead --agent main', 'TODO_AGENT=main TodoRead | cat'])
    expect((await client.send(call)).stdout).toContain('[ ] Here\n');
  for (const call of ['TodoRead --agent ann', 'TODO_AGENT=ann TodoRead'])
    expect(await client.send(call)).toMatchObject({ stdout: '', exitCode: 2 });
  await client.send(`TodoWrite '{"todos":[]}'`);
});

test('a reminder comes with the result of the line at which it is due', async () => {
  const client = new JsonlClient({ env: { TODO_REMINDER_TURNS: '2' } });
  await client.send('TodoWrite --add a --active-form b');
  const told = [];
  for (let line = 0; line < 3; line++) told.push((await client.send(':')).reminders);
  const due = [expect.stringMatching(/^Note: 2 commands since the last TodoWrite; 1 item/)];
  expect(told).toEqual([undefined, due, undefined]);
});

test.each([
  ['what looks like results', `printf '{"id":1,"exitCode":9}\\n{"id":null,"error":"x"}'`],
  ['no end of line', 'printf x'],
  ['NUL and what is no UTF-8', "printf 'a\\0\\xff'"],
  ['the line separators of Unicode', "printf 'a\\u2028b\\u2029c\\u0085d'"],
  ['carriage returns', "printf 'a\\r\\nb\\r'"],
  ['terminal escapes', "printf '\\e[2J\\e]0;x\\a'"],
  ['a megabyte', "head -c 1000000 /dev/zero | tr '\\0' '\\\\'"],
  ['errors', 'printf \'{"id":2}\\n\' >&2'],
])('a result is one line: %s', async (_name, command) => {
  const client = shared();
  const lines: string[] = [];
  const listen = (text: string) => lines.push(text);
  client.child.stdout?.on('data', listen);
  const result = await client.send(command);
  expect([result.error, result.exitCode]).toEqual([undefined, 0]);
  expect((await client.send('echo next')).stdout).toBe('next\n');
  client.child.stdout?.off('data', listen);
  // One line even for readers that know other line ends.
  expect(lines.join('').split(/\r\n|[\n\r\u0085\u2028\u2029]/).length).toBe(3);
});

describe('a line that is no request', () => {
  test.each([
    ['no JSON', 'echo hi'],
    ['null', 'null'],
    ['an array', '[{"id":1,"command":"echo hi"}]'],
    ['no id', '{"command":"touch ran"}'],
    ['nothing but an id', '{"id":1}', 1],
    ['a command that is no text', '{"id":"a \\u0062","command":["echo"]}', 'a b'],
    ['an id that is null', '{"id":null,"command":"touch ran"}'],
    ['an id that is no id', '{"id":[1],"command":"touch ran"}'],
    ['an unknown field', '{"id":1.50,"command":"touch ran","cwd":"/"}', 1.5],
    ['a limit of zero', '{"command":"touch ran","timeoutMs":0,"id":1}', 1],
    ['a quote too many', '{"id":7,"command":"echo "touch ran""}', 7],
    ['an answer that is a wish', '{"id":1,"approve":true}'],
    ['an answer with more', '{"id":1,"approve":"allow","why":1}'],
    ['a wish that is none', '{"approve":"yes"}'],
    ['a greeting that is none', '{"hello":false}'],
    ['events that are no list', '{"events":"todos"}'],
    ['unknown events', '{"events":["list"]}'],
    ['a cancel of nothing', '{"cancel":null}'],
    ['two requests', `${request(1, 'touch ran').trim()}${request(2, 'touch ran').trim()}`, 1],
  ])(
    'gets an error, with its id if it has one, and runs nothing, and the host goes on: %s',
    async (_name, line, id: unknown = null) => {
      shared().write(`${line}\n`);
      const refused = await shared().next();
      expect(refused).toEqual({ id, error: expect.stringMatching(/^Not /) });
      expect(refused.error?.length).toBeLessThan(600);
      expect(await shared().send('ls')).toMatchObject({ stdout: '', exitCode: 0 });
    },
  );

  test('that is not UTF-8 gets an error with the place, and nothing else is stored in its place', async () => {
    shared().write(Buffer.from(request(1, 'TodoWrite \'[{"content":"caf\xe9"}]\''), 'latin1'));
    expect(await shared().next()).toEqual({
      id: 1,
      error: 'Not UTF-8. line 1, column 50: the byte 0xe9 is not UTF-8',
    });
    expect((await shared().send('TodoRead')).stdout).toBe('No todos.\n');
  });

  test('with a huge key or value gets a short error without control characters', async () => {
    shared().write(`${JSON.stringify({ id: 1, [`\x1b[2J${'k'.repeat(100_000)}`]: 1 })}\n`);
    expect((await shared().next()).error).toMatch(/^[^\0-\x1f\x7f-\x9f]{1,600}$/);
  });
});

describe('the end of a line is a newline and nothing else', () => {
  test.each([
    ['a line separator of Unicode in a command is part of it', '', 'a\u2028b\u2029c\u0085d'],
    ['a carriage return before it does no harm', '\r', 'hi'],
  ])('%s', async (_, before, text) => {
    const line = `{"id":1,"command":"printf %s '${text}'"}${before}\n`;
    expect((await exchange(line.repeat(2), 2)).map(({ stdout }) => stdout)).toEqual([text, text]);
  });

  test('a request may come in pieces of any size', async () => {
    const text = request('ü', 'printf 漢😀');
    const bytes = Array.from(Buffer.from(text), (byte) => Buffer.from([byte]));
    expect(String(await Readable.from(splitLines(Readable.from(bytes))).toArray())).toBe(
      text.trim(),
    );
  });

  test('a request of 5 MB is served', async () => {
    const results = await exchange(request(1, `: '${'x'.repeat(5_000_000)}'; echo done`), 1);
    expect(results.map(({ stdout }) => stdout)).toEqual(['done\n']);
  });
});

test('timeoutMs ends a command, and not the session', async () => {
  const client = shared();
  await client.send('cd /tmp');
  const result = await client.send('echo begun; sleep 1000', { timeoutMs: 300.5 });
  expect(result).toMatchObject({ stdout: 'begun\n', exitCode: 124 });
  expect(result.stderr).toContain('timed out after 300.5 ms');
  expect((await client.send('pwd')).stdout).toBe('/tmp\n');
});

test('output that would not fit into one string as JSON is cut', async () => {
  const stream = new PassThrough({ highWaterMark: 2 ** 30 });
  let isFirst = true;
  await new JsonlOutput(stream).write(null, {
    stdout: `y${'x'.repeat(5 * 2 ** 20)}`,
    stderr: 'short',
    // As for a string of more than half a gigabyte.
    get exitCode() {
      if (!isFirst) return 5;
      isFirst = false;
      return 'x'.repeat(2 ** 30);
    },
  });
  const { stdout, stderr, exitCode } = JSON.parse(String(stream.read()));
  expect([stderr, exitCode]).toEqual(['short', 5]);
  expect(stdout.replace(/^yx+/, '')).toBe('\n[agent-shell: 1048577 more characters left out]\n');
});

test('a client that went away with a backlog unread is waited for no longer', async () => {
  const stream = new PassThrough({ highWaterMark: 1 });
  stream.on('error', () => {});
  const output = new JsonlOutput(stream);
  const waiting = output.write(null, { text: 'a' });
  stream.destroy();
  await waiting;
  await output.write(null, { text: 'b' });
  expect(stream.destroyed).toBe(true);
});

describe('the end', () => {
  test('of an input without any request is quiet', async () => {
    expect(await serve('')).toEqual({ results: [], stderr: '', exitCode: 0 });
  });

  test('of input while a command runs comes after its result; the last line needs no line end', async () => {
    const { results } = await serve(request(1, 'sleep 0.3; echo done').trimEnd());
    expect(results.map(({ stdout }) => stdout)).toEqual(['done\n']);
  });

  test.each<[string, string, (client: JsonlClient) => unknown]>([
    ['of input', 'sleep 1000 & :', ({ child }) => child.stdin?.end()],
    ['by SIGTERM', 'sleep 1000 & sleep 1001', ({ child }) => child.kill('SIGTERM')],
    [
      'of a client that disappears',
      'sleep 1000 & sleep 0.2; echo to nobody',
      ({ child }) => {
        for (const stream of [child.stdout, child.stderr, child.stdin]) stream?.destroy();
      },
    ],
  ])('%s leaves no process and no file', async (_, command, end) => {
    const tmp = temporaryDirectory();
    const client = new JsonlClient({ env: { TMPDIR: tmp } });
    const { stdout } = await client.send('echo $$');
    client.write(request(2, command));
    end(client);
    await once(client.child, 'exit');
    await eventually('bash is dead', () => !isAlive(Number(stdout)));
    await eventually('no file is left', () => listFiles(tmp).length === 0);
    if (hasProc) await eventually('no process is left', () => processesWith(tmp).length === 0);
    expect(listFiles(tmp)).toEqual([]);
  });
});

test('the limit of open files is the caller’s, which Node raises for itself', () => {
  const limited = 'ulimit -Sn 321; exec "$0" --jsonl';
  const { stdout } = spawnSync('sh', ['-c', limited, AGENT_SHELL], {
    input: '{"id":1,"command":"ulimit -Sn; env | grep -c OPEN_FILES"}\n',
    encoding: 'utf8',
    env: ENV,
  });
  expect(JSON.parse(stdout)).toMatchObject({ stdout: '321\n0\n' });
});

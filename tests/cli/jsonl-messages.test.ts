import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { AGENT_SHELL, JsonlClient, run } from '../helpers/agent-shell.ts';
import { callCommand } from '../helpers/commands.ts';
import { temporaryDirectory } from '../helpers/files.ts';

// Messages to a host beside results: questions, cancels, streamed output, lists.

type Line = Record<string, unknown>;

/** Sends lines, and reads so many. */
async function say(client: JsonlClient, lines: readonly unknown[], count: number): Promise<Line[]> {
  client.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const answers: Line[] = [];
  while (answers.length < count) answers.push(await client.next<Line>());
  return answers;
}

/** Shared, since starting a host takes longer than most lines. */
const host = JsonlClient.shared();

/** Sends a request that streams, and reads all that comes of it. */
async function stream(command: string): Promise<Line[]> {
  host().write(`${JSON.stringify({ id: 1, command, stream: true })}\n`);
  const all = [await host().next<Line>()];
  while (all.at(-1)?.event !== undefined) all.push(await host().next<Line>());
  return all;
}

describe('permission', () => {
  afterEach(() => host().write('{"approve":false}\n'));

  test('is asked for with the commands and the directory; allow, deny with a reason, another command', async () => {
    const cwd = temporaryDirectory();
    const client = new JsonlClient({ cwd });
    const command = 'echo hi && TodoRead && TodoProve 1';
    const [asked] = await say(client, [{ approve: true }, { id: 'a', command }], 1);
    const commands = [['echo', 'hi'], ['TodoRead'], ['TodoProve', '1']];
    const certain = { isCertain: true, agentCommands: ['TodoRead'] };
    expect(asked).toEqual({ id: 'a', event: 'approve', command, commands, ...certain, cwd });
    const [allowed] = await say(client, [{ id: 'a', approve: 'allow', command: 'echo hi' }], 1);
    expect(allowed).toMatchObject({ id: 'a', stdout: 'hi\n', exitCode: 0 });
    await say(client, [{ id: 2, command: 'touch file' }], 1);
    const [denied] = await say(client, [{ id: 2, approve: 'deny', reason: 'no files' }], 1);
    expect(denied).toMatchObject({
      stdout: '',
      stderr: 'Command execution denied: no files\n',
      exitCode: 126,
    });
    await say(client, [{ id: 3, command: 'touch file' }], 1);
    const changed = { id: 3, approve: 'allow', command: 'echo $?; ls' };
    expect(await say(client, [changed], 1)).toMatchObject([{ id: 3, stdout: '126\n' }]);
    expect(existsSync(join(cwd, 'file'))).toBe(false);
    expect(await client.end()).toBe(0);
  });

  test('is not asked for the calls of agent commands, nor without the wish, nor after it was taken back', async () => {
    const requests = [
      { id: 1, command: 'echo before' },
      { approve: true },
      { id: 2, command: 'TodoRead' },
      { id: 3, command: 'TodoWrite <<\'EOF\'\n{"todos":[]}\nEOF' },
      { approve: false },
      { id: 4, command: 'echo after' },
    ];
    const results = await say(host(), requests, 4);
    expect(results.map(({ id, exitCode }) => `${id}: ${exitCode}`)).toEqual(
      [1, 2, 3, 4].map((id) => `${id}: 0`),
    );
  });

  test('a cancel ends the question with 130, and a late answer gets an error', async () => {
    const client = host();
    await say(client, [{ approve: true }, { id: 1, command: 'touch file' }], 1);
    const [result, late] = await say(client, [{ cancel: 1 }, { id: 1, approve: 'allow' }], 2);
    const both = [result, late].sort((a, b) => Number(a?.id === null) - Number(b?.id === null));
    expect(both[0]).toMatchObject({ id: 1, exitCode: 130 });
    expect(both[1]).toMatchObject({ id: null });
    expect(await say(client, [{ approve: false }, { id: 2, command: 'ls' }], 1)).toMatchObject([
      { stdout: '' },
    ]);
  });

  test('an answer to another id, before the question, or unreadable gets an error, and the question waits', async () => {
    const client = host();
    const answer = { id: 1, approve: 'allow' };
    expect(await say(client, [answer], 1)).toMatchObject([{ id: null }]);
    await say(client, [{ approve: true }, { id: 1, command: 'echo hi' }], 1);
    const [error] = await say(client, [{ id: 2, approve: 'allow' }], 1);
    expect(error).toMatchObject({ id: null, error: expect.stringContaining('id 2') });
    for (const line of ['{"id":1,"approve":"yes"}', '{"id":1,"approve":allow}', 'y']) {
      client.write(`${line}\n`);
      expect(await client.next<Line>()).toEqual({
        id: null,
        error: expect.stringMatching(/^Not /),
      });
    }
    expect(await say(client, [answer], 1)).toMatchObject([{ id: 1, stdout: 'hi\n', exitCode: 0 }]);
  });

  test('the end of input denies the pending question, and all later ones', async () => {
    const client = new JsonlClient();
    const requests = [1, 2].map((id) => ({ id, command: `touch ${id}` }));
    await say(client, [{ approve: true }, ...requests], 1);
    client.child.stdin?.end();
    const results: Line[] = [];
    while (results.length < 2) {
      const line = await client.next<Line>();
      if (!('event' in line)) results.push(line);
    }
    const denied = 'Command execution denied: the input ended before an answer came\n';
    expect(results).toMatchObject([
      { id: 1, exitCode: 126, stderr: denied },
      { id: 2, exitCode: 126 },
    ]);
  });

  test('an answer is read behind many requests, and so is a cancel', async () => {
    const client = host();
    const many = Array.from({ length: 500 }, (_, at) => ({ id: at + 10, command: 'TodoRead' }));
    const first = [{ approve: true }, { id: 1, command: 'echo one' }];
    await say(client, [...first, ...many], 1);
    const second = { id: 2, command: 'sleep 1000' };
    const [one] = await say(client, [{ approve: false }, second, { id: 1, approve: 'allow' }], 1);
    expect(one).toMatchObject({ id: 1, stdout: 'one\n' });
    client.write('{"cancel":2}\n');
    let last: Line = {};
    for (let count = 0; count <= many.length; count += 1) last = await client.next<Line>();
    expect(last).toMatchObject({ id: 2, exitCode: 130 });
  });
});

describe('ids and cancels', () => {
  test('an id comes back letter by letter, wherever it stands; blank lines get nothing', async () => {
    const ids = [
      '9007199254740993',
      '1.0',
      '1e2',
      '-0',
      '123456789012345678901234567890',
      '"\\u00fc"',
    ];
    const input = ids
      .map((id) => `{"command":": '\\"id\\": 5' ${'x'.repeat(5000)}","id":${id}}\n`)
      .join('\n \r\n');
    const { stdout } = await run(AGENT_SHELL, ['--jsonl'], { stdin: `\ufeff\n\ufeff${input}` });
    const back = stdout.split('\n').map((line) => /^\{"id":(.*?),"type"/.exec(line)?.[1]);
    expect(back.slice(0, -1)).toEqual([...ids.slice(0, -1), '"ü"']);
  });

  test('a cancel finds the id behind a long command, and neighbours beyond 2^53 are two', async () => {
    const client = host();
    const long = 'x'.repeat(10_000);
    client.write(`{"command":"sleep 1000 # ${long}","id":9007199254740993}\n`);
    client.write('{"command":"echo on","id":9007199254740992}\n{"cancel":9007199254740993}\n');
    expect(await client.next<Line>()).toMatchObject({ exitCode: 130 });
    expect(await client.next<Line>()).toMatchObject({ stdout: 'on\n' });
  });
});

describe('output while it comes', () => {
  test.each([
    ['of bash', "printf 'a\\xc3'; echo err >&2"],
    ['of an agent command', 'TodoRead --nonsense'],
    ['cut in a character at the end', "printf 'ab\\xe2\\x82'"],
  ])('is all that the result has: %s', async (_name, command) => {
    const all = await stream(command);
    const result = all.pop();
    for (const name of ['stdout', 'stderr']) {
      const chunks = all.filter(({ event }) => event === name).map(({ chunk }) => chunk);
      expect(chunks.join('')).toBe(result?.[name]);
    }
  });

  test('a result of it repeats no more than a megabyte, with both ends', async () => {
    const all = await stream('seq 1000000');
    const { stdout } = all.pop() as { stdout: string };
    const length = all.reduce((sum, { chunk }) => sum + String(chunk).length, 0);
    expect(length).toBe(6_888_896);
    expect(stdout).toMatch(
      /^1\n2\n[\s\S]*\n\[agent-shell: \d+ bytes left out\]\n[\s\S]*\n1000000\n$/,
    );
    expect(stdout.length).toBeLessThan(1_100_000);
  });

  test('maxOutputBytes keeps both ends of a flood longer than 64 MiB', async () => {
    const command = "head -c 90000000 /dev/zero | tr '\\0' x; echo the end";
    const { stdout } = await host().send(command, { maxOutputBytes: 40 });
    const left = `[agent-shell: ${90_000_008 - 40} bytes left out]`;
    expect(stdout).toBe(`${'x'.repeat(20)}\n${left}\n${'x'.repeat(12)}the end\n`);
  });
});

describe('hello and events', () => {
  test('hello names the version and the commands, with the schemas for tools', async () => {
    const [hello] = await say(host(), [{ hello: true }], 1);
    expect(hello).toMatchObject({
      event: 'hello',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    const commands = hello?.commands as Line[];
    expect(commands.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['TodoWrite', 'TaskList']),
    );
    for (const command of commands) {
      expect(command).toEqual({
        name: expect.any(String),
        summary: expect.any(String),
        inputSchema: expect.objectContaining({ type: 'object' }),
        isReadOnly: expect.any(Boolean),
        isConcurrencySafe: expect.any(Boolean),
      });
    }
  });

  test('lists are sent at the start, and each change before the result of the line that made it', async () => {
    const client = new JsonlClient();
    const [todos, tasks] = await say(client, [{ events: ['todos', 'tasks'] }], 2);
    expect(todos).toMatchObject({ event: 'todos', todos: [], version: 0 });
    expect(tasks).toEqual({ event: 'tasks', tasks: [] });
    const item = { content: 'a', activeForm: 'b', status: 'pending' };
    const write = `TodoWrite '${JSON.stringify({ todos: [item] })}'`;
    const [event, result] = await say(client, [{ id: 1, command: write }], 2);
    expect(event).toMatchObject({ event: 'todos', todos: [item], version: 1 });
    expect(result).toMatchObject({ id: 1, exitCode: 0 });
    const [created] = await say(client, [{ id: 2, command: 'TaskCreate --subject x' }], 2);
    expect(created).toMatchObject({
      event: 'tasks',
      tasks: [{ id: 1, subject: 'x', status: 'pending', openBlockers: [] }],
    });
    await say(client, [{ id: 3, command: 'TaskUpdate 1 --status completed' }], 2);
    const [archived] = await say(client, [{ id: 4, command: 'TaskArchive 1' }], 2);
    expect(archived).toEqual({ event: 'tasks', tasks: [] });
    expect(await client.end()).toBe(0);
  });

  test('also where another process changes them', async () => {
    const env = { TODO_STATE_DIR: temporaryDirectory(), TODO_SESSION: 's' };
    const [cwd, client] = ['/', new JsonlClient({ env })];
    await say(client, [{ events: ['todos', 'tasks'] }], 2);
    const list = '{"todos":[{"content":"a","activeForm":"b","status":"pending"}]}';
    await callCommand(env, 'TodoWrite', [list], { cwd });
    expect(await client.next<Line>()).toMatchObject({ event: 'todos', todos: [{ content: 'a' }] });
    await callCommand(env, 'TaskCreate', ['--subject', 'x'], { cwd });
    expect(await client.next<Line>()).toMatchObject({ event: 'tasks', tasks: [{ subject: 'x' }] });
    expect(await client.end()).toBe(0);
  });
});

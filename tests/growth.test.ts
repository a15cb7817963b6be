// How the work of a call grows, as counts of what it asks of the file system and of bytes: no clock.
import fs, { mkdirSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { readSettings } from '../src/base/settings/settings.ts';
import { Journal } from '../src/harness/hook/journal.ts';
import { nodeFileSystem } from '../src/lists/file-system.ts';
import type { FoundList } from '../src/lists/storage.ts';
import { encodeVersion } from '../src/lists/version-file.ts';
import { TodoHome } from '../src/todo/todo-home.ts';
import { TodoReadHandler } from '../src/todo/todo-read.ts';
import { openTodoStore } from '../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../src/todo/todo-write.ts';
import { temporaryDirectory } from './helpers/files.ts';
import { forAllTests } from './helpers/for-all-tests.ts';
import { harness } from './helpers/hook.ts';
import { listFolder } from './helpers/list-folders.ts';
import { rounds } from './helpers/random.ts';

const CALLS = [
  ...['openSync', 'closeSync', 'fstatSync', 'fsyncSync', 'statSync', 'lstatSync', 'existsSync'],
  ...['readSync', 'writeSync', 'readdirSync', 'renameSync', 'unlinkSync', 'mkdirSync'],
] as const;

interface Cost {
  calls: number;
  /** Read and written. */
  bytes: number;
  /** Of files that were listed. */
  names: number;
}

async function costOf(work: () => unknown): Promise<Cost> {
  const cost = { calls: 0, bytes: 0, names: 0 };
  const all = fs as unknown as Record<string, (...args: unknown[]) => unknown>;
  const originals = CALLS.map((name) => [name, all[name]] as const);
  for (const [name, original] of originals) {
    all[name] = (...args) => {
      const result = original?.(...args);
      // Looked at every 20 ms at most, and so by some calls alone.
      if (String(args[0]).endsWith('/.env')) return result;
      cost.calls++;
      if (name === 'readSync' || name === 'writeSync') cost.bytes += Number(result);
      if (name === 'readdirSync') cost.names += (result as string[]).length;
      return result;
    };
  }
  syncBuiltinESMExports();
  const own = { ...nodeFileSystem };
  for (const [operation, real] of Object.entries(own)) {
    const [name] = originals.find(([, original]) => original === real) ?? [];
    if (name !== undefined) Object.assign(nodeFileSystem, { [operation]: all[name] });
  }
  try {
    await work();
  } finally {
    Object.assign(nodeFileSystem, own);
    Object.assign(all, Object.fromEntries(originals));
    syncBuiltinESMExports();
  }
  return cost;
}

const items = (count: number, text = 'Item') =>
  Array.from({ length: count }, (_, index) => ({
    content: `${text} ${String(index).padStart(5, '0')}`,
    activeForm: 'Doing it now',
    status: 'pending' as const,
  }));

/** A list in files, at version `newest`, of which so many are kept. */
function listAt(newest: number, kept: number, state = temporaryDirectory()): string {
  const folder = listFolder(state, { session: 's', agent: 'main' });
  mkdirSync(folder, { recursive: true });
  const at = new Date(0);
  for (let version = newest - kept + 1; version <= newest; version++) {
    const stored = {
      version,
      after: `i${version - 1}`,
      at,
      by: 'main',
      content: items(3, `v${version}`),
    };
    writeFileSync(join(folder, `${version}-i${version}.json`), encodeVersion(stored));
  }
  writeFileSync(join(folder, `head-${newest}-i${newest}`), '');
  return state;
}

/** A list that keeps all of 400 versions, and one of 800. All tests make the same calls on both. */
const longLists = forAllTests((finished) => {
  const list = (count: number) => {
    const state = listAt(count, count, temporaryDirectory(finished));
    const folder = listFolder(state, { session: 's', agent: 'main' });
    openTodoStore({ folder, history: 10_000 }).update(items(3));
    return state;
  };
  return [list(400), list(800)] as const;
});

/** The cost of one call of TodoWrite or TodoRead in a process of its own. */
async function callCost(state: string, name: 'TodoWrite' | 'TodoRead', ...argv: string[]) {
  return costOf(async () => {
    const environment = { TODO_STATE_DIR: state, TODO_SESSION: 's', ...LARGE };
    // A .env is looked for at most every 20 ms.
    const reading = readSettings(environment, undefined);
    const settings = () => reading;
    const home = new TodoHome(environment, '/', reading);
    const handler =
      name === 'TodoRead'
        ? new TodoReadHandler(home.open, settings)
        : new TodoWriteHandler(home.open, settings);
    const result = await handler.execute({ argv, stdin: async () => '' });
    expect(result).toMatchObject({ exitCode: 0 });
  });
}

const LARGE = { TODO_MAX_ITEMS: '5000', TODO_HISTORY: '10000' };
const written = (count: number) => JSON.stringify({ todos: items(count, 'New') });

const COMMANDS: [string, 'TodoWrite' | 'TodoRead', ...string[]][] = [
  ['a whole list', 'TodoWrite', written(3)],
  ['one item', 'TodoWrite', '--done', '1'],
  ['--undo', 'TodoWrite', '--undo'],
  ['reading', 'TodoRead'],
];

describe.each(COMMANDS)('%s (%s)', (_, name, ...argv) => {
  test('costs as much at version 10,000 as at version 60', async () => {
    const early = await callCost(listAt(60, 50), name, ...argv);
    const late = await callCost(listAt(10_000, 50), name, ...argv);
    expect(late).toMatchObject({ calls: early.calls, names: early.names });
    expect(late.bytes).toBeLessThan(early.bytes * 1.1);
  });

  test('costs as much where 800 versions are kept as where 400 are', async () => {
    const [few, many] = longLists();
    const less = await callCost(few, name, ...argv);
    const more = await callCost(many, name, ...argv);
    expect(more).toMatchObject({ calls: less.calls, names: less.names });
    expect(more.bytes).toBeLessThan(less.bytes * 1.1);
  });

  test('costs as much among 200 lists, of its session and of others, as alone', async () => {
    const state = listAt(60, 50);
    const alone = await callCost(listAt(60, 50), name, ...argv);
    for (let agent = 0; agent < 199; agent++) {
      const session = agent % 2 === 0 ? 's' : `s${agent}`;
      const folder = listFolder(state, { session, agent: `agent-${agent}` });
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'head-0'), '');
    }
    expect(await callCost(state, name, ...argv)).toEqual(alone);
  });
});

test('5,000 items are as many calls as 10, and their bytes grow with them', async () => {
  const [few, many] = [listAt(60, 50), listAt(60, 50)];
  const costs = async (state: string, count: number) => ({
    write: await callCost(state, 'TodoWrite', written(count)),
    read: await callCost(state, 'TodoRead'),
  });
  const [small, large] = [await costs(few, 10), await costs(many, 5000)];
  for (const of of ['write', 'read'] as const) {
    expect(large[of].calls).toBe(small[of].calls);
    expect(large[of].bytes).toBeLessThan(small[of].bytes * 500);
  }
});

test('1,000 lists are found with as many calls each as 10', async () => {
  const found = async (count: number) => {
    const state = temporaryDirectory();
    for (let agent = 0; agent < count; agent++) {
      const folder = listFolder(state, { session: 's', agent: `agent-${agent}` });
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'head-0'), '');
    }
    const cost = await costOf(() => {
      const storage = new TodoHome({ TODO_STATE_DIR: state, TODO_SESSION: 's' }, '/').storage;
      for (const list of storage.find('todos') as FoundList[]) void list.version;
    });
    return cost.calls / count;
  };
  expect(await found(1000)).toBeLessThanOrEqual(await found(10));
});

test("where nothing names a session's beginning, the names of sessions are listed, and not those of their lists", async () => {
  const state = temporaryDirectory();
  for (let session = 0; session < 50; session++) {
    for (const agent of ['main@a', 'main@b', 'main@c']) {
      mkdirSync(listFolder(state, { session: `s${session}`, agent }), { recursive: true });
    }
  }
  const environment = { TODO_STATE_DIR: state, CLAUDE_CODE_SESSION_ID: 'new' };
  const cost = await costOf(() => new TodoHome(environment, '/').name({}));
  expect(cost.names).toBe(50);
  expect(cost.calls).toBeLessThan(70);
});

test('of 50 who watch a list, each reads a change once, and its writer has no more work than for one', async () => {
  const watched = async (watchers: number) => {
    const folder = join(temporaryDirectory(), 'main');
    const writer = openTodoStore({ folder });
    writer.update(items(3));
    const told: number[] = [];
    const ends = Array.from({ length: watchers }, () =>
      openTodoStore({ folder }).onChange(({ version }) => told.push(version)),
    );
    const reads = vi.spyOn(nodeFileSystem, 'read');
    const { calls } = await costOf(() => writer.update(items(4)));
    await vi.waitFor(() => expect(told).toHaveLength(watchers), 20_000);
    const read = reads.mock.calls.length;
    reads.mockRestore();
    for (const end of ends) end();
    return { calls, read };
  };
  const [one, fifty] = [await watched(1), await watched(50)];
  expect(fifty.calls).toBe(one.calls);
  expect(fifty.read).toBe(50 * one.read);
});

test('the hook has as much to do with a full journal as after the first event, and reads at most 32 KB of it', async () => {
  const { say, write, state } = harness('s1', 'CLAUDE_CODE_SESSION_ID');
  write('[>] Fix it');
  const event = (line: string) => ({
    ...{ session_id: 's1', hook_event_name: 'PostToolUse', tool_name: 'Bash', tool_response: {} },
    tool_input: { command: line },
  });
  await say(event('the first line'));
  const first = await costOf(() => say(event('the second line')));
  const names = fs.readdirSync(join(state, 'hooks~'), { recursive: true, encoding: 'utf8' });
  const file = names.find((name) => name.endsWith('.jsonl')) ?? '';
  const journal = new Journal(dirname(join(state, 'hooks~', file)));
  // 80 events fill it; `npm run test:attack` has 5,000.
  for (let line = 3; line <= Math.max(150, rounds(500)); line++) {
    const at = new Date(line).toISOString();
    journal.add({ session: 's1', version: 1, at, line: `step ${line} ${'of many '.repeat(40)}` });
  }
  const last = await costOf(() => say(event('the last line')));
  expect(last).toMatchObject({ calls: first.calls, names: first.names });
  expect(last.bytes - first.bytes).toBeLessThan(32 * 1024);
});

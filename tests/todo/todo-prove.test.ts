import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Proof } from '../../src/base/proof/proof.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../src/base/settings/settings.ts';
import { BashSession } from '../../src/shell/bash/bash-session.ts';
import { agentHandlers } from '../../src/shell/router/agent-handlers.ts';
import { BashRouter } from '../../src/shell/router/bash-router.ts';
import { taskCommands } from '../../src/tasks/task-commands.ts';
import { TaskStore } from '../../src/tasks/task-store.ts';
import type { TodoItem } from '../../src/todo/todo-fields.ts';
import { TodoProveHandler } from '../../src/todo/todo-prove.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { ENV } from '../helpers/bash.ts';
import { callCommand } from '../helpers/commands.ts';
import { eventually } from '../helpers/eventually.ts';
import { cleanEnvironment, executable, run, startProgram } from '../helpers/executables.ts';
import { temporaryDirectory } from '../helpers/files.ts';
import { isAlive } from '../helpers/processes.ts';
import { commandsOn, json as listOf } from './call.ts';

/** A session with lists in memory, whose item is in progress; `ok` and `bad` are programs in its directory. */
async function start(settings: Partial<Settings> = {}, check = './ok') {
  const store = new TodoStore();
  const tasks = new TaskStore();
  const source = () => ({ settings: { ...DEFAULT_SETTINGS, ...settings }, warnings: [] });
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'ok'), '#!/bin/sh\nexit 0\n');
  writeFileSync(join(cwd, 'bad'), '#!/bin/sh\necho three tests failed >&2\nexit 3\n');
  for (const name of ['ok', 'bad']) chmodSync(join(cwd, name), 0o755);
  const router = new BashRouter({
    handlers: [
      ...agentHandlers(store, source),
      ...taskCommands({ open: () => tasks, settings: source }),
    ],
    guide: false,
    shell: (handlers) => new BashSession({ env: ENV, cwd, handlers }),
  });
  onTestFinished(() => router.dispose());
  const write = (...items: Partial<TodoItem>[]) =>
    router.route('TodoWrite', { stdin: json(...items) });
  const say = async (line: string) => (await router.route(line)).stderr;
  await write({ ...BEGUN, check });
  return { store, tasks, router, cwd, write, say, proofs: () => proofsOf(store) };
}

const json = (...items: Partial<TodoItem>[]) =>
  listOf(...items.map((item) => ({ content: 'Test', activeForm: 'Testing', ...item })));

function proofsOf(store: TodoStore) {
  return store.get().items.map(({ proof }) => proof?.command);
}

const BEGUN = { status: 'in_progress', check: './ok' } as const;
const DONE = { status: 'completed', check: './ok' } as const;
const UNPROVEN = 'Note: item 1 is unproven; to run its check (./ok): TodoProve 1\n';
const PROVE = 'TodoProve 1';
const running = (check: string) => `Note: running the check: ${check}\n`;
const RUNNING = running('./ok');

test('where a completed list is emptied, the note on an unproven item says what still proves it', async () => {
  const { store, say } = await start({ clearWhenDone: true });
  expect(await say('TodoWrite --done 1')).toBe(
    UNPROVEN.replace('TodoProve', 'TodoWrite --undo, then TodoProve'),
  );
  expect(await say('TodoWrite --undo && TodoProve 1')).toBe(RUNNING);
  expect(store.get()).toMatchObject({ items: [], version: 6 });
});

test('where a proof is required, the list was not emptied, and the refusal names no --undo', async () => {
  const { store, say } = await start({ clearWhenDone: true, requireProof: true });
  const said = await say('TodoWrite --done 1');
  expect(said).toContain('TodoProve 1');
  expect(said).not.toContain('--undo');
  expect(store.get().version).toBe(1);
});

test('a check that passes completes its item, with its proof', async () => {
  const { router, store } = await start();
  expect(await router.route('cd . && TodoProve 1')).toMatchObject({
    stdout: 'Todo list updated: 1 completed, 0 in_progress, 0 pending\n',
    stderr: RUNNING,
    exitCode: 0,
  });
  const [item] = store.get().items;
  expect(item?.proof).toEqual({
    command: './ok',
    exitCode: 0,
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    by: 'main',
  });
  expect(Object.isFrozen(item?.proof)).toBe(true);
  const read = await router.route('TodoRead --json');
  expect(JSON.parse(read.stdout).todos).toEqual([item]);
  expect((await router.route('TodoRead')).stdout).toContain('[x] Test (check: ./ok, proven)\n');
});

test('JSON names the items, too; other JSON, or more than that, is wrong usage and runs nothing', async () => {
  const { router, proofs } = await start();
  for (const given of [`'{"items":[1]}' 1`, `'{"items":1}'`, `'{"items":[1]'`, `'{"more":[1]}'`]) {
    expect(await router.route(`TodoProve ${given}`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('{"items"'),
    });
  }
  expect(proofs()).toEqual([undefined]);
  expect(await router.route(`TodoProve '{"items":[1]}'`)).toMatchObject({ exitCode: 0 });
  expect(proofs()).toEqual(['./ok']);
});

test.each(['-x', '-O', '--posix'])(
  'a check is run as it is, even one that begins as an option: %s',
  async (check) => {
    const { say, proofs } = await start({}, check);
    const error = await say('check() { :; }; export -f check; TodoProve 1');
    expect(error).toContain(`${check}: command not found`);
    expect(proofs()).toEqual([undefined]);
  },
);

test('a line that ran the check proves nothing, and TodoWrite never runs one', async () => {
  const { router, cwd, say, write, proofs } = await start({}, './ok && touch ran');
  for (const line of ['./ok && touch ran && rm ran', './ok && touch ran && TodoWrite --done 1']) {
    await router.route(line);
  }
  expect(proofs()).toEqual([undefined]);
  await router.route('rm ran');
  for (const call of ['TodoWrite --done 1', 'TodoWrite --undo', 'TodoRead', 'TaskList']) {
    await say(call);
  }
  await write({ ...DONE, check: './ok && touch ran' });
  expect(await router.route('TodoRead --prove')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--prove. Try: TodoProve\n'),
  });
  for (const call of ['TodoWrite --prove', 'TodoWrite --done 1 --prove', 'TodoWrite --prove 1']) {
    const said = call.includes('1') ? 'TodoProve 1' : 'TodoProve';
    expect(await router.route(call)).toMatchObject({
      stderr: `Error: Unknown option --prove. Try: ${said}\n`,
      exitCode: 2,
    });
  }
  expect(existsSync(join(cwd, 'ran'))).toBe(false);
  expect(await router.route('TodoProve')).toMatchObject({ exitCode: 0 });
  expect(existsSync(join(cwd, 'ran'))).toBe(true);
});

test('of several items those that pass are completed; --start is for when all have', async () => {
  const { router, write, store } = await start();
  const pending = { content: 'Ship', status: 'pending', check: './bad' } as const;
  await write(BEGUN, pending, { content: 'Rest', status: 'pending' });
  const statuses = () => store.get().items.map(({ status }) => status);
  const { stdout, stderr, exitCode } = await router.route('TodoProve 1 2 --start 3');
  expect(stdout).toContain('Todo list updated: 1 completed, 0 in_progress, 2 pending\n');
  expect(stderr).toContain('\nError: Cannot prove the items\n- item 2 is unproven: ./bad failed');
  expect(exitCode).toBe(1);
  expect(statuses()).toEqual(['completed', 'pending', 'pending']);
  expect((await router.route('TodoProve 1 --start 3')).stdout).toContain('\nNow 3: Rest\n');
  expect(statuses()).toEqual(['completed', 'pending', 'in_progress']);
});

test('an item without a check, or that is not there, is no item to prove', async () => {
  const { router, write, store } = await start();
  await write({ status: 'in_progress' });
  const { version } = store.get();
  for (const [call, said] of [
    ['TodoProve 1', 'item 1 has no check; without one: TodoWrite --done 1'],
    ['TodoProve 2', "there is no item '2'; the list has 1 item, see TodoRead"],
    ['TodoProve Test', "'Test' is item 1. Try: TodoProve 1"],
  ]) {
    expect(await router.route(call as string)).toMatchObject({
      stderr: `Error: Cannot prove the items\n- ${said}\n`,
      exitCode: 1,
    });
  }
  expect(store.get().version).toBe(version);
});

test('what would be refused after a check is refused before it runs', async () => {
  const cwd = temporaryDirectory();
  const shared = { TODO_STATE_DIR: join(cwd, 'state'), TODO_MAX_ITEMS: '3' };
  const call = (agent: string, name: string, ...argv: string[]) =>
    callCommand(cleanEnvironment({ ...shared, TODO_AGENT: agent }), name, argv, { cwd });
  const more = { content: 'Ship', status: 'in_progress' } as const;
  await call('ann', 'TodoWrite', json({ status: 'pending', check: 'touch ran' }, more));
  expect((await call('ann', 'TodoProve', '1', '--start', '3')).stderr).toBe(
    "Error: Cannot prove the items\n- there is no item '3'; the list has 2 items, see TodoRead\n",
  );
  expect((await call('ann', 'TodoProve', '--start', '1')).stderr).toContain(
    'item 2 is in_progress',
  );
  expect((await call('ann', 'TodoProve', '1', '--start', '1')).stderr).toContain(
    '- --start and TodoProve both name 1\n',
  );
  await call('ann', 'TodoWrite', '--pending', '2', '--add', 'Tell', '--active-form', 'Telling');
  expect((await call('ann', 'TodoProve', '1', '--start', '2,3')).stderr).toContain(
    'Only one item can be in_progress',
  );
  shared.TODO_MAX_ITEMS = '2';
  expect((await call('ann', 'TodoProve', '1')).stderr).toContain('Must have at most 2 items');
  await call('user', 'TodoWrite', '--agent', 'ann', '--drop', '2');
  expect((await call('ann', 'TodoProve', '1')).stderr).toMatch(
    /^Error: The user changed the list; nothing was changed\nNote: the user dropped "Ship"\n/,
  );
  expect(existsSync(join(cwd, 'ran'))).toBe(false);
  expect((await call('ann', 'TodoProve', '1')).exitCode).toBe(0);
  expect(existsSync(join(cwd, 'ran'))).toBe(true);
});

test.each([
  ['no check', { status: 'in_progress' }],
  ['the same check', { status: 'in_progress', check: 'touch began; read -r _ <go' }],
  ['no check, completed', { status: 'completed' }],
] as const)(
  'an item with %s that takes the place of another while its check runs is not taken for it',
  async (_what, more) => {
    const { router, write, store, cwd } = await start();
    execFileSync('mkfifo', [join(cwd, 'go')]);
    await write({ ...BEGUN, check: 'touch began; read -r _ <go' });
    const proving = router.route('TodoProve 1');
    await eventually('the check to run', () => existsSync(join(cwd, 'began')));
    const other = { content: 'Other', activeForm: 'Other', ...more };
    store.update([other]);
    writeFileSync(join(cwd, 'go'), 'now\n');
    expect(await proving).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('- the list changed while a check ran; find the items'),
      exitCode: 1,
    });
    expect(store.get().items).toEqual([other]);
  },
);

test('a check of two lines does not look like one command, before it runs and after', async () => {
  const { router, say, proofs } = await start({ requireProof: true }, 'true\ntouch hidden');
  const shown = 'true␊touch hidden';
  expect((await router.route('TodoRead')).stdout).toContain(`(check: ${shown})`);
  expect(await say('TodoWrite --done 1')).toContain(`run its check (${shown})`);
  expect(await say(PROVE)).toBe(running(shown));
  expect(proofs()).toEqual([shown]);
});

test("TodoProve runs checks in its caller's directory and environment", async () => {
  const { router, say, write, proofs, cwd } = await start();
  mkdirSync(join(cwd, 'a b'));
  await router.route(`cd 'a b'; export WORD=$'two\\nlines "$X"'`);
  const check = `test "$WORD" = $'two\\nlines "$X"' && test "\${PWD##*/}" = 'a b' && ../ok`;
  await write({ ...BEGUN, check });
  expect(await say(PROVE)).toBe(running(check));
  expect(proofs()).toEqual([check]);
  expect(
    (await router.route(`(WORD=other; export WORD; TodoWrite --undo; TodoProve 1)`)).exitCode,
  ).toBe(1);
});

test('a check that fails refuses the change, with the end of what it printed', async () => {
  const { router, store } = await start({}, 'seq 1000; ./bad');
  const version = store.get().version;
  const { stderr, exitCode } = await router.route(PROVE);
  expect(exitCode).toBe(1);
  expect(stderr).toBe(`Note: running the check: seq 1000; ./bad
Error: Cannot prove the items
- item 1 is unproven: seq 1000; ./bad failed: exit code 3
  994
  995
  996
  997
  998
  999
  1000
  three tests failed
`);
  expect(store.get().version).toBe(version);
});

test('alone it proves completed items, and says if there is nothing to prove', async () => {
  const { say, write, proofs } = await start();
  expect(await say('TodoProve')).toBe(`Error: Cannot prove the items
- no completed item has an unproven check; to complete and prove one: TodoProve N
`);
  await write(DONE);
  expect(await say('TodoProve')).toBe(RUNNING);
  expect(proofs()).toEqual(['./ok']);
});

test('with TODO_REQUIRE_PROOF=1 nothing is completed without its proof, though its check be left out', async () => {
  const { say, write, proofs } = await start({ requireProof: true });
  const refused =
    'Error: Cannot update the list\n- item 1 is unproven; to run its check (./ok): TodoProve 1\n';
  expect(await say('TodoWrite --done 1')).toBe(refused);
  expect((await write({ status: 'completed' })).stderr).toContain(refused);
  expect(await say(PROVE)).toBe(RUNNING);
  expect(proofs()).toEqual(['./ok']);
});

const OTHER = { content: 'Plan', status: 'completed' } as const;

test.each<[string, Partial<Settings>, Partial<TodoItem>[], string]>([
  ['left out', {}, [{ status: 'completed' }], 'TodoWrite --undo && TodoProve 1'],
  [
    'left out, behind another item',
    {},
    [OTHER, { status: 'completed' }],
    'TodoWrite --undo && TodoProve 1',
  ],
  [
    'in another place of a list that is emptied',
    { clearWhenDone: true },
    [OTHER, DONE],
    'TodoWrite --undo && TodoProve 1',
  ],
  ['in another place of a refused list', { requireProof: true }, [OTHER, DONE], 'TodoProve 1'],
])(
  'what is said of an unproven item, to the letter, proves it: a check %s',
  async (_, settings, items, call) => {
    const { write, say } = await start(settings);
    const { stderr } = await write(...items);
    const [, told] = /check \(\.\/ok\): (.*)$/m.exec(stderr) ?? [];
    expect(told?.replace(', then', ' &&')).toBe(call);
    expect(await say(call)).toBe(RUNNING);
  },
);

test.each([{ requireProof: true }, { clearWhenDone: true }])(
  '%j: an item that was on no list can be proven once it is on one',
  async (settings) => {
    const { write } = await start(settings);
    const { stderr } = await write({ ...DONE, content: 'Other' }, { ...OTHER, content: 'More' });
    expect(stderr).toContain(
      'item 1 is unproven; to run its check (./ok): write it as pending first',
    );
  },
);

test('a list that is replaced keeps the proof of the same item and check; another check has none', async () => {
  const { say, write, proofs } = await start();
  await say(PROVE);
  await write({ content: 'More', status: 'pending' }, { ...DONE, content: 'test.' });
  expect(proofs()).toEqual([undefined, './ok']);
  await write({ ...DONE, check: './ok again' });
  expect(proofs()).toEqual([undefined]);
  await say('TodoWrite --undo');
  expect(proofs()).toEqual([undefined, './ok']);
  await write(BEGUN);
  await write(DONE);
  expect(proofs()).toEqual([undefined]);
});

test('no input can set a proof', async () => {
  const { router, write, proofs } = await start();
  const proof: Proof = { command: './ok', exitCode: 0, at: '2026-01-01T00:00:00.000Z', by: 'main' };
  const { stderr } = await write({ ...DONE, proof });
  expect(stderr).toBe(
    `Note: "proof" is ignored: only a check that is seen to pass counts\n${UNPROVEN}`,
  );
  expect(proofs()).toEqual([undefined]);
  // Writing TodoRead's output keeps the proof.
  await router.route('TodoProve');
  expect((await router.route('TodoRead --json | TodoWrite')).stderr).toBe('');
  expect(proofs()).toEqual(['./ok']);
});

test('a check that asks for proof itself fails, and one that writes the list does no harm', async () => {
  const { say, write, store } = await start({}, 'TodoProve 1');
  expect(await say(PROVE)).toContain('a check cannot ask for proof itself');
  await write({ ...BEGUN, check: 'TodoWrite --add New --active-form Newing' });
  expect(await say(PROVE)).toBe(running('TodoWrite --add New --active-form Newing'));
  expect(store.get().items.map(({ content, proof }) => [content, proof !== undefined])).toEqual([
    ['Test', true],
    ['New', false],
  ]);
});

test('a check ends at its time limit, with its line, and with its session', async () => {
  const { write, say, cwd } = await start({ proofTimeout: 1 });
  const hangs = (name: string) => `echo $$ > ${name}.tmp; mv ${name}.tmp ${name}; sleep 1000`;
  await write({ ...BEGUN, check: hangs('first') });
  expect(await say(PROVE)).toContain('failed: it took longer than 1 s');
  await goneIn(join(cwd, 'first'));
  const other = await start();
  await other.write({ ...BEGUN, check: hangs('second') });
  const abort = new AbortController();
  const cancelled = other.router.route(PROVE, { signal: abort.signal });
  await goneIn(join(other.cwd, 'second'), () => abort.abort());
  expect((await cancelled).exitCode).toBe(130);
  await other.write({ ...BEGUN, check: hangs('third') });
  void other.router.route(PROVE).catch(() => {});
  await goneIn(join(other.cwd, 'third'), () => void other.router.dispose());
});

/** Waits until the process with the id in a file exists and then, after `end`, is gone. */
async function goneIn(file: string, end = () => {}): Promise<void> {
  await eventually('the process to begin', () => existsSync(file));
  const pid = Number(readFileSync(file, 'utf8'));
  end();
  await eventually('its end', () => !isAlive(pid));
}

test('a host that gives no shell has no check run on it', async () => {
  const store = new TodoStore();
  await commandsOn(store).write(json(BEGUN));
  const stdin = async () => '';
  const { stderr } = await new TodoProveHandler(store).execute({ argv: ['1'], stdin });
  expect(stderr).toContain('failed: there is no shell here to run it in');
});

test('TaskProve does the same for tasks, and the setting holds for them', async () => {
  const { router, say } = await start({ agent: 'ann', requireProof: true });
  await router.route('TaskCreate --subject A --check ./ok && ./ok && TaskClaim 1');
  expect(await say('TaskUpdate 1 --status completed')).toBe(
    'Error: Cannot update task #1\n- unproven: #1; to run its check (./ok): TaskProve 1\n',
  );
  expect(await say('TaskProve 1')).toBe(RUNNING);
  expect((await router.route('TaskList')).stdout).toContain('[completed] A (ann) [proven]');
  const other = 'TaskCreate --subject B && TaskUpdate 2 --status completed';
  expect(await router.route(other)).toMatchObject({ exitCode: 0 });
});

test('on PATH it has the notes of TodoWrite', () => {
  const cwd = temporaryDirectory();
  const env = cleanEnvironment({ TODO_STATE_DIR: join(cwd, 'state') });
  const item = { status: 'pending', check: 'true' } as const;
  const todos = ['A', 'B', 'C'].map((content) => ({ ...item, content }));
  run('todo-write', [json(...todos)], { cwd, env });
  const SKIPPED = /\nNote: 3 items were completed without ever being in_progress: "A", "B", "C"\./;
  expect(run('todo-prove', ['1', '2', '3'], { cwd, env }).stderr).toMatch(SKIPPED);
  run('todo-write', ['--undo'], { cwd, env });
  const quiet = { ...env, TODO_GUIDANCE: 'off' };
  expect(run('todo-prove', ['1', '2', '3'], { cwd, env: quiet }).stderr).toBe(running('true'));
});

test('on PATH they run the check in the directory and with the variables of its caller, within TODO_PROOF_TIMEOUT, and prints it before it ends', async () => {
  const cwd = temporaryDirectory();
  const lists = { TODO_STATE_DIR: join(cwd, 'state'), TODO_AGENT: 'ann' };
  const env = cleanEnvironment({ ...lists, FILE: 'begun' });
  const path = (name: string) => join(dirname(executable('todo-write')), name);
  const check = 'echo $$ > "$FILE"; read _ < go';
  execFileSync('mkfifo', [join(cwd, 'go')]);
  execFileSync(path('TaskCreate'), ['--subject', 'A', '--check', check], { cwd, env });
  const proving = startProgram(path('TaskProve'), ['1'], { cwd, env });
  await eventually('the check to run', () => existsSync(join(cwd, 'begun')));
  const told = running(check);
  await eventually('it to be told', () => proving.said.stderr === told);
  expect(proving.child.exitCode).toBe(null);
  writeFileSync(join(cwd, 'go'), 'now\n');
  expect(await proving.ended).toMatchObject({ exitCode: 0 });
  const limited = { ...env, TODO_PROOF_TIMEOUT: '1' };
  const todoWrite = (...argv: string[]) => run('todo-write', argv, { cwd, env: limited });
  todoWrite(json({ ...BEGUN, check: 'echo waits; sleep 1000' }));
  expect(run('todo-prove', ['1'], { cwd, env: limited }).stderr).toContain(
    'failed: it took longer than 1 s\n  waits\n',
  );
});

// Counts of what a call asks of the file system: the disk decides how long a durable commit takes.
import { execFileSync } from 'node:child_process';
import fs, { readFileSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BashRouter } from '../src/router/bash-router.ts';
import { FilePlace } from '../src/state/file-place.ts';
import { TodoStore } from '../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../src/todo/todo-write.ts';
import { cleanEnvironment, executable } from './helpers/executables.ts';
import { temporaryDirectory } from './helpers/files.ts';
import { hasProc } from './helpers/processes.ts';
import { startSession } from './helpers/session.ts';

const LIST = (done: string) =>
  JSON.stringify({
    todos: [
      { content: done, activeForm: done, status: 'completed' },
      { content: 'Run the tests', activeForm: 'Running the tests', status: 'in_progress' },
    ],
  });
const OPERATIONS = ['fsyncSync', 'renameSync', 'mkdirSync', 'readdirSync', 'unlinkSync'] as const;

/** How often the last of these calls asks for each of these. By then the list is there and the program is compiled. */
function operationsOf(calls: readonly (readonly [name: string, ...argv: string[]])[]) {
  const cwd = temporaryDirectory();
  const [hook, counts] = [join(cwd, 'hook.cjs'), join(cwd, 'counts')];
  writeFileSync(
    hook,
    `const fs = require('fs');
     const counts = {};
     for (const name of ${JSON.stringify(OPERATIONS)}) {
       const original = fs[name];
       fs[name] = (...args) => {
         counts[name] = (counts[name] || 0) + 1;
         return original(...args);
       };
     }
     process.on('exit', () => {
       if (process.exitCode === 0) fs.writeFileSync(${JSON.stringify(counts)}, JSON.stringify(counts));
     });`,
  );
  const lists = { TODO_STATE_DIR: join(cwd, 'state'), TODO_TEAM: 'team', TODO_AGENT: 'a' };
  for (const [name, ...argv] of calls) {
    const program = join(dirname(executable('todo-write')), name);
    const options = { cwd, env: cleanEnvironment(lists), stdio: 'pipe' } as const;
    execFileSync(process.execPath, ['-r', hook, program, ...argv], options);
  }
  return JSON.parse(readFileSync(counts, 'utf8'));
}

test.runIf(hasProc)('300 commits leave no descriptor open', () => {
  const folder = join(temporaryDirectory(), 'agent');
  const store = new TodoStore(undefined, new FilePlace({ folder }));
  const commit = (count: number) =>
    store.update([{ content: `${count}`, activeForm: 'x', status: 'pending' }]);
  commit(0);
  const before = fs.readdirSync('/proc/self/fd').length;
  for (let count = 1; count <= 300; count++) commit(count);
  expect(fs.readdirSync('/proc/self/fd').length).toBe(before);
});

// The version, and its name. Without either a power cut would take what the agent was told is saved.
const DURABLE = { fsyncSync: 2, renameSync: 1 };
const write = (text: string) => ['TodoWrite', LIST(text)] as const;
const claim = ['TaskClaim', '--next'] as const;
const TASKS = JSON.stringify(['one', 'two', 'three'].map((subject) => ({ subject })));

test.each([
  [
    'TodoWrite saves twice',
    [write('one'), write('two'), write('three')],
    { ...DURABLE, readdirSync: 2 },
  ],
  ['TaskClaim saves twice', [['TaskCreate', TASKS], claim, claim], { ...DURABLE, readdirSync: 3 }],
  ['TodoRead writes nothing', [write('one'), ['TodoRead'], ['TodoRead']], { readdirSync: 2 }],
] as const)(
  'on PATH a %s, makes no folder that is there, and lists its own folder only',
  (_, calls, counts) => {
    expect(operationsOf(calls)).toEqual(counts);
  },
);

test('an agent command in bash looks for as many files, however many slots there are', async () => {
  const router = new BashRouter({
    handlers: [new TodoWriteHandler(new TodoStore())],
    shell: (handlers) => startSession({ handlers: [...handlers.values()] }),
  });
  const line = `:; TodoWrite '${LIST('one')}'`;
  await router.route(line);
  const { existsSync } = fs;
  const looks: string[] = [];
  fs.existsSync = (path) => {
    looks.push(String(path));
    return existsSync(path);
  };
  const restore = () => {
    fs.existsSync = existsSync;
    syncBuiltinESMExports();
  };
  onTestFinished(restore);
  syncBuiltinESMExports();
  expect((await router.route(line)).exitCode).toBe(0);
  restore();
  expect(looks.length).toBeGreaterThan(0);
  expect(looks.filter((path) => path.includes('slot-'))).toEqual([]);
  expect(looks.length).toBeLessThanOrEqual(6);
});

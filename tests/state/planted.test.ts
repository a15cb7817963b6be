import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FilePlace } from '../../src/state/file-place.ts';
import { openTaskStore } from '../../src/tasks/open-task-store.ts';
import { taskCommands } from '../../src/tasks/task-commands.ts';
import { openTodoStore } from '../../src/todo/open-todo-store.ts';
import { TodoReadHandler } from '../../src/todo/todo-read.ts';
import { temporaryDirectory } from '../helpers/files.ts';

// Files that somebody has put into a state folder, with checksums that fit.

const NOW = new Date('2026-05-01T12:00:00.000Z');
const CLIPBOARD = '\u001b]52;c;ZXZpbA==\u0007';
const ITEM = { content: 'A', activeForm: 'Doing A', status: 'pending' };
const TASK = {
  id: 1,
  subject: 'S',
  description: '',
  status: 'pending',
  blocks: [],
  blockedBy: [],
  createdAt: NOW.toISOString(),
  updatedAt: NOW.toISOString(),
};

function planted(content: unknown): string {
  const folder = join(temporaryDirectory(), 'list');
  new FilePlace<unknown>({ folder }).commit(0, content, NOW);
  return folder;
}

test.each([
  ['no list', 7, 'it does not contain a list'],
  ['no item', [ITEM, null], 'item 1 is not an item'],
  ['a status', [{ ...ITEM, status: CLIPBOARD }], 'item 0 has no status'],
  ['an id', [{ ...ITEM, id: [CLIPBOARD] }], 'item 0 has an id that is not text'],
  ['a priority', [{ ...ITEM, priority: CLIPBOARD }], 'item 0 has an unknown priority'],
  ['a content', [{ ...ITEM, content: {} }], 'item 0 has no content'],
  ['an active form', [{ ...ITEM, activeForm: undefined }], 'item 0 has no activeForm'],
])('TodoRead of a planted list, %s: an error that names the file', async (_, content, problem) => {
  const folder = planted(content);
  const handler = new TodoReadHandler(openTodoStore({ folder }));
  for (const argv of [[], ['--json'], ['--history'], ['--at', '1']]) {
    const { stdout, stderr, exitCode } = await handler.execute({ argv });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 3 });
    expect(stderr).toMatch(/^Error: Cannot read the list\n- .*\.json is damaged: /);
    expect(stderr).toContain(problem);
    expect(stderr).not.toContain('\u001b');
  }
});

const deep = (depth: number): object => (depth === 0 ? {} : { a: deep(depth - 1) });

test.each([
  ['status', { ...TASK, status: CLIPBOARD }],
  ['id', { ...TASK, id: CLIPBOARD }],
  ['id', { ...TASK, id: -1 }],
  ['createdAt', { ...TASK, createdAt: CLIPBOARD }],
  ['updatedAt', { ...TASK, updatedAt: 7 }],
  ['owner', { ...TASK, owner: {} }],
  ['blockedBy', { ...TASK, blockedBy: [CLIPBOARD] }],
  ['blocks', { ...TASK, blocks: 'all' }],
  ['metadata', { ...TASK, metadata: deep(2000) }],
  ['subject', { ...TASK, subject: undefined }],
])('the task commands on a planted task, %s: an error that names the file', async (field, task) => {
  const step = { nextId: 2, changed: [task], deleted: [] };
  const store = openTaskStore({ folder: planted({ isWhole: true, step }) });
  const commands = taskCommands({ open: () => store });
  for (const [name, ...argv] of [['TaskList'], ['TaskGet', '1'], ['TaskList', '--json']]) {
    const command = commands.find((known) => known.name === name);
    const result = await command?.execute({ argv, stdin: async () => '' });
    expect(result).toMatchObject({ stdout: '', exitCode: 3 });
    expect(result?.stderr).toMatch(/\.json is damaged: task 0 has no \w+ that could be one\n$/);
    expect(result?.stderr).toContain(` ${field} `);
  }
});

test.each([null, 7, {}, { isWhole: true }, { isWhole: true, step: { nextId: 1 } }])(
  'what is no change to tasks is damage: %j',
  (content) => {
    const store = openTaskStore({ folder: planted(content) });
    expect(() => store.get()).toThrow(/is damaged: it holds no change to tasks/);
  },
);

import { expect, test } from 'vitest';
import { TodoReadHandler } from '../../src/todo/todo-read.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { TodoWriteHandler } from '../../src/todo/todo-write.ts';

const LIST = JSON.stringify({
  todos: [
    { content: 'Fix it', activeForm: 'Fixing it', status: 'in_progress' },
    { content: 'Run the tests', activeForm: 'Running the tests', status: 'pending' },
  ],
});
const SUMMARY = 'Todo list updated: 0 completed, 1 in_progress, 1 pending\n';

const store = new TodoStore();
const read = async (...argv: string[]) =>
  (await new TodoReadHandler(store).execute({ argv })).stdout;
const write = (...argv: string[]) =>
  new TodoWriteHandler(store).execute({ argv, stdin: async () => LIST });

test('the reply is a summary unless another is asked for', async () => {
  expect((await write(LIST)).stdout).toBe(SUMMARY);
  expect((await write('--output', 'summary', LIST)).stdout).toBe(SUMMARY);
  expect((await write('--output', 'next', LIST)).stdout).toBe(
    `${SUMMARY}Now 1: Fix it\nNext 2: Run the tests\n`,
  );
  const done = await write('--done', '1', '--output', 'summary');
  expect(done.stdout).toBe('Todo list updated: 1 completed, 0 in_progress, 1 pending\n');
});

test.each([
  ['list', []],
  ['json', ['--json']],
])('--output %s replies with what TodoRead prints', async (output, argv) => {
  for (const call of [
    ['--output', output, LIST],
    [`--output=${output}`, LIST],
    ['--output', output],
  ]) {
    expect(await write(...call)).toEqual({ stdout: await read(...argv), stderr: '', exitCode: 0 });
  }
});

test('an undo replies in the same way', async () => {
  await write('{"todos":[]}');
  expect((await write('--undo', '--output', 'list')).stdout).toBe(await read());
  expect(store.get().items).toHaveLength(2);
});

import { expect, test } from 'vitest';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { items } from '../guidance/agent-session.ts';
import { ok } from '../helpers/replies.ts';
import { commandsOn, json } from './call.ts';

const LIST = json(...items('[>] Fix it', '[ ] Run the tests'));
const SUMMARY = 'Todo list updated: 0 completed, 1 in_progress, 1 pending\n';

const store = new TodoStore();
const { write, read } = commandsOn(store, {}, LIST);

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
    expect(await write(...call)).toEqual(ok((await read(...argv)).stdout));
  }
});

test('an undo replies in the same way', async () => {
  await write('[]');
  expect(await write('--undo', '--output', 'list')).toEqual(await read());
  expect(store.get().items).toHaveLength(2);
});

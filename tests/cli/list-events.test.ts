import { expect, test } from 'vitest';
import { ListEvents } from '../../src/cli/list-events.ts';
import { TodoStore } from '../../src/todo/todo-store.ts';
import { NO_LISTS } from '../helpers/agent-shell.ts';
import { eventually } from '../helpers/eventually.ts';

// Of a host with its lists in files: jsonl-messages.test.ts.

test('a client that does not read gets only the latest list', async () => {
  const todos = new TodoStore();
  const versions: unknown[] = [];
  let read = () => {};
  const events = new ListEvents({ ...NO_LISTS, todos }, ({ version }) => {
    versions.push(version);
    return new Promise((resolve) => {
      read = resolve;
    });
  });
  events.follow('todos');
  for (const content of ['a', 'b', 'c']) {
    todos.update([{ content, activeForm: 'b', status: 'pending' }]);
  }
  expect(versions).toEqual([0]);
  read();
  await eventually('the next', () => versions.length > 1);
  expect(versions).toEqual([0, 3]);
});

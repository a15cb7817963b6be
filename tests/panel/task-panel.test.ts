import { expect, test } from 'vitest';
import { TaskPanel } from '../../src/panel/task-panel.ts';
import { type TodoItem, TodoStore } from '../../src/todo/todo-store.ts';
import { VirtualTerminal } from '../helpers/virtual-terminal.ts';

const LIST: TodoItem[] = [
  { content: 'Analyze requirements', activeForm: 'Analyzing requirements', status: 'completed' },
  { content: 'Write code', activeForm: 'Writing implementation', status: 'in_progress' },
  { content: 'Run tests', activeForm: 'Running tests', status: 'pending' },
];

test('a change of the list draws the panel below the cursor', async () => {
  const stream = new VirtualTerminal();
  const store = new TodoStore();
  const panel = new TaskPanel({ store, stream, env: {} });
  stream.write('$ ');
  store.update(LIST);
  expect(await stream.screen()).toEqual([
    '$',
    '┌─ Tasks ──────────────────────────────────────────── 1/3 ─┐',
    '│ ✓ Analyze requirements                                   │',
    '│ ● Writing implementation...                              │',
    '│ ○ Run tests                                              │',
    '└──────────────────────────────────────────────────────────┘',
  ]);
  expect(await stream.cursor()).toEqual({ x: 2, y: 0 });
  panel.dispose();
});

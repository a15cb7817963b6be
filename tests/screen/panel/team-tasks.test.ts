import { expect, test } from 'vitest';
import { MemoryPlace } from '../../../src/lists/place.ts';
import { TaskPanel } from '../../../src/screen/panel/task-panel.ts';
import type { TaskGraph } from '../../../src/tasks/task.ts';
import { TaskStore, taskView } from '../../../src/tasks/task-store.ts';
import { TodoStore } from '../../../src/todo/todo-store.ts';
import { VirtualTerminal } from '../../helpers/virtual-terminal.ts';
import { claimed, completed, graphOf } from '../../tasks/tasks.ts';
import { plan } from './todos.ts';

interface Shown {
  terminal: VirtualTerminal;
  todos: TodoStore;
  show(graph: TaskGraph): Promise<string[]>;
}

function shown(columns = 80, rows = 24, env = {}, mode: 'auto' | 'plain' = 'auto'): Shown {
  const terminal = new VirtualTerminal(columns, rows);
  const todos = new TodoStore();
  const place = new MemoryPlace<TaskGraph>();
  const tasks = taskView(new TaskStore(place));
  // Draws each change at once.
  const clock = { now: () => 0, after: () => () => {} };
  const panel = new TaskPanel({ store: todos, tasks, stream: terminal, env, mode, clock });
  const show = async (graph: TaskGraph) => {
    place.commit(place.load()?.version ?? 0, graph, new Date());
    panel.commandStarted();
    return (await terminal.screen()).filter((row) => row !== '');
  };
  return { terminal, todos, show };
}

const WORK = graphOf(
  'Find out why login fails',
  { subject: 'Fix login', activeForm: 'Fixing login' },
  'Write docs',
  { subject: 'Test it', blockedBy: [2, 3] },
  'Tidy up',
);
const TEAM = claimed(claimed(completed(WORK, 1), 2, 'agent-1'), 3, 'agent-2');

test('the tasks of a team with owners, blockers and ready ones', async () => {
  expect(await shown(60).show(TEAM)).toEqual([
    '┌─ Team tasks ────────────────────────────────────── 1/5 ─┐',
    '│ ✓ #1 Find out why login fails                           │',
    '│ ● #2 Fixing login...                            agent-1 │',
    '│ ● #3 Write docs...                              agent-2 │',
    '│ ○ #4 Test it                          blocked by #2, #3 │',
    '│ ○ #5 Tidy up                                            │',
    '└─────────────────────────────────────────────────────────┘',
  ]);
});

test('a list of todos and one of tasks are two boxes, and share the rows', async () => {
  const { todos, show } = shown();
  todos.update(plan(9, 0));
  const rows = await show(graphOf(...Array.from({ length: 9 }, (_, index) => `Task ${index + 1}`)));
  expect(rows.filter((row) => row.startsWith('┌')).map((row) => row.slice(0, 14))).toEqual([
    '┌─ Tasks ─────',
    '┌─ Team tasks ',
  ]);
  expect(rows.length).toBeLessThanOrEqual(12);
  expect(rows.filter((row) => row.includes('… '))).toHaveLength(2);
});

test('tasks without room are counted: completed ones first, then pending ones from the end', async () => {
  let graph = graphOf(...Array.from({ length: 12 }, (_, index) => `Task ${index + 1}`));
  for (const id of [1, 2, 3]) graph = completed(graph, id);
  const rows = await shown(80, 16).show(claimed(graph, 12, 'agent-1'));
  expect(rows.slice(1, -1).map((row) => row.slice(2, -1).replace(/ +/g, ' ').trim())).toEqual([
    '○ #4 Task 4',
    '○ #5 Task 5',
    '○ #6 Task 6',
    '○ #7 Task 7',
    '● #12 Task 12... agent-1',
    '… 3 completed, 4 pending',
  ]);
});

test('a list whose tasks are all completed is one line, one without tasks none', async () => {
  const { show } = shown();
  expect(await show(graphOf())).toEqual([]);
  await show(TEAM);
  expect(await show(completed(graphOf('Fix login'), 1))).toEqual(['✓ 1 task completed']);
  expect(await show(graphOf())).toEqual([]);
});

test('a pending task that waits is dim, one that is ready is not', async () => {
  const { terminal, show } = shown(80, 24, { FORCE_COLOR: '1' });
  await show(graphOf('First', { subject: 'Second', blockedBy: [1] }));
  const rows = await terminal.screen();
  const dim = (text: string) => {
    const y = rows.findIndex((row) => row.includes(text));
    return (terminal.cell(4, y)?.isDim() ?? 0) > 0;
  };
  expect({ ready: dim('First'), waiting: dim('Second') }).toEqual({ ready: false, waiting: true });
});

test('at any width no row is wider than the screen, and a task reaches the terminal only as text', async () => {
  const hostile = '\x1b[2J\x1b]0;owned\x07\u202eevil\nsecond row';
  const long = `${hostile} \u{1f468}\u200d\u{1f469}\u200d\u{1f467} 漢字 page `.repeat(4);
  for (const columns of [2, 10, 30, 61, 200]) {
    const { terminal, show } = shown(columns, 24);
    await show(claimed(graphOf(long, { subject: long, blockedBy: [1] }), 1, hostile.repeat(3)));
    await terminal.resize(columns, 20);
    expect((await terminal.screen()).length).toBeLessThanOrEqual(13);
    expect((await terminal.linesToCursor()).join('')).toBe('');
    expect(terminal.writes.join('')).not.toMatch(/\x1b\[2J|\x1b\]0|\u202e/);
  }
});

test('in plain words: one line a change', async () => {
  const { show } = shown(200, 24, {}, 'plain');
  await show(graphOf('Fix login', 'Write docs'));
  const rows = await show(claimed(graphOf('Fix login', 'Write docs'), 1, 'agent-1'));
  expect(rows.map((row) => row.trim())).toEqual([
    'Team tasks 0/2: added: #1 Fix login; added: #2 Write docs',
    'Team tasks 0/2: in progress: #1 Fix login (agent-1)',
  ]);
});

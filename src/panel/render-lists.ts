import type { TaskRow } from '../tasks/task-store.ts';
import type { TodoState } from '../todo/todo-version.ts';
import { MAX_ROWS, type RenderOptions } from './render-list.ts';
import { renderTasks } from './render-tasks.ts';
import { renderDone, renderTodos } from './render-todos.ts';

/** Another agent's name and list. */
export interface NamedList {
  readonly name: string;
  readonly todos: TodoState;
}

/** Twice a frame with one row: a list takes at most half of the rows it is given. */
const LEAST_ROWS = 6;

/**
 * The lines for a todo list, those of other agents, and a team's tasks, each in its own box. Each leaves room for those below
 * it; other agents' lists that do not fit are left out.
 *
 * @param isFolded whether to fold a completed todo list to one line.
 */
export function renderLists(
  todos: TodoState,
  others: readonly NamedList[],
  tasks: readonly TaskRow[],
  options: RenderOptions,
  isFolded = false,
): string[] {
  const { rows = 2 * MAX_ROWS } = options;
  const busy = others.filter((other) => other.todos.items.length > 0);
  const render = isFolded ? renderDone : renderTodos;
  const isAlone = tasks.length + busy.length === 0;
  const lines = render(todos, { ...options, rows: isAlone ? rows : Math.ceil(rows / 2) });
  const room = () => rows - 2 * lines.length;
  for (const [at, other] of busy.entries()) {
    const boxesLeft = busy.length - at + (tasks.length > 0 ? 1 : 0);
    const share = Math.max(LEAST_ROWS, Math.floor(room() / boxesLeft));
    if (share > room()) break;
    const { elapsedMs: _, ...shown } = options;
    lines.push(...renderTodos(other.todos, { ...shown, title: other.name, rows: share }));
  }
  return [...lines, ...renderTasks(tasks, { ...options, rows: room() })];
}

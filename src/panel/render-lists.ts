import type { TaskRow } from '../tasks/task-view.ts';
import type { TodoState } from '../todo/todo-store.ts';
import { MAX_ROWS, type RenderOptions } from './render-list.ts';
import { renderTasks } from './render-tasks.ts';
import { renderDone, renderTodos } from './render-todos.ts';

/**
 * The lines for a list of todos and for a team's tasks, a box each where there are any. If there are both, the
 * first leaves room for the second.
 *
 * @param isFolded whether a list of todos that are all completed is one line.
 */
export function renderLists(
  todos: TodoState,
  tasks: readonly TaskRow[],
  options: RenderOptions,
  isFolded = false,
): string[] {
  const { rows = 2 * MAX_ROWS } = options;
  const render = isFolded ? renderDone : renderTodos;
  // Each takes at most half of the rows it is given.
  const above = render(todos, { ...options, rows: tasks.length > 0 ? Math.ceil(rows / 2) : rows });
  return [...above, ...renderTasks(tasks, { ...options, rows: rows - 2 * above.length })];
}

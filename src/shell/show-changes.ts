import type { PanelMode } from '../panel/task-panel.ts';
import type { TaskSource } from '../tasks/task-rows.ts';
import { isTerminal } from '../terminal/synchronous-io.ts';
import type { TodoStore } from '../todo/todo-store.ts';

/** The lists of a shell, for who looks on. */
export interface ShownLists {
  readonly store: TodoStore;
  readonly tasks: TaskSource;
}

/**
 * Shows the lists beside a bash that writes to the same terminal itself: `plain` reports each change as it comes, a
 * panel is shown once, when bash has ended, of the lists that have changed.
 *
 * @returns what to call when bash has ended.
 */
export async function showChanges(
  { store, tasks }: ShownLists,
  mode: PanelMode,
): Promise<() => void> {
  const canDraw = process.env.TERM !== 'dumb' && isTerminal(1);
  if (mode === 'never' || (mode === 'auto' && !canDraw)) return () => {};
  const { stdout, env } = process;
  if (mode === 'plain') {
    const { TaskPanel } = await import('../panel/task-panel.ts');
    const panel = new TaskPanel({ store, tasks, stream: stdout, env, mode });
    return () => panel.dispose();
  }
  const { renderLists } = await import('../panel/render-lists.ts');
  const { themeFor } = await import('../panel/theme.ts');
  const before = store.get();
  const tasksBefore = tasks.rows();
  return () => {
    // A terminal that does not know its size says 0.
    const columns = stdout.columns || 80;
    const rows = stdout.rows || 24;
    const theme = themeFor(stdout, env);
    const now = store.get();
    const todos = now === before ? { ...now, items: [] } : now;
    const changedTasks = tasks.rows() === tasksBefore ? [] : tasks.rows();
    const lines = renderLists(todos, changedTasks, { columns, rows, theme });
    stdout.write(lines.map((line) => `${line}\n`).join(''));
  };
}

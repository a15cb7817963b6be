import type { PanelMode } from '../panel/task-panel.ts';
import type { TodoStore } from '../todo/todo-store.ts';

/**
 * Shows the list beside a bash that writes to the same terminal itself: `plain` reports each change as it comes, a
 * panel is shown once, when bash has ended, if the list has changed.
 *
 * @returns what to call when bash has ended.
 */
export async function showChanges(store: TodoStore, mode: PanelMode): Promise<() => void> {
  const { stdout, env } = process;
  const canDraw = stdout.isTTY && env.TERM !== 'dumb';
  if (mode === 'never' || (mode === 'auto' && !canDraw)) return () => {};
  if (mode === 'plain') {
    const { TaskPanel } = await import('../panel/task-panel.ts');
    const panel = new TaskPanel({ store, stream: stdout, env, mode });
    return () => panel.dispose();
  }
  const { renderTodos } = await import('../panel/render-todos.ts');
  const { themeFor } = await import('../panel/theme.ts');
  const before = store.get();
  return () => {
    // A terminal that does not know its size says 0.
    const columns = stdout.columns || 80;
    const rows = stdout.rows || 24;
    const theme = themeFor(stdout, env);
    const lines = store.get() === before ? [] : renderTodos(store.get(), { columns, rows, theme });
    stdout.write(lines.map((line) => `${line}\n`).join(''));
  };
}

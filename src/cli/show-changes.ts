import type { PanelMode } from '../panel/task-panel.ts';
import type { TodoStore } from '../todo/todo-store.ts';

/**
 * Shows the list beside a bash that writes to the same terminal itself: `plain` reports each change as it comes, a
 * panel is shown once, when bash has ended, if the list has changed.
 *
 * @returns what to call when bash has ended.
 */
export async function showChanges(store: TodoStore, mode: PanelMode): Promise<() => void> {
  if (mode === 'never' || (mode === 'auto' && !process.stdout.isTTY)) return () => {};
  const { TaskPanel } = await import('../panel/task-panel.ts');
  const options = { store, stream: process.stdout, env: process.env, mode };
  if (mode === 'plain') {
    const panel = new TaskPanel(options);
    return () => panel.dispose();
  }
  const before = store.get();
  return () => {
    if (store.get() !== before) new TaskPanel(options).dispose();
  };
}

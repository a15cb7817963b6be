import { safeText } from '../safe-text.ts';
import type { TodoItem } from './todo-store.ts';

/** A task as one line for a model to read, its state first. */
export function itemLine({ status, content, activeForm }: Readonly<TodoItem>): string {
  switch (status) {
    case 'completed':
      return `[x] ${safeText(content)}`;
    case 'in_progress':
      return `[>] ${safeText(content)} <- ${safeText(activeForm)}`;
    case 'pending':
      return `[ ] ${safeText(content)}`;
  }
}

/** A list for a model to read. */
export function listText(items: readonly Readonly<TodoItem>[]): string {
  if (items.length === 0) return 'No todos.\n';
  const completed = items.filter((item) => item.status === 'completed').length;
  return `${items.map(itemLine).join('\n')}\n\n(${completed}/${items.length} completed)\n`;
}

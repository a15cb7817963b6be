import { timeAgo } from '../base/command/status.ts';
import { contentKey } from './pair-items.ts';
import type { TodoItem } from './todo-fields.ts';
import type { TodoList } from './todo-store.ts';
import type { LeftBehind, OtherList, TodoVersion } from './todo-version.ts';

/** The newest list with open items that no newer one has: those were taken over. @param others newest first. */
export function leftBehind(others: readonly OtherList[]): LeftBehind | undefined {
  const newer = new Set<string>();
  for (const { agent, list } of others) {
    const open = list.items.filter((item) => isOpen(item) && !newer.has(contentKey(item)));
    if (open.length > 0) return { agent, list, open };
    for (const item of list.items) newer.add(contentKey(item));
  }
  return undefined;
}

/** For an agent without a list: a harness may have given its conversation a new session. One line, or none. */
export async function leftBehindNotes(list: TodoList, { version }: TodoVersion): Promise<string[]> {
  const left = version === 0 ? await list.leftBehind?.() : undefined;
  if (left === undefined) return [];
  const { open, agent } = left;
  const items = open.length === 1 ? '1 open item' : `${open.length} open items`;
  const ago = timeAgo(Date.now() - +left.list.updatedAt).text;
  return [
    `another session here left ${items} ${ago}; to see them: TodoRead --agent ${agent}; if you continue its work: TodoWrite --adopt`,
  ];
}

export function isOpen({ status }: Readonly<TodoItem>): boolean {
  return status !== 'completed';
}

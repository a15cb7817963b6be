import type { CommandResult } from '../command/agent-command.ts';
import { refusal } from '../command/refusal.ts';
import type { ListSettings } from '../settings.ts';
import { type ListSteps, reviseList } from './revise-list.ts';
import type { TodoList } from './todo-list.ts';
import { validateTodoList } from './todo-schema.ts';
import type { TodoItem, TodoVersion } from './todo-store.ts';
import { notesOf, refuseForUser, sign, unheardChanges } from './user-changes.ts';
import { movedOn } from './version-texts.ts';

/** The list that was written, and what there is to note; or the refusal of a write that changed nothing. */
export type WriteOutcome =
  | { readonly written: TodoVersion; readonly notes?: readonly string[] }
  | { readonly refused: CommandResult };

/** Replaces the whole list; only where it is at the version `expected`, if that is given. */
export async function replace(
  list: TodoList,
  items: readonly TodoItem[],
  expected: number | undefined,
  settings: ListSettings,
): Promise<WriteOutcome> {
  const how = { emptied: isEmptied(items, settings) };
  if (expected !== undefined) {
    const written = await list.updateIf(expected, items, how);
    return written ? { written } : { refused: movedOn(await list.read(), expected) };
  }
  for (;;) {
    const { version } = await list.read();
    const unheard = await unheardChanges(list);
    if (unheard?.changes.some((change) => change.isUndoneBy(items))) {
      const told = await sign(list, unheard.now);
      if (told) return { refused: refuseForUser(UNDOES, unheard, told) };
      continue;
    }
    const written = await list.updateIf(unheard?.now.version ?? version, items, how);
    if (written) return { written, notes: unheard ? notesOf(unheard) : [] };
  }
}

/** Changes single items of the list as it now is, in one step; else as `replace` does. */
export async function revise(
  list: TodoList,
  steps: ListSteps,
  expected: number | undefined,
  settings: ListSettings,
): Promise<WriteOutcome> {
  for (;;) {
    const before = await list.read();
    if (expected !== undefined && before.version !== expected) {
      return { refused: movedOn(before, expected) };
    }
    // Who has not heard that the list is another one may name other items by their places than it means.
    const unheard = expected === undefined ? await unheardChanges(list) : undefined;
    if (unheard) {
      const told = await sign(list, unheard.now);
      if (told) return { refused: refuseForUser(CHANGED, unheard, told) };
      continue;
    }
    const revised = reviseList(before.items, steps);
    if ('problems' in revised) {
      return { refused: refusal('Cannot update the list', { lines: revised.problems }) };
    }
    const validation = validateTodoList({ todos: revised.items }, settings);
    if ('problems' in validation) {
      return { refused: refusal('Validation failed', validation.problems) };
    }
    const { items } = validation;
    const how = { emptied: isEmptied(items, settings), dropped: revised.dropped };
    const written = await list.updateIf(before.version, items, how);
    if (written) return { written };
  }
}

/** Brings the list before this one back. */
export async function undo(list: TodoList): Promise<WriteOutcome> {
  const unheard = await unheardChanges(list);
  const told = unheard && (await sign(list, unheard.now));
  if (told) return { refused: refuseForUser(UNDOES, unheard, told) };
  const written = await list.undo();
  return written
    ? { written }
    : { refused: refusal('Nothing to undo', { lines: ['no list before this one is kept'] }) };
}

const UNDOES = 'This would undo what the user changed';
const CHANGED = 'The user changed the list';

function isEmptied(items: readonly TodoItem[], { clearWhenDone }: ListSettings): boolean {
  return clearWhenDone && items.length > 0 && items.every(({ status }) => status === 'completed');
}

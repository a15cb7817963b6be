import type { CommandResult } from '../base/command/agent-command.ts';
import { refusal } from '../base/command/replies.ts';
import type { ListSettings } from '../base/settings/settings.ts';
import { movedOn } from './list-text.ts';
import { type ProofRules, proveItems } from './prove-items.ts';
import { type ListSteps, type RevisedList, reviseList } from './revise-list.ts';
import type { TodoItem } from './todo-fields.ts';
import { validateTodoList } from './todo-schema.ts';
import type { TodoList } from './todo-store.ts';
import type { TodoVersion } from './todo-version.ts';
import { notesOf, refuseForUser, sign, unheardChanges } from './user-changes.ts';

/** The written list with the version that it replaced, and notes; or the refusal of a write that changed nothing. */
export type WriteOutcome =
  | {
      readonly written: TodoVersion;
      readonly replaced: TodoVersion;
      readonly notes: readonly string[];
    }
  | { readonly refused: CommandResult };

export type Wanted =
  | { readonly items: readonly TodoItem[]; readonly dropped?: undefined }
  | { readonly steps: ListSteps };

/** Writes a list as one version, only if it is at the version `expected`, if given. */
export async function write(
  list: TodoList,
  wanted: Wanted,
  expected: number | undefined,
  settings: ListSettings,
  rules: ProofRules,
): Promise<WriteOutcome> {
  const isWhole = 'items' in wanted;
  for (;;) {
    const before = await (isWhole ? list.readToReplace() : list.read());
    if (expected !== undefined && before.version !== expected) {
      return { refused: movedOn(before, expected) };
    }
    const unheard = expected === undefined ? await unheardChanges(list, before) : undefined;
    // An agent unaware of changes may mean other items by their places.
    const title = isWhole ? UNDOES : CHANGED;
    if (unheard && (!isWhole || unheard.changes.some((each) => each.isUndoneBy(wanted.items)))) {
      const told = await sign(list, unheard.now);
      if (told) return { refused: refuseForUser(title, unheard, told) };
      continue;
    }
    const now = unheard?.now ?? before;
    const planned = isWhole ? wanted : afterSteps(now, wanted.steps, settings);
    if ('refused' in planned) return planned;
    const emptied = isEmptied(planned.items, settings);
    const proven = proveItems(now, planned.items, rules, emptied);
    if ('refused' in proven) return proven;
    const how = { emptied, dropped: planned.dropped };
    const written = await list.updateIf(now.version, proven.items, how);
    const notes = [
      ...[before.damage ?? []].flat(),
      ...(unheard ? notesOf(unheard) : []),
      ...proven.notes,
    ];
    if (written) return { written, replaced: now, notes };
  }
}

function afterSteps(
  { items }: TodoVersion,
  steps: ListSteps,
  settings: ListSettings,
): RevisedList | { readonly refused: CommandResult } {
  const revised = reviseList(items, steps);
  if ('problems' in revised) {
    return { refused: refusal('Cannot update the list', { lines: revised.problems }) };
  }
  const given = revised.items.map(({ proof: _, ...item }) => item);
  const validation = validateTodoList({ todos: given }, settings);
  if ('problems' in validation) {
    return { refused: refusal('Validation failed', validation.problems) };
  }
  return { items: validation.items, dropped: revised.dropped };
}

export async function undo(list: TodoList): Promise<WriteOutcome> {
  const before = await list.read();
  const unheard = await unheardChanges(list, before);
  const told = unheard && (await sign(list, unheard.now));
  if (told) return { refused: refuseForUser(UNDOES, unheard, told) };
  const written = await list.undo();
  if (!written) {
    return { refused: refusal('Nothing to undo', { lines: ['no earlier version is kept'] }) };
  }
  return { written, replaced: before, notes: [written.instead ?? []].flat() };
}

const UNDOES = 'This would undo what the user changed';
const CHANGED = 'The user changed the list';

function isEmptied(items: readonly TodoItem[], { clearWhenDone }: ListSettings): boolean {
  return clearWhenDone && items.length > 0 && items.every(({ status }) => status === 'completed');
}

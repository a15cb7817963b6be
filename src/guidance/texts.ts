import { MARKS } from '../base/command/status.ts';
import { counted, firstOf, quotedText, reasonOf, safeText } from '../base/safe-text.ts';
import type { Task } from '../tasks/task.ts';
import type { Item, Items } from '../todo/todo-fields.ts';

const MAX_ITEM_CHARACTERS = 50;
const MAX_COMMAND_IN_NOTE = 60;
const MAX_ITEMS_NAMED = 3;
const MAX_ITEMS_LISTED = 5;

/** A command that failed, of whose kind none has succeeded since. */
export interface FailedVerification {
  readonly kind: string;
  readonly line: string;
  readonly exitCode: number | undefined;
}

/** The texts of guidance, each of one or more lines; `Note: ` is added later. Quotes from items and commands are cut short here. */
export const TEXTS = {
  droppedItems: (items: Items): string =>
    `${unfinished(items.length)} no longer on the list: ${namedItems(items)}. By mistake: TodoWrite --undo; on purpose, next time: --drop N.`,

  unverified: (items: Items): string =>
    `all ${items.length} items are completed and none of them was a check. Verify the work before you report success.`,

  skippedItems: (items: Items): string =>
    `${items.length} items were completed without ever being in_progress: ${namedItems(items)}. Mark an item in_progress before you begin it.`,

  failedVerifications: (failed: readonly FailedVerification[]): string[] =>
    failed.map(
      ({ kind, line, exitCode }) =>
        `the last ${kind} command exited with ${exitCode} and none has succeeded since: ${safeText(line, MAX_COMMAND_IN_NOTE)}`,
    ),

  nothingInProgress: (open: Items): string =>
    `${open.length === 1 ? '1 item is' : `${open.length} items are`} open and none is in_progress. Mark the one you are working on.`,

  /** Shorter each time for the same list. */
  staleList: ({ open, commands }: { open: Items; commands: number }, given: number): string[] => {
    const start = `${counted(commands, 'command')} since the last TodoWrite; ${counted(open.length, 'item')} unfinished`;
    if (given > 1) return [`${start}.`];
    if (given === 1) return [`${start}: ${namedItems(open)}`];
    return [`${start}. Update the list if it is out of date:`, ...firstLines(open.map(listed))];
  },

  noList: ({ commands, changes }: { commands: number; changes: number }): string =>
    `${commands} commands without a task list, ${changes} of them changes. If steps remain, plan them with TodoWrite.`,

  brokenRule: (name: string, error: unknown): string =>
    `the guidance rule ${name} failed: ${reasonOf(error)}`,

  staleTasks: ({ tasks, commands }: { tasks: readonly Task[]; commands: number }): string[] => [
    `nothing has changed in your tasks for ${commands} commands. Complete what is done, release what you gave up:`,
    ...firstLines(
      tasks.map(({ id, subject }) => `#${id} ${safeText(subject, MAX_ITEM_CHARACTERS)}`),
    ),
  ],
};

/** An item's content, in quotes and cut short, also for the rules of a host. */
export function quoted({ content }: Item): string {
  return quotedText(content, MAX_ITEM_CHARACTERS);
}

function namedItems(items: Items): string {
  return firstOf(items, MAX_ITEMS_NAMED, quoted);
}

function firstLines(lines: readonly string[]): string[] {
  const shown = lines.slice(0, MAX_ITEMS_LISTED);
  const hidden = lines.length - shown.length;
  const last = hidden > 0 ? ` ... and ${hidden} more` : '';
  return shown.map((line, index) => (index === shown.length - 1 ? line + last : line));
}

function listed(item: Item): string {
  return `${MARKS[item.status]} ${safeText(item.content, MAX_ITEM_CHARACTERS)}`;
}

function unfinished(count: number): string {
  return count === 1 ? '1 unfinished item is' : `${count} unfinished items are`;
}

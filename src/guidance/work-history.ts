import type { CommandType } from '../base/command/agent-command.ts';
import { pairRenamed } from '../todo/pair-items.ts';
import type { Items } from '../todo/todo-fields.ts';
import type { ItemChange, RoutedCommand, TaskWork, Work } from './rule.ts';

const MAX_COMMANDS = 500;
/** Longer lines are cut to one character more, and rules do not read them. */
export const MAX_LINE_LENGTH = 20_000;

/** Records changes of the list, and lines, for rules. */
export class WorkHistory implements Work {
  readonly tasks: TaskWork | undefined;
  readonly #reminderTurns: () => number;
  items: Items = [];
  changes: readonly ItemChange[] = [];
  dropped: Items = [];
  readonly commands: RoutedCommand[] = [];
  commandsSinceWrite = 0;
  hasList = false;
  isSubagent = false;
  /** The items that were ever in progress. */
  #begun = new Set<Items[number]>();
  #isRunning = false;
  #wroteInCommand = false;

  /** @param options functions are called only if a rule needs the value. */
  constructor(options: {
    reminderTurns: () => number;
    tasks: TaskWork | undefined;
  }) {
    this.tasks = options.tasks;
    this.#reminderTurns = options.reminderTurns;
  }

  listFound(items: Items): void {
    this.hasList = items.length > 0;
    this.items = items;
    this.#begun = new Set(items.filter(({ status }) => status !== 'pending'));
  }

  /** @param dropped left out on purpose. */
  listWritten(items: Items, dropped: Items = []): void {
    this.hasList = true;
    this.dropped = dropped;
    const begun = new Set<Items[number]>();
    this.changes = pairRenamed(this.items, items).map(({ before, after }) => {
      const hasBegun =
        after?.status === 'in_progress' || (before !== undefined && this.#begun.has(before));
      if (hasBegun && after) begun.add(after);
      return { before, after, hasBegun };
    });
    this.#begun = begun;
    this.items = items;
    this.commandsSinceWrite = 0;
    this.#wroteInCommand = this.#isRunning;
  }

  commandStarted(line: string, type: CommandType): void {
    this.#isRunning = true;
    this.#wroteInCommand = false;
    const kept = line.slice(0, MAX_LINE_LENGTH + 1);
    this.commands.push({ line: kept, type, exitCode: undefined });
    if (this.commands.length > MAX_COMMANDS) this.commands.shift();
  }

  commandEnded(exitCode: number | undefined): void {
    const command = this.commands.pop();
    if (command) this.commands.push({ ...command, exitCode });
    this.#isRunning = false;
    this.commandsSinceWrite = this.#wroteInCommand ? 0 : this.commandsSinceWrite + 1;
  }

  get reminderTurns(): number {
    return this.#reminderTurns();
  }
}

import type { CommandType } from '../base/command/agent-command.ts';
import type { Task } from '../tasks/task.ts';
import { pairRenamed } from '../todo/pair-items.ts';
import type { Item, Items } from '../todo/todo-fields.ts';

/** If the list changed during a line, and the line matches this, the line wrote it. */
export const WRITES_LIST = /\bTodoWrite\b/;

/** A line that the router ran. */
export interface RoutedCommand {
  readonly line: string;
  readonly type: CommandType;
  /** Undefined while the line runs. */
  readonly exitCode: number | undefined;
}

/** The last replacement's effect on one item. */
export interface ItemChange {
  /** Undefined for a new item. */
  readonly before: Item | undefined;
  /** Undefined for a removed item. */
  readonly after: Item | undefined;
  /** True if it was ever seen in progress. */
  readonly hasBegun: boolean;
}

/** A team's tasks, for a rule. */
export interface TaskWork {
  /** The agent's tasks in progress. */
  readonly mine: readonly Task[];
  /** How many lines have run since the agent's tasks last changed. */
  readonly commandsSinceChange: number;
}

/** The information for rules. */
export interface Work {
  /** The current list. */
  readonly items: Items;
  /** The last replacement's effect on each item of the list before and after it. */
  readonly changes: readonly ItemChange[];
  /** How many lines have run since one wrote the list. */
  readonly commandsSinceWrite: number;
  /** The latest lines, oldest first; at most 500. */
  readonly commands: readonly RoutedCommand[];
  /** True once a line has failed, even if `commands` no longer has it: without one, no verification can have failed. */
  readonly hasFailed: boolean;
  /** The setting TODO_REMINDER_TURNS. */
  readonly reminderTurns: number;
  /** True once a list was seen. */
  readonly hasList: boolean;
  /** The items that the last replacement left out on purpose, by `--drop`. */
  readonly dropped: Items;
  readonly isSubagent: boolean;
  /** The tasks of a team; undefined if the guide was given none. */
  readonly tasks: TaskWork | undefined;
}

const MAX_COMMANDS = 500;
/** A longer line keeps one character more, so that rules do not read it as a whole one. */
export const MAX_LINE_LENGTH = 20_000;

/** Records changes of the list, and lines, for rules. */
export class WorkHistory implements Work {
  readonly tasks: TaskWork | undefined;
  readonly #reminderTurns: () => number;
  items: Items = [];
  changes: readonly ItemChange[] = [];
  dropped: Items = [];
  readonly commands: RoutedCommand[] = [];
  hasFailed = false;
  commandsSinceWrite = 0;
  hasList = false;
  isSubagent = false;
  /** The items that were ever in progress. */
  #begun = new Set<Item>();
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
    const begun = new Set<Item>();
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
    if (command) this.commands.push({ line: command.line, type: command.type, exitCode });
    this.hasFailed ||= Boolean(exitCode);
    this.#isRunning = false;
    this.commandsSinceWrite = this.#wroteInCommand ? 0 : this.commandsSinceWrite + 1;
  }

  get reminderTurns(): number {
    return this.#reminderTurns();
  }
}

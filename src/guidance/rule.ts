import type { CommandType } from '../base/command/agent-command.ts';
import type { Task } from '../tasks/task.ts';
import type { Items, TodoItem } from '../todo/todo-fields.ts';

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
  readonly before: Readonly<TodoItem> | undefined;
  /** Undefined for a removed item. */
  readonly after: Readonly<TodoItem> | undefined;
  /** True if it was ever seen in progress. */
  readonly hasBegun: boolean;
}

/** A team's tasks, for a rule. */
export interface TaskWork {
  /** The agent's tasks in progress. */
  readonly mine: readonly Task[];
  /** The lines since these last changed. */
  readonly commandsSinceChange: number;
}

/** The information for rules. */
export interface Work {
  /** The current list. */
  readonly items: Items;
  /** The last replacement's effect on each item of the list before and after it. */
  readonly changes: readonly ItemChange[];
  /** The lines after the one that wrote the list. */
  readonly commandsSinceWrite: number;
  /** The latest lines, oldest first; at most 500. */
  readonly commands: readonly RoutedCommand[];
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

/**
 * A rule of guidance.
 *
 * A `note` is evaluated after each change of the list; its text goes to the stderr of the command that made the change.
 * A `reminder` is evaluated after each line that the router ran, and is given `times` times per state of the list.
 */
export interface GuidanceRule {
  /** Short and unique, such as `dropped-items`. */
  readonly name: string;
  readonly kind: 'note' | 'reminder';
  /** The subject of a reminder; the todo list unless given. Notes are always about the list. */
  readonly about?: 'list' | 'tasks';
  /** Once unless given. */
  readonly times?: number;
  /**
   * Returns the lines to say, without `Note: `, or undefined. When in doubt, say nothing.
   *
   * @param given how often the reminder was given for this state of the list.
   */
  readonly say: (work: Work, given: number) => readonly string[] | string | undefined;
}

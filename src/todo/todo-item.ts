import type { Priority, Status } from '../command/status.ts';
import type { Proof } from '../proof/proof.ts';

/** How far a task is: not begun, being worked on now, fully done. */
export type TodoStatus = Status;
/** How important a task is, if its list says so. */
export type TodoPriority = Priority;

/** One task of the list. */
export interface TodoItem {
  /** What to do: "Run tests". */
  content: string;
  /** The same while doing it: "Running tests". */
  activeForm: string;
  status: TodoStatus;
  /** A name by which the writer of the list knows the task. */
  id?: string;
  /** What is next is the first pending item of the highest; an item without one counts as `medium`. */
  priority?: TodoPriority;
  /** A command that exits with 0 once the item is done. */
  check?: string;
  /** What was seen of the check of a completed item. TodoWrite determines this itself and never accepts it as input. */
  proof?: Proof;
}

/** The items of a list, in their order. */
export type Items = readonly Readonly<TodoItem>[];

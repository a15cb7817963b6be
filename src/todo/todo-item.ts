import type { Proof } from '../proof/proof.ts';

/** How far a task is: not begun, being worked on now, fully done. */
export type TodoStatus = 'pending' | 'in_progress' | 'completed';
/** How important a task is, if its list says so. */
export type TodoPriority = 'high' | 'medium' | 'low';

/** One task of the list. */
export interface TodoItem {
  /** What to do: "Run tests". */
  content: string;
  /** The same while doing it: "Running tests". */
  activeForm: string;
  status: TodoStatus;
  /** A name by which the writer of the list knows the task. */
  id?: string;
  /** Items that carry one are sorted by it in the panel. */
  priority?: TodoPriority;
  /** A command that exits with 0 once the item is done. */
  check?: string;
  /** What was seen of the check of a completed item. TodoWrite determines this itself and never accepts it as input. */
  proof?: Proof;
}

/** The items of a list, in their order. */
export type Items = readonly Readonly<TodoItem>[];

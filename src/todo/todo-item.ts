import type { Priority, Status } from '../command/status.ts';
import type { ValuesOf } from '../json/fields.ts';
import type { Proof } from '../proof/proof.ts';
import type { TODO_FIELDS } from './todo-fields.ts';

/** How far a task is: not begun, being worked on now, fully done. */
export type TodoStatus = Status;
/** How important a task is, if its list says so. */
export type TodoPriority = Priority;

/** One task of the list: the fields that TodoWrite takes, and what it finds itself. */
export interface TodoItem extends ValuesOf<typeof TODO_FIELDS> {
  /** What was seen of the check of a completed item. TodoWrite determines this itself and never accepts it as input. */
  proof?: Proof;
}

/** The items of a list, in their order. */
export type Items = readonly Readonly<TodoItem>[];

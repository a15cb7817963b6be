import { PRIORITIES, type Priority, STATUSES, type Status } from '../base/command/status.ts';
import { type Fields, oneOf, shellCommand, shortText, type ValuesOf } from '../base/json/fields.ts';
import type { Proof } from '../base/proof/proof.ts';

/**
 * The fields of an item that TodoWrite accepts. From each row follow the type, the schema, the JSON Schema, the form of
 * stored lists, what a model is shown, and the alternative spellings.
 */
export const TODO_FIELDS = {
  /** The task: "Run tests". */
  content: {
    kind: shortText,
    isRequired: true,
    hint: 'What is to be done: "Run tests"',
    others: /^(?:task|title|name|text|subject|todo|description|step|item)$/i,
  },
  /** The task while it is being done: "Running tests". */
  activeForm: {
    kind: shortText,
    isRequired: true,
    hint: 'The same while it is being done: "Running tests"',
    others: /^(?:active|form|doing|present|gerund|active_?(?:text|content|name))$/i,
  },
  status: {
    kind: oneOf(STATUSES),
    isRequired: true,
    hint: 'At most one item is in_progress',
    others: /^(?:state|done|completed?|progress)$/i,
  },
  /** A name that the list's writer gives it. */
  id: { kind: shortText },
  /** The first pending item of the highest priority is next; an item without one counts as `medium`. */
  priority: { kind: oneOf(PRIORITIES), others: /^(?:prio|importance|urgency)$/i },
  /** A command that exits with 0 once the item is done. */
  check: {
    kind: shellCommand,
    hint: 'A command that exits with 0 once it is done: "npm test"',
    others: /^(?:checks|verify|verification|validation|test|tests|command|cmd|prove)$/i,
  },
} as const satisfies Fields;

/** How far a task is: not begun, being worked on now, fully done. */
export type TodoStatus = Status;
/** How important a task is, if its list says so. */
export type TodoPriority = Priority;

/** One task of the list: the fields that TodoWrite accepts, and those it adds. */
export interface TodoItem extends ValuesOf<typeof TODO_FIELDS> {
  /** The proof of a completed item, never accepted as input. */
  proof?: Proof;
}

export type Item = Readonly<TodoItem>;
export type Items = readonly Item[];

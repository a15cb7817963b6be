import { PRIORITIES, STATUSES } from '../command/status.ts';
import { type Fields, oneOf, type StoredField, shortText } from '../json/fields.ts';
import { isProof } from '../proof/proof.ts';

/**
 * The fields of an item that TodoWrite takes, a row each: from it follow the schema, the JSON Schema, what a stored list
 * is checked against, and the other spellings and names that are understood.
 */
export const TODO_FIELDS = {
  content: {
    kind: shortText,
    isRequired: true,
    hint: 'What is to be done: "Run tests"',
    others: /^(?:task|title|name|text|subject|todo|description|step|item)$/i,
  },
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
  id: { kind: shortText },
  priority: { kind: oneOf(PRIORITIES), others: /^(?:prio|importance|urgency)$/i },
  check: {
    kind: shortText,
    hint: 'A command that proves it by ending with 0: "npm test"',
    others: /^(?:checks|verify|verification|validation|test|tests|command|cmd|prove)$/i,
  },
} as const satisfies Fields;

/** What a stored item may have beside these: TodoWrite finds it itself. */
export const STORED_FIELDS: Readonly<Record<string, StoredField>> = {
  ...TODO_FIELDS,
  proof: {
    kind: {
      ...shortText,
      isStored: isProof,
      wrong: () => 'has an invalid proof',
    },
  },
};

import { describeProblem } from '../json/describe-problem.ts';
import type { JsonProblem } from '../json/json-problem.ts';
import { readJson } from '../json/json-reader.ts';
import { isObject, SHAPE_REPAIRS } from './shape-repairs.ts';

export type TodoInput =
  | {
      /** For the schema to judge; `{"todos":[...]}` where there is any certain way to read it so. */
      readonly value: unknown;
      /** What was forgiven, a line each. */
      readonly notes: readonly string[];
    }
  | {
      /** One line that says where the text stops being JSON, and why. */
      readonly problem: string;
      readonly kind: JsonProblem['kind'];
    };

/**
 * Reads what a model wrote as its list, forgiving the slips whose meaning is certain.
 * The text is read whole or not at all, and text that is right already is never changed. Never throws.
 */
export function readTodoInput(text: string): TodoInput {
  const reading = readJson(text);
  if ('problem' in reading) {
    return { problem: describeProblem(text, reading.problem), kind: reading.problem.kind };
  }
  const notes = [...reading.notes];
  let { value } = reading;
  for (const { mend, note } of SHAPE_REPAIRS) {
    const before = value;
    value = mend(before);
    if (value !== before) notes.push(note);
  }
  return isObject(value) && typeof value.todos === 'string'
    ? readTodosInString(value, value.todos, notes)
    : { value, notes };
}

/** `{"todos":"[...]"}`: some harnesses turn an array into a string on its way. */
function readTodosInString(
  value: Record<string, unknown>,
  text: string,
  notes: readonly string[],
): TodoInput {
  const reading = readJson(text);
  if ('problem' in reading) {
    // Text that is no array at all is a wrong type, which the schema names better.
    if (!text.includes('[')) return { value, notes };
    const problem = `in the string "todos": ${describeProblem(text, reading.problem)}`;
    return { problem, kind: reading.problem.kind };
  }
  if (!Array.isArray(reading.value)) return { value, notes };
  return {
    value: { ...value, todos: reading.value },
    notes: [...notes, 'read the string in "todos" as the array that it holds', ...reading.notes],
  };
}

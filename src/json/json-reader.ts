import { characterCount, safeText } from '../safe-text.ts';
import { findJsonProblem, type JsonProblem } from './json-problem.ts';
import { FRAME_REPAIRS, type JsonRepair, TEXT_REPAIRS } from './json-repairs.ts';

export type JsonReading =
  | {
      readonly value: unknown;
      /** What was fixed to read it, one line each. */
      readonly notes: readonly string[];
    }
  | { readonly problem: JsonProblem };

/**
 * Reads a JSON text, forgiving the slips of json-repairs.ts where the text is not JSON as it is.
 *
 * A text is read as a whole or not at all. A duplicate property is a problem, since it is not certain which one was
 * meant. Never throws, and takes time linear in the length of the text.
 */
export function readJson(text: string): JsonReading {
  const asItStands = parse(text);
  if (asItStands !== undefined) return unlessRepeated(text, asItStands.value, []);

  const notes: string[] = [];
  const framed = mendAll(FRAME_REPAIRS, text, notes);
  const mended = parse(mendAll(TEXT_REPAIRS, framed, notes));
  if (mended !== undefined) return unlessRepeated(framed, mended.value, notes);
  return { problem: findJsonProblem(framed) ?? NOT_JSON };
}

const NOT_JSON: JsonProblem = { offset: 0, message: 'this is not JSON', kind: 'other' };

function parse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function mendAll(repairs: readonly JsonRepair[], text: string, notes: string[]): string {
  let mended = text;
  for (const { sign, mend, note } of repairs) {
    if (!sign.test(mended)) continue;
    const before = mended;
    mended = mend(before);
    if (mended !== before) notes.push(note);
  }
  return mended;
}

/** JSON.parse drops the first of two equal keys; then the text names more properties than the value has. */
function unlessRepeated(text: string, value: unknown, notes: readonly string[]): JsonReading {
  // Most texts hold no colon but those behind their properties, and to count colons is quicker.
  if (hasProperties(value, count(text, ':'))) return { value, notes };
  if (hasProperties(value, propertiesNamed(text))) return { value, notes };
  // Text inside a string may look like a property as well; only a scan can tell.
  const problem = findJsonProblem(text);
  return problem === undefined ? { value, notes } : { problem };
}

function count(text: string, character: string): number {
  let found = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) found++;
  return found;
}

function propertiesNamed(text: string): number {
  const pattern = /"[ \t\n\r]*:/g;
  let count = 0;
  while (pattern.test(text)) count++;
  return count;
}

/** Whether the objects of `root` have `count` properties together. */
function hasProperties(root: unknown, count: number): boolean {
  let missing = count;
  const pending = [root];
  while (missing > 0 && pending.length > 0) {
    const value = pending.pop();
    if (Array.isArray(value)) {
      for (const child of value) if (isCollection(child)) pending.push(child);
    } else if (isCollection(value)) {
      for (const key of Object.keys(value)) {
        missing--;
        const child = value[key];
        if (isCollection(child)) pending.push(child);
      }
    }
  }
  return missing === 0;
}

function isCollection(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const UNITS_BEFORE = 16;
const UNITS_AFTER = 24;

/** `line 1, column 2: expected a property name in double quotes, near {invalid}`; columns are counted in code points. */
export function describeProblem(text: string, { offset, message }: JsonProblem): string {
  const lines = text.slice(0, offset).split('\n');
  const column = characterCount(lines.at(-1) ?? '') + 1;
  const near = excerpt(text, offset);
  return `line ${lines.length}, column ${column}: ${message}${near && `, near ${near}`}`;
}

function excerpt(text: string, offset: number): string {
  const from = startOfCharacter(text, Math.max(0, offset - UNITS_BEFORE));
  const to = startOfCharacter(text, Math.min(text.length, offset + UNITS_AFTER));
  return `${from > 0 ? '...' : ''}${safeText(text.slice(from, to))}${to < text.length ? '...' : ''}`;
}

/** Steps back from the middle of a surrogate pair. */
function startOfCharacter(text: string, index: number): number {
  const code = text.codePointAt(index - 1);
  return code !== undefined && code > 0xffff ? index - 1 : index;
}

import { characterCount, JSON_BLANK, safeText } from '../safe-text.ts';
import { orElse } from '../system/files.ts';
import { endOfString, findJsonProblem, type JsonProblem } from './json-problem.ts';

/** The correction of a slip. */
interface JsonRepair {
  readonly note: string;
  /** A quick test: texts without this do not have the slip. */
  readonly sign: RegExp;
  /** Takes linear time. */
  readonly mend: (text: string) => string;
}

const OTHER_BLANK = new RegExp(`(?![ \\t\\n\\r])${JSON_BLANK}`);

/** Around the JSON. Blanks replace the removed text, which keeps positions in errors right. */
const FRAME_REPAIRS: readonly JsonRepair[] = [
  {
    note: 'ignored a byte-order mark before the JSON',
    sign: /^\ufeff/,
    mend: (text) => ` ${text.slice(1)}`,
  },
  { note: 'ignored the code fence around the JSON', sign: /^\s*```/, mend: dropCodeFence },
];

/** Within the JSON, in any combination. */
const TEXT_REPAIRS: readonly JsonRepair[] = [
  {
    note: 'read blanks that JSON does not have, such as a no-break space, as spaces',
    sign: OTHER_BLANK,
    mend: (text) => mapOutside(text, (part) => part.replace(new RegExp(OTHER_BLANK, 'g'), ' ')),
  },
  {
    note: "read \\!, \\', \\` and \\$ as the characters themselves; JSON has no such escapes",
    sign: /\\[!'`$]/,
    mend: dropShellEscapes,
  },
  {
    note: 'read a line break or tab inside a string as \\n, \\r or \\t',
    sign: /[\n\r\t]/,
    mend: escapeLineBreaksAndTabs,
  },
  { note: 'ignored a trailing comma', sign: /,\s*[\]}]/, mend: dropTrailingCommas },
];

export type JsonReading =
  /** The corrections are one line each. */
  | { readonly value: unknown; readonly notes: readonly string[] }
  | { readonly problem: JsonProblem };

/**
 * Reads a JSON text as a whole, correcting the slips above if needed. A duplicate property is a problem, since either may be
 * meant. Never throws, and takes linear time.
 */
export function readJson(text: string): JsonReading {
  const asItStands = parseStrictly(text);
  if (asItStands !== undefined) return unlessRepeated(text, asItStands.value, []);

  const notes: string[] = [];
  const framed = mendAll(FRAME_REPAIRS, text, notes);
  const mended = parseStrictly(mendAll(TEXT_REPAIRS, framed, notes));
  if (mended !== undefined) return unlessRepeated(framed, mended.value, notes);
  return { problem: findJsonProblem(framed) ?? NOT_JSON };
}

const NOT_JSON: JsonProblem = { offset: 0, message: 'this is not JSON', kind: 'other' };

function parseStrictly(text: string): { value: unknown } | undefined {
  return orElse(() => ({ value: JSON.parse(text) }), undefined);
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

/** JSON.parse drops the first of two equal keys; then the text has more properties than the value. */
function unlessRepeated(text: string, value: unknown, notes: readonly string[]): JsonReading {
  const { collections, properties } = contentsOf(value);
  // From the quickest count to the certain answer: strings may contain colons, and text like a property.
  if (properties === colonsIn(text)) return { value, notes };
  const isWhole = properties === text.match(/"[ \t\n\r]*:/g)?.length;
  const problem = (isWhole ? undefined : findJsonProblem(text)) ?? joinedObjects(text, collections);
  return problem === undefined ? { value, notes } : { problem };
}

/** How many keys of an object are looked for in its texts. */
const MAX_KEYS_SOUGHT = 20;

/** A text with all keys of its object and the brackets between two: in both, an apostrophe has ended bash's quotes. */
function joinedObjects(
  text: string,
  collections: readonly Record<string, unknown>[],
): JsonProblem | undefined {
  const offset = text.search(/\},\s*\{\s*\w+\s*:/);
  if (offset === -1) return undefined;
  const isJoined = collections.some((object) => {
    const keys = Object.keys(object).slice(0, MAX_KEYS_SOUGHT);
    const texts = Object.values(object).filter((value) => typeof value === 'string');
    return texts.some(
      (held) => /\},\s*\{/.test(held) && keys.every((key) => held.includes(`${key}:`)),
    );
  });
  return isJoined ? { offset, message: 'a text holds further objects', kind: 'joined' } : undefined;
}

function colonsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) count++;
  return count;
}

/** All objects and arrays in a value, itself included, and the number of properties of its objects. */
function contentsOf(root: unknown) {
  let properties = 0;
  const collections = [root].filter(isCollection);
  // Grows while it is read.
  for (const value of collections) {
    if (Array.isArray(value)) {
      for (const child of value) if (isCollection(child)) collections.push(child);
      continue;
    }
    // Object.values takes three times as long.
    for (const name in value) {
      properties += 1;
      if (isCollection(value[name])) collections.push(value[name]);
    }
  }
  return { collections, properties };
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

function dropCodeFence(text: string): string {
  const opening = /^\s*```[A-Za-z0-9_+-]*/.exec(text)?.[0];
  const end = text.trimEnd().length;
  if (opening === undefined || end < opening.length + 3 || !text.endsWith('```', end)) return text;
  return ' '.repeat(opening.length) + text.slice(opening.length, end - 3);
}

function dropShellEscapes(text: string): string {
  // Other escapes are matched too and kept: the second backslash of a pair begins none.
  return mapStrings(text, (string) => string.replace(/\\([!'`$])|(\\[\s\S])/g, '$1$2'));
}

const LINE_BREAK_OR_TAB_ESCAPES: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeLineBreaksAndTabs(text: string): string {
  // After a backslash it stays an error: the result would be an escaped backslash and a letter.
  return mapStrings(text, (string) =>
    string.replace(/\\[\s\S]|[\n\r\t]/g, (found) => LINE_BREAK_OR_TAB_ESCAPES[found] ?? found),
  );
}

/** Only after a value: `[,]`, `{,}` and `[1,,]` stay errors. */
function dropTrailingCommas(text: string): string {
  return splitAtStrings(text)
    .map((part, index) => {
      if (index % 2 === 1) return part;
      // Each later part follows a string, and so a value or a key.
      const afterValue =
        index === 0 ? /([^\s[{,:]\s*),(?=\s*[\]}])/g : /((?:^|[^\s[{,:])\s*),(?=\s*[\]}])/g;
      return part.replace(afterValue, '$1 ');
    })
    .join('');
}

function mapStrings(text: string, change: (string: string) => string): string {
  return splitAtStrings(text)
    .map((part, index) => (index % 2 === 1 ? change(part) : part))
    .join('');
}

function mapOutside(text: string, change: (part: string) => string): string {
  return splitAtStrings(text)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}

/** Outside, string, outside, string, ..., outside. Strings keep their quotes; an unclosed one reaches to the end. */
function splitAtStrings(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let open = text.indexOf('"'); open !== -1; open = text.indexOf('"', from)) {
    const end = endOfString(text, open);
    parts.push(text.slice(from, open));
    from = end === -1 ? text.length : end;
    parts.push(text.slice(open, from));
  }
  parts.push(text.slice(from));
  return parts;
}

import type { JsonSchema } from '../command/agent-command.ts';
import { nearest, type OptionKind, spelledAs, type TextForm } from '../command/options.ts';
import { characterCount, inQuotes, isBlank, jsonEscape } from '../safe-text.ts';
import type { ListLimits } from '../settings/settings.ts';

export type TextLimits = Pick<ListLimits, 'maxContentLength' | 'limitsFile'>;

export interface TextKind {
  readonly is: 'text';
  readonly most: (limits: TextLimits) => number;
  /** @param limits with what else its command passes to `objectSchema`. */
  problem(text: string, most: number, limits: TextLimits): string | undefined;
  /** Added to its JSON Schema. */
  readonly json?: JsonSchema;
}

/** One of a few words. */
export interface WordKind<Word extends string = string> {
  readonly is: 'word';
  readonly words: readonly Word[];
}

export interface FlagKind {
  readonly is: 'flag';
  readonly json?: JsonSchema;
}

/** A value that may be written in several ways, as JSON and as the text of an option. */
export interface ValueKind<Value = unknown> extends TextForm {
  readonly is: 'value';
  /** Undefined for anything else. @param limits missing for stored values and options. */
  from(given: unknown, limits?: TextLimits): Value | undefined;
  /** Why there is no value; default: `Expected NEEDS, received ...`. */
  whyNot?(given: unknown, limits: TextLimits): string | undefined;
  readonly json: JsonSchema | ((limits: TextLimits) => JsonSchema);
  /** Default: a text with a value. */
  readonly option?: OptionKind;
  /** The text of its option is JSON. */
  readonly isJsonText?: true;
}

/** An array; its option may be repeated. */
export interface ListKind<Value = unknown> {
  readonly is: 'list';
  readonly of: ValueKind<Value>;
}

export type Kind = TextKind | WordKind | FlagKind | ValueKind | ListKind;

type FieldValue<K extends Kind> = K extends TextKind
  ? string
  : K extends WordKind<infer Word>
    ? Word
    : K extends FlagKind
      ? boolean
      : K extends ValueKind<infer Value>
        ? Value
        : K extends ListKind<infer Value>
          ? readonly Value[]
          : never;

/** A field of an object. Its schemas, its option and what a stored one may be follow from this row. */
export interface Field {
  readonly kind: Kind;
  readonly isRequired?: true;
  /** The description in the JSON Schema. */
  readonly hint?: string;
  /** Other names that models give it. */
  readonly others?: RegExp;
  /** Of use only in an array of objects: neither an option nor in the JSON Schema of one has it. */
  readonly isOfArrays?: true;
  /** On a command line, it is the next or all of the words that belong to no option. */
  readonly words?: 'one' | 'many';
}

export type Fields = Readonly<Record<string, Field>>;

type RequiredOf<Table extends Fields> = {
  [Name in keyof Table]: Table[Name] extends { readonly isRequired: true } ? Name : never;
}[keyof Table];

/** The type of an object with these fields. */
export type ValuesOf<Table extends Fields> = {
  -readonly [Name in RequiredOf<Table>]: FieldValue<Table[Name]['kind']>;
} & {
  -readonly [Name in Exclude<keyof Table, RequiredOf<Table>>]?: FieldValue<Table[Name]['kind']>;
};

export function textProblem(text: string, maxLength: number): string | undefined {
  if (isBlank(text)) return 'Cannot be blank';
  // There are at most as many code points as code units.
  if (text.length <= maxLength) return undefined;
  const length = characterCount(text);
  return length > maxLength
    ? `Must be at most ${maxLength} characters, received ${length}`
    : undefined;
}

/** A text that is not blank; screens show it on one line. */
export const shortText: TextKind = {
  is: 'text',
  most: ({ maxContentLength }) => maxContentLength,
  problem: textProblem,
  json: { pattern: '\\S' },
};

/** A command for a shell, whose arguments cannot have a NUL. */
export const shellCommand: TextKind = {
  ...shortText,
  problem: (text, most) =>
    text.includes('\0') ? 'Cannot contain U+0000' : textProblem(text, most),
};

export function oneOf<const Words extends readonly string[]>(words: Words) {
  return { is: 'word', words } as WordKind<Words[number]>;
}

/** The JSON Schema of an object with these fields. */
export function objectJson(table: Fields, limits: TextLimits): JsonSchema {
  const rows = Object.entries(table).filter(([, { isOfArrays }]) => !isOfArrays);
  const properties = rows.map(([name, { kind, hint }]) => {
    return [name, { ...jsonOf(kind, limits), ...(hint !== undefined && { description: hint }) }];
  });
  const required = rows.flatMap(([name, { isRequired }]) => (isRequired ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
}

function jsonOf(kind: Kind, limits: TextLimits): JsonSchema {
  switch (kind.is) {
    case 'text':
      return { type: 'string', ...kind.json, maxLength: kind.most(limits) };
    case 'word':
      return { enum: kind.words };
    case 'flag':
      return kind.json ?? { type: 'boolean' };
    case 'value':
      return typeof kind.json === 'function' ? kind.json(limits) : kind.json;
    case 'list':
      return { type: 'array', items: jsonOf(kind.of, limits) };
  }
}

/** The options of the fields: `--add-blocks` for `addBlocks`. */
export function optionTable(table: Fields): Record<string, OptionKind> {
  const options: Record<string, OptionKind> = {};
  for (const [name, { kind, isOfArrays, words }] of Object.entries(table)) {
    if (isOfArrays || words) continue;
    const option = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    options[`--${option}`] = optionOf(kind);
  }
  return options;
}

function optionOf(kind: Kind): OptionKind {
  switch (kind.is) {
    case 'word':
      return kind.words;
    case 'value':
      return kind.option ?? kind;
    case 'list':
      return { ...(optionOf(kind.of) as TextForm), isRepeated: true };
    default:
      return kind.is;
  }
}

export function fieldOf(option: string): string {
  return option.slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** `Expected a task id such as 3, received 'x'`. */
export function unexpected({ needs }: TextForm, given: unknown): string {
  const received = typeof given === 'string' ? inQuotes(given) : typeName(given);
  return `Expected ${needs}, received ${typeof given === 'number' ? given : received}`;
}

/**
 * The object as in the table: `active_form`, `In Progress`, `High` and one id in place of an array are corrected, with one note
 * each.
 *
 * @param isNew true if null leaves an optional field out; in a change it could also mean to remove it.
 */
export function withSpelling(
  table: Fields,
  given: Readonly<Record<string, unknown>>,
  notes: Map<string, string>,
  isNew = false,
): Record<string, unknown> {
  const meant = (text: string, words: readonly string[]) => spelledAs(text, words) ?? text;
  const noted = (text: string, word: string) => {
    if (word !== text && !notes.has(word)) notes.set(word, `read ${inQuotes(text)} as '${word}'`);
    return word;
  };
  const mended: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(given)) {
    const name = meant(key, Object.keys(table));
    // If both spellings are present, it is uncertain which is meant.
    const isFree = !Object.hasOwn(given, name) && !Object.hasOwn(mended, name);
    const field = isFree ? noted(key, name) : key;
    const { kind, isRequired } = table[field] ?? {};
    if (isNew && value === null && kind && !isRequired) {
      notes.set(`${field} null`, `ignored "${field}":null`);
      continue;
    }
    if (kind?.is === 'list' && ['string', 'number'].includes(typeof value)) {
      notes.set(`${field}[]`, `read "${field}" as an array of one`);
      mended[field] = [value];
      continue;
    }
    const isWord = kind?.is === 'word' && typeof value === 'string';
    mended[field] = isWord ? noted(value, meant(value, kind.words)) : value;
  }
  return mended;
}

/** Other names that models give a list. */
export const LIST_NAMES =
  /^(?:(?:new|my)?_?(?:todo|task|plan|step|item)s?_?(?:list|items?)?|list|checklist)$/i;

/** The object with the keys that its other keys most likely mean, and a line for each of these. A field is meant once. */
export function withMeantKeys(
  table: Readonly<Record<string, Partial<Field>>>,
  given: Readonly<Record<string, unknown>>,
): { readonly value: Record<string, unknown>; readonly hints: readonly string[] } {
  const value: Record<string, unknown> = Object.create(null);
  const hints: string[] = [];
  // In a flood of keys, comparing them would take a second.
  const isFlood = Object.keys(given).length > 100;
  const isFree = (name: string) => !Object.hasOwn(given, name) && !Object.hasOwn(value, name);
  const meantBy = (key: string) => {
    const free = Object.keys(table).filter(isFree);
    const other = free.find((name) => table[name]?.others?.test(key));
    return other ?? (isFlood ? undefined : nearest(key, free));
  };
  for (const [key, held] of Object.entries(given)) {
    const name = Object.hasOwn(table, key) ? key : (meantBy(key) ?? key);
    if (name !== key) hints.push(`Unrecognized key ${inQuotes(key)}; did you mean '${name}'?`);
    value[name] = held;
  }
  return { value, hints };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True if values lie within more objects and arrays than so many. */
export function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeperThan(depth - 1, inner));
}

/** As in errors: `string`, `array`, `null`. */
export function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** One line of JSON in printable characters: controls and invisible ones are valid in JSON, but not safe on a terminal. */
export function jsonLine(value: object): string {
  const notPrinted = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
  return `${JSON.stringify(value).replace(notPrinted, jsonEscape)}\n`;
}

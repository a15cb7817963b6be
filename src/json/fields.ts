import * as z from 'zod/mini';
import type { JsonSchema } from '../command/agent-command.ts';
import type { OptionKind, OptionTable } from '../command/options.ts';
import { type OtherWords, textProblem } from './schema-issues.ts';

/** The limits of texts. */
export interface TextLimits {
  readonly maxContentLength: number;
}

/** What a field may hold. */
export interface Kind<Schema extends z.ZodMiniType = z.ZodMiniType> {
  /** What is accepted from outside. */
  readonly schema: (limits: TextLimits) => Schema;
  /** The same as JSON Schema. */
  readonly json: (limits: TextLimits) => JsonSchema;
  /** What follows its option; a text unless given. */
  readonly option?: OptionKind;
  /** Whether the text of its option is JSON. */
  readonly isJsonText?: true;
}

/** What a field may hold that is stored. */
export interface StoredKind extends Kind {
  /** Whether a stored value can be one. Limits are not judged, which may have been others when it was stored. */
  readonly isStored: (value: unknown) => boolean;
  /** What a stored value is that cannot: `has an id that is not text`. */
  readonly wrong: (name: string) => string;
}

/** A field of a thing that is given as JSON and stored. Everything that knows of it follows from its row. */
export interface Field {
  readonly kind: Kind;
  readonly isRequired?: true;
  /** For the JSON Schema. */
  readonly hint?: string;
  /** Other names that writers of JSON give it. */
  readonly others?: RegExp;
  /** It has no option: only JSON has it. */
  readonly isNoOption?: true;
  /** It has no option: it is the word, or the words, of a command line that belong to none. */
  readonly words?: 'one' | 'many';
}

/** A field that is stored. */
export interface StoredField extends Field {
  readonly kind: StoredKind;
}

/** The fields of a thing, by their names. */
export type Fields = Readonly<Record<string, Field>>;

type SchemaOf<Row extends Field> = ReturnType<Row['kind']['schema']>;
type Shape<Table extends Fields> = {
  [Name in keyof Table]: Table[Name] extends { readonly isRequired: true }
    ? SchemaOf<Table[Name]>
    : z.ZodMiniExactOptional<SchemaOf<Table[Name]>>;
};

type RequiredOf<Table extends Fields> = {
  [Name in keyof Table]: Table[Name] extends { readonly isRequired: true } ? Name : never;
}[keyof Table];

/** What a thing with these fields is. */
export type ValuesOf<Table extends Fields> = {
  -readonly [Name in RequiredOf<Table>]: z.output<SchemaOf<Table[Name]>>;
} & {
  -readonly [Name in Exclude<keyof Table, RequiredOf<Table>>]?: z.output<SchemaOf<Table[Name]>>;
};

/** A text on one line that is not blank. */
export const shortText = {
  schema: ({ maxContentLength }) =>
    z.string().check(({ value, issues }) => {
      const message = textProblem(value, maxContentLength);
      if (message !== undefined) issues.push({ code: 'custom', message, input: value });
    }),
  json: ({ maxContentLength }) => ({ type: 'string', pattern: '\\S', maxLength: maxContentLength }),
  isStored: (value) => typeof value === 'string',
  wrong: (name) => `has ${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name} that is not text`,
} satisfies StoredKind;

/** One of a few words. */
export function oneOf<const Words extends readonly string[]>(words: Words) {
  return {
    schema: () => z.enum(words),
    json: () => ({ enum: words }),
    option: words,
    isStored: (value) => words.includes(value as string),
    wrong: (name) => `has an unknown ${name}`,
  } satisfies StoredKind;
}

/** The zod schema of a thing with these fields and no others. */
export function objectSchema<const Table extends Fields>(table: Table, limits: TextLimits) {
  const shape = Object.entries<Field>(table).map(([name, { kind, isRequired }]) => {
    const schema = kind.schema(limits);
    return [name, isRequired ? schema : z.exactOptional(schema)];
  });
  return z.strictObject(Object.fromEntries(shape) as Shape<Table>);
}

/** The same as JSON Schema. */
export function objectJson(table: Fields, limits: TextLimits): JsonSchema {
  const rows = Object.entries(table);
  const properties = rows.map(([name, { kind, hint }]) => {
    return [name, { ...kind.json(limits), ...(hint !== undefined && { description: hint }) }];
  });
  const required = rows.flatMap(([name, { isRequired }]) => (isRequired ? [name] : []));
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
}

/** The first thing that is wrong with what is stored of a thing with these fields; other fields are passed over. */
export function storedProblem(
  table: Readonly<Record<string, StoredField>>,
  thing: Record<string, unknown>,
): string | undefined {
  for (const [name, { kind, isRequired }] of Object.entries(table)) {
    const value = thing[name];
    if (value === undefined ? !isRequired : kind.isStored(value)) continue;
    return isRequired ? `has no ${name}` : kind.wrong(name);
  }
  return undefined;
}

/** The fields as options: `--add-blocks` is the field `addBlocks`. */
export function optionTable(table: Fields): OptionTable {
  const rows = Object.entries(table).filter(([, { isNoOption, words }]) => !isNoOption && !words);
  return Object.fromEntries(
    rows.map(([name, { kind }]) => [
      `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
      kind.option ?? 'text',
    ]),
  );
}

/** The name of the field that an option stands for. */
export function fieldOf(option: string): string {
  return option.slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Other names of these fields, for errors. */
export function otherNames(table: Fields): OtherWords {
  return Object.entries(table).flatMap(([name, { others }]) =>
    others === undefined ? [] : [[name, others] as const],
  );
}

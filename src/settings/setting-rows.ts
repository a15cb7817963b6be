import type { Environment } from '../environment.ts';
import { safeText } from '../safe-text.ts';

/** How one setting is read. */
export interface Row<T> {
  /** The first of these variables that is set counts. */
  readonly names: readonly string[];
  readonly fallback: T;
  /** What it must be, for a warning. */
  readonly expected: string;
  /** Undefined for what it cannot be. */
  readonly parse: (text: string) => T | undefined;
  /** Whether an empty text is as good as none; false unless given. */
  readonly isUnsetIfEmpty?: boolean;
  /**
   * A `.env` comes with whatever repository a command happens to run in. It may set limits, guidance and what is shown,
   * but not where lists live, whose they are, how much of them is kept, or which programs run.
   */
  readonly mayBeInFile?: boolean;
}

const FLAGS = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
  ['', false],
]);
const MAX_WARNED_CHARACTERS = 40;
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 365 * 86_400_000;

export const inFile = <T>(row: Row<T>): Row<T> => ({ ...row, mayBeInFile: true });

export function integer(fallback: number, ...names: string[]): Row<number> {
  return { names, fallback, expected: 'a positive integer', parse: positiveInteger };
}

/** 1 or 0; `true` and `false` are understood too. */
export function flag<Unset extends boolean | undefined>(
  fallback: Unset,
  ...names: string[]
): Row<boolean | Unset> {
  const parse = (text: string) => FLAGS.get(text.trim().toLowerCase());
  return { names, fallback, expected: '1 or 0', parse };
}

export function text(...names: string[]): Row<string | undefined> {
  const parse = (given: string) => given;
  return { names, fallback: undefined, expected: 'a text', parse, isUnsetIfEmpty: true };
}

export function oneWord<const Word extends string>(
  fallback: NoInfer<Word>,
  words: readonly Word[],
  ...names: string[]
): Row<Word> {
  const expected = `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
  return {
    names,
    fallback,
    expected,
    parse: (given) => words.find((word) => word === given.trim()),
  };
}

/** A duration as milliseconds, and 0 for none. */
export function lease(...names: string[]): Row<number | undefined> {
  const parse = (given: string) =>
    ['off', '0'].includes(given.trim().toLowerCase()) ? 0 : parseDuration(given);
  const expected = 'a time such as 90s, 30m or 8h, or off';
  return { names, fallback: undefined, expected, parse, isUnsetIfEmpty: true };
}

/** Reads each setting, from the environment or else from a `.env`; a warning for each text that it cannot be. */
export function valuesOf<Values extends object>(
  rows: { readonly [Name in keyof Values]: Row<Values[Name]> },
  environment: Environment,
  file: Environment,
): { values: Values; warnings: string[] } {
  const warnings: string[] = [];
  const pairs = Object.entries<Row<unknown>>(rows).map(([setting, row]) => {
    const texts = row.names.map((name) => environment[name] ?? file[name]);
    const at = texts.findIndex((given) => given !== undefined && !(row.isUnsetIfEmpty && !given));
    const given = texts[at];
    const value = given === undefined ? row.fallback : row.parse(given);
    if (value !== undefined || given === undefined) return [setting, value];
    const used = typeof row.fallback === 'boolean' ? Number(row.fallback) : row.fallback;
    const received = safeText(given, MAX_WARNED_CHARACTERS);
    warnings.push(
      `Warning: ${row.names[at]} must be ${row.expected}, received '${received}'; using ${used ?? 'none'}`,
    );
    return [setting, row.fallback];
  });
  return { values: Object.freeze(Object.fromEntries(pairs)) as Values, warnings };
}

function positiveInteger(given: string): number | undefined {
  const value = /^\s*[1-9][0-9]*\s*$/.test(given) ? Number(given) : Number.NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** `30m` as milliseconds; s, m, h and d are understood. Undefined for anything else. */
export function parseDuration(given: string): number | undefined {
  const [, digits = '', unit = ''] = /^\s*(\d{1,9})\s*([smhd])\s*$/.exec(given) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? 0);
  return ms > 0 && ms <= LONGEST_MS ? ms : undefined;
}

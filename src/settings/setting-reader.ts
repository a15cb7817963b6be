import type { Environment } from '../environment.ts';
import { safeText } from '../safe-text.ts';

const FLAGS = new Map([
  ['1', 1],
  ['true', 1],
  ['0', 0],
  ['false', 0],
  ['', 0],
]);
const MAX_WARNED_CHARACTERS = 40;

/** Reads single settings, from the environment or else from a `.env`, and collects a warning for each invalid value. */
export class SettingReader<Name extends string> {
  readonly warnings: string[] = [];
  readonly #environment: Environment;
  readonly #file: Environment;

  constructor(environment: Environment, file: Environment) {
    this.#environment = environment;
    this.#file = file;
  }

  readonly read = <T>(
    name: Name,
    fallback: T,
    expected: string,
    parse: (text: string) => T | undefined,
  ): T => {
    const text = this.#environment[name] ?? this.#file[name];
    if (text === undefined) return fallback;
    const value = parse(text);
    if (value !== undefined) return value;
    const received = safeText(text, MAX_WARNED_CHARACTERS);
    this.warnings.push(
      `Warning: ${name} must be ${expected}, received '${received}'; using ${fallback ?? 'none'}`,
    );
    return fallback;
  };

  readonly integer = (name: Name, fallback: number): number =>
    this.read(name, fallback, 'a positive integer', positiveInteger);

  /** Off unless it is 1; `true` and `false` are understood too. */
  readonly flag = (name: Name): boolean =>
    this.read(name, 0, '1 or 0', (text) => FLAGS.get(text.trim().toLowerCase())) === 1;

  /** Any text but none; an empty one is as good as unset. */
  readonly text = (name: Name): string | undefined =>
    this.#environment[name] || this.#file[name] || undefined;
}

function positiveInteger(text: string): number | undefined {
  const value = /^\s*[1-9][0-9]*\s*$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 365 * 86_400_000;

/** `30m` as milliseconds; s, m, h and d are understood. Undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^\s*(\d{1,9})\s*([smhd])\s*$/.exec(text) ?? [];
  const ms = Number(digits) * (UNITS[unit] ?? 0);
  return ms > 0 && ms <= LONGEST_MS ? ms : undefined;
}

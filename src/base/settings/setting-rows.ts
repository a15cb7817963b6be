import { parseDuration } from '../duration.ts';
import type { Environment } from '../environment.ts';
import { isBlank, safeText } from '../safe-text.ts';

export interface SettingRow<T> {
  /** The variables, by precedence. */
  readonly names: readonly string[];
  readonly fallback: T;
  readonly expected: string;
  /** Returns undefined if the text is invalid. */
  readonly parse: (text: string) => T | undefined;
  readonly isUnsetIfEmpty?: boolean;
  /**
   * True if a `.env` may set it. Such a file comes with whatever repository a command runs in, so it may set limits,
   * guidance and what is shown, but not where lists live, whose they are, how much of them is kept, or which programs run.
   */
  readonly inFile?: boolean;
}

const MAX_WARNED_CHARACTERS = 40;

export const INTEGER = {
  expected: 'a positive integer',
  parse: (given: string) => {
    const value = /^\s*[1-9][0-9]*\s*$/.test(given) ? Number(given) : Number.NaN;
    return Number.isSafeInteger(value) ? value : undefined;
  },
};

export const FLAG = {
  expected: '1 or 0',
  parse: (given: string) => {
    const isOn = /^\s*(?:1|true)\s*$/i.test(given);
    return isOn || /^\s*(?:0|false)?\s*$/i.test(given) ? isOn : undefined;
  },
};

export const TEXT = {
  expected: 'a text',
  parse: (given: string) => given,
  fallback: undefined,
  isUnsetIfEmpty: true,
};

const GUIDANCE = ['off', 'notes', 'all'] as const;
export const GUIDANCE_MODE = {
  expected: 'off, notes or all',
  parse: (given: string) => GUIDANCE.find((mode) => mode === given.trim()),
};

/** Milliseconds; 0 for no lease. */
export const LEASE = {
  expected: 'a time such as 90s, 30m or 8h, or off',
  parse: (given: string) =>
    ['off', '0'].includes(given.trim().toLowerCase()) ? 0 : parseDuration(given),
  fallback: undefined,
  isUnsetIfEmpty: true,
};

/** Reads each setting from the environment, else from a `.env`; with a warning for each invalid text. */
export function valuesOf<Values extends object>(
  rows: { readonly [Name in keyof Values]: SettingRow<Values[Name]> },
  environment: Environment,
  file: Environment,
): { values: Values; warnings: string[] } {
  const warnings: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [setting, row] of Object.entries<SettingRow<unknown>>(rows)) {
    values[setting] = row.fallback;
    for (const name of row.names) {
      const given = environment[name] ?? file[name];
      if (given === undefined || (isBlank(given) && row.isUnsetIfEmpty)) continue;
      values[setting] = row.parse(given);
      if (values[setting] !== undefined) break;
      values[setting] = row.fallback;
      const used = typeof row.fallback === 'boolean' ? Number(row.fallback) : row.fallback;
      const received = `received '${safeText(given, MAX_WARNED_CHARACTERS)}'`;
      const where = environment[name] === undefined ? ' in ./.env' : '';
      warnings.push(
        `Warning: ${name}${where} must be ${row.expected}, ${received}; using ${used ?? 'the default'}`,
      );
    }
  }
  return { values: Object.freeze(values) as Values, warnings };
}

import { briefText, inQuotes, isBlank, JSON_BLANK, MAX_QUOTED_CHARACTERS } from '../safe-text.ts';
import { type CommandResult, done, failed } from './agent-command.ts';

/** The value of an option: none, a text, a name (not empty), a text per repetition, a version number, one of some words, a form. */
export type OptionKind =
  | 'flag'
  | 'text'
  | 'name'
  | 'texts'
  | 'version'
  | readonly string[]
  | TextForm;

export interface TextForm {
  /** The accepted values, for errors: `a time such as 90s`. */
  readonly needs: string;
  /** Undefined for any other text. */
  readonly from: (text: string) => unknown;
  readonly isRepeated?: boolean;
}

/** The options of a command, by name: `--json`, `-h`. */
export type OptionTable = Readonly<Record<string, OptionKind>>;

type OptionValue<Kind extends OptionKind> = Kind extends 'flag'
  ? true
  : Kind extends 'text' | 'name' | TextForm
    ? string
    : Kind extends 'texts'
      ? readonly string[]
      : Kind extends 'version'
        ? number
        : Kind extends readonly (infer Word)[]
          ? Word
          : never;

export type Options<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: OptionValue<Table[Name]>;
};

export type ParsedOptions<Table extends OptionTable> =
  | { readonly options: Options<Table>; readonly rest: readonly string[] }
  | {
      readonly problem: string;
      /** The option, if the table does not have it. */
      readonly unknown?: string;
    };

/** The values of `--format`. */
export const EXPORT_FORMATS = ['md', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const HELP_OPTIONS = { '-h': 'flag', '--help': 'flag', '--version': 'flag' } as const;

/**
 * Separates options from the other words, `rest`.
 *
 * A value is the next argument, or follows `=`. `--` ends the options. After a word that begins like JSON, options are
 * read only if all later words are options: others may be part of JSON with broken quotes.
 *
 * @param end `first word`: options end at the first other word, as in bash.
 */
export function parseOptions<const Table extends OptionTable>(
  argv: readonly string[],
  table: Table,
  end: 'last word' | 'first word' = 'last word',
): ParsedOptions<Table> {
  const given: Record<string, unknown> = {};
  const options = given as Options<Table>;
  const rest: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] ?? '';
    if (argument === '--') return { options, rest: [...rest, ...argv.slice(at + 1)] };
    if (isOption(argument)) {
      const read = readOption(argument, argv[at + 1], table, given);
      if (read.problem !== undefined) return read;
      const { name, value, isRepeated, takesNext } = read;
      const before = given[name];
      if (Array.isArray(before)) before.push(value);
      else given[name] = isRepeated ? [value] : value;
      if (takesNext) at++;
      continue;
    }
    if (end === 'first word') return { options, rest: argv.slice(at) };
    if (beginsJson(argument) && isBroken(argument, argv.slice(at + 1), table)) {
      return { options, rest: [...rest, ...argv.slice(at)] };
    }
    rest.push(argument);
  }
  return { options, rest };
}

/** Reads an option and its value, which may be the next argument. @param given the options before it. */
function readOption(argument: string, next: string | undefined, table: OptionTable, given: object) {
  const [, name = argument, inline] = /^(--[^=]+)=(.*)$/s.exec(argument) ?? [];
  const kind = Object.hasOwn(table, name) ? table[name] : undefined;
  if (kind === undefined) return { problem: unknownOption(name, table), unknown: name };
  const isRepeated = kind === 'texts' || (isForm(kind) && kind.isRepeated === true);
  const isOnce = !isRepeated && !Object.hasOwn(HELP_OPTIONS, name);
  if (isOnce && Object.hasOwn(given, name)) return { problem: `${name} was given twice` };
  if (kind === 'flag') {
    if (inline !== undefined) return { problem: `${name} takes no value` };
    return { name, value: true, isRepeated, takesNext: false };
  }
  const text = inline ?? next;
  const takesNext = inline === undefined;
  if (text === undefined || (kind === 'name' ? isBlank(text) : text === '' && kind !== 'text')) {
    return { problem: needs(name, kind) };
  }
  if (takesNext && Object.hasOwn(table, text)) {
    return { problem: `${needs(name, kind)}, not the option ${text}` };
  }
  const value = readValue(text, kind);
  if (value === undefined) return { problem: `${needs(name, kind)}, received ${inQuotes(text)}` };
  return { name, value, isRepeated, takesNext };
}

export function wrongUsage(problem: string, usage: string): CommandResult {
  return failed('wrongUsage', `Error: ${problem}\n${usage}`);
}

/**
 * The reply to `-h`, `--help` or `--version`. Returns undefined if none was given.
 *
 * @param usage `Usage: ` and one line.
 * @param settings for the names in braces on the page.
 */
export function helpReply(
  options: Options<typeof HELP_OPTIONS>,
  usage: string,
  helpPage: string,
  settings: object = {},
): CommandResult | undefined {
  const stdout = options['--help']
    ? helpPage.replace(/\{(\w+)\}/g, (_, name) => String(settings[name as keyof typeof settings]))
    : options['-h']
      ? usage + usage.replace(/^Usage: ([\w-]+(?: [a-z]+)*).*/, 'More: $1 --help')
      : options['--version'] && `${PACKAGE_VERSION}\n`;
  return stdout ? done(stdout) : undefined;
}

/** The known word closest to a word. Returns undefined if none is within `most` letters. */
export function nearest(word: string, known: readonly string[], most = 2): string | undefined {
  const plain = plainly(word);
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    const other = plainly(name);
    const isStart =
      most > 1 && plain.length > 2 && (other.startsWith(plain) || plain.startsWith(other));
    const distance = isStart && other.length > 2 ? 1 : editDistance(plain, other);
    if (distance < (best?.distance ?? Math.min(most + 1, plain.length / 2)))
      best = { name, distance };
  }
  return best?.name;
}

/** `-` means standard input, and `-5` is a number. */
function isOption(argument: string): boolean {
  return /^--?[A-Za-z]/.test(argument);
}

/** Words that people type in place of an option, and the status that they mean. */
const TYPED_STATUSES: Readonly<Record<string, string>> = {
  done: 'completed',
  complete: 'completed',
  finished: 'completed',
  start: 'in_progress',
  started: 'in_progress',
  open: 'pending',
  todo: 'pending',
  delete: 'deleted',
};

/** The problem with a word that options have run into, as in `--add 'Don't' --active-form 'Can't'`; undefined for another word. */
export function joinedOptions(word: string, table: OptionTable): string | undefined {
  const option = Object.keys(table).find((name) => word.includes(` ${name} `));
  if (option === undefined) return undefined;
  return `${option} is inside another text: in single quotes write ' as '\\''`;
}

/** Names the option that a word too many means: `completed` a status, `mine` the option of that name. */
export function unexpectedArgument(word: string, table: OptionTable): string {
  const joined = joinedOptions(word, table);
  if (joined !== undefined) return joined;
  const said = word.toLowerCase().replaceAll('-', '_');
  const value = Object.hasOwn(TYPED_STATUSES, said) ? TYPED_STATUSES[said] : said;
  const ways = Object.entries(table).map(([option, kind]) => {
    if (option === `--${word}`) return option;
    return Array.isArray(kind) && kind.includes(value) ? `${option} ${value}` : undefined;
  });
  const way = ways.find((found) => found !== undefined);
  return `Unexpected argument ${inQuotes(word)}${way === undefined ? '' : `. Try: ${way}`}`;
}

const JSON_BEGIN = new RegExp(`^${JSON_BLANK}*(?:[[{"]|\`\`\`)`);

/** True for a word that is meant as JSON, even if it is broken. */
export function beginsJson(word: string): boolean {
  return JSON_BEGIN.test(word);
}

function isBroken(json: string, behind: readonly string[], table: OptionTable): boolean {
  if (behind.length === 0) return false;
  // Only up to the next word, or the time would be quadratic in the number of words.
  const parsed = parseOptions(behind, table, 'first word');
  if ('options' in parsed) return parsed.rest.length > 0;
  // After whole JSON, a wrong option is an error of its own.
  return !(/[\]}]\s*$/.test(json) && isOption(behind[0] ?? ''));
}

function unknownOption(name: string, table: OptionTable): string {
  const meant = nearest(name, Object.keys(table));
  const hint = meant ? ` (did you mean ${meant}?)` : '';
  return `Unknown option ${briefText(name)}${hint}`;
}

const NEEDS = {
  text: 'a value',
  texts: 'a value',
  name: 'a name',
  version: 'the number of a version',
};

function needs(name: string, kind: Exclude<OptionKind, 'flag'>): string {
  if (typeof kind === 'string') return `${name} needs ${NEEDS[kind]}`;
  return isForm(kind)
    ? `${kind.isRepeated ? 'each ' : ''}${name} needs ${kind.needs}`
    : `${name} takes ${kind.slice(0, -1).join(', ')} or ${kind.at(-1)}`;
}

function readValue(text: string, kind: OptionKind): string | number | undefined {
  if (kind === 'version') return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (typeof kind === 'string') return text;
  if (isForm(kind)) return kind.from(text) === undefined ? undefined : text;
  return spelledAs(text, kind);
}

function isForm(kind: OptionKind): kind is TextForm {
  return typeof kind === 'object' && 'from' in kind;
}

/** The word that differs from a text at most in capitals, spaces and hyphens: `in_progress` for `In Progress`. */
export function spelledAs(text: string, words: readonly string[]): string | undefined {
  const plain = plainly(text.replaceAll(' ', ''));
  return words.find((word) => word === text || plainly(word) === plain);
}

/** The letters by which names are compared. */
export function plainly(word: string): string {
  return word.slice(0, MAX_QUOTED_CHARACTERS).toLowerCase().replace(/[-_]/g, '');
}

/** The number of insertions, deletions, substitutions and swaps of neighbours that turn one word into the other. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        (above[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (above[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = above;
    above = current;
  }
  return above[b.length] ?? 0;
}

import type { CommandResult } from './agent-command.ts';

/** The options of a command: what follows each, if anything. */
type OptionTable = Readonly<Record<string, keyof ValueOf>>;

interface ValueOf {
  flag: true;
  text: string;
  version: number;
}

/** The options that were given, by their names. */
export type Options<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: ValueOf[Table[Name]];
};

const WRONG_USAGE = 2;

type Parsed<Table extends OptionTable> =
  | { options: Options<Table>; rest: readonly string[] }
  | { problem: string };

/**
 * Takes the options out of the arguments; what is left is for the command to read. They stand before all else, or
 * behind one argument that is all else. Between more words nothing is an option: they may be those of a list whose
 * quotes broke. A value is the next argument, or follows in the same one after `=`.
 */
export function parseOptions<Table extends OptionTable>(
  argv: readonly string[],
  table: Table,
): Parsed<Table> {
  const before = leadingOptions(argv, table);
  if ('problem' in before) return before;
  const behind = leadingOptions(before.rest.slice(1), table);
  if ('problem' in behind || behind.rest.length > 0) return before;
  return { options: { ...before.options, ...behind.options }, rest: before.rest.slice(0, 1) };
}

function leadingOptions<Table extends OptionTable>(
  argv: readonly string[],
  table: Table,
): Parsed<Table> {
  const options: Record<string, string | number | true> = {};
  let index = 0;
  for (; index < argv.length; index++) {
    const [, name = '', inline] = /^(--[a-z-]+)(?:=(.*))?$/s.exec(argv[index] ?? '') ?? [];
    const kind = Object.hasOwn(table, name) ? table[name] : undefined;
    if (kind === undefined) break;
    if (Object.hasOwn(options, name)) return { problem: `${name} was given twice` };
    if (kind === 'flag') {
      if (inline !== undefined) return { problem: `${name} takes no value` };
      options[name] = true;
      continue;
    }
    const value = inline ?? argv[++index];
    if (!value) return { problem: `${name} needs a value` };
    if (kind === 'version' && !/^\d{1,15}$/.test(value)) {
      return { problem: `${name} needs the number of a version` };
    }
    options[name] = kind === 'version' ? Number(value) : value;
  }
  return { options: options as Options<Table>, rest: argv.slice(index) };
}

/** The result of a call whose arguments are not understood. */
export function wrongUsage(problem: string, usage: string): CommandResult {
  return { stdout: '', stderr: `Error: ${problem}\n${usage}`, exitCode: WRONG_USAGE };
}

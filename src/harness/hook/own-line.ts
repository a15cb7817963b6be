import { realpathSync } from 'node:fs';
import { delimiter, isAbsolute } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { certainCommands } from '../../base/line/certain-line.ts';
import type { SimpleCommand } from '../../base/line/simple-commands.ts';
import { isProgram } from '../../base/system/access.ts';
import { orElse } from '../../base/system/files.ts';
import { readConfig } from '../setup/config-file.ts';

/** The agent commands that need no question. The others run programs, or undo and archive the work of others. */
export const ALLOWED = new Set([
  ...['TodoWrite', 'TodoRead', 'TaskCreate', 'TaskUpdate', 'TaskList', 'TaskGet'],
  ...['TaskClaim', 'TaskRelease', 'TaskInbox'],
]);
/** Options that reach other lists or overrule an owner. A carriage return may follow, which commands ignore. */
const NOT_ALLOWED_OPTION = /^--(?:session|list|force)\b/;

interface Installation {
  readonly environment: Environment;
  /** The folder of the agent commands of this installation. */
  readonly commands: string;
  /** The user's rules that ask, if the harness lets our reply win over them. */
  readonly askRules?: readonly string[];
}

/** True if a line certainly consists of this installation's commands on the list, and perhaps of `cd DIR`. */
export function usesOnlyList(line: string, installed: Installation): boolean {
  const { environment, askRules = [] } = installed;
  const commands = certainCommands(line, ALLOWED) ?? [];
  const names = [...new Set(commands.map(nameOf))];
  return (
    commands.every(isAllowed) &&
    names.some((name) => name !== 'cd') &&
    names.every(
      (name) =>
        !isFunction(name, environment) &&
        (name === 'cd' || isInstalled(name, installed)) &&
        !askRules.some((rule) => mayConcern(rule, name)),
    )
  );
}

/** The rules that ask in the settings of Qwen Code. A file with comments, or that cannot be read, counts as a rule about every line. */
export function askRulesIn(files: readonly string[]): readonly string[] {
  const rulesIn = (path: string): string[] =>
    [JSON.parse(readConfig(path) ?? '{}').permissions?.ask ?? []].flat().map(String);
  return files.flatMap((path) => orElse(() => rulesIn(path), ['Bash']));
}

const SHELL_RULE = /^(?:bash|shell\w*|run_shell_command)(?:\(([\w-]*)(.*)\))?$/i;

/** In doubt true. The first word of a rule's pattern may end with a glob, and case does not count. */
function mayConcern(rule: string, name: string): boolean {
  const [whole, first = '', rest = ''] = SHELL_RULE.exec(rule.trim().toLowerCase()) ?? [];
  const isPrefix = rest === '' || /^[*?[]/.test(rest);
  const called = name.toLowerCase();
  return whole !== undefined && (isPrefix ? called.startsWith(first) : called === first);
}

function isAllowed(command: SimpleCommand): boolean {
  const { words, after } = command;
  const args = words.slice(1).map(({ text }) => text);
  if (after === '&') return false;
  if (nameOf(command) === 'cd') return args[0]?.startsWith('-') === false;
  return ALLOWED.has(nameOf(command)) && !args.some((text) => NOT_ALLOWED_OPTION.test(text));
}

const nameOf = ({ words }: SimpleCommand) => words[0]?.text ?? '';

/** Bash exports a function in a variable of this name; older versions in the second. */
function isFunction(name: string, environment: Environment): boolean {
  return `BASH_FUNC_${name}%%` in environment || `BASH_FUNC_${name}()` in environment;
}

/** True if PATH leads to this installation before it leads anywhere else, or to a folder that depends on where the line runs. */
function isInstalled(name: string, { environment, commands }: Installation): boolean {
  const folders = (environment.PATH ?? '').split(delimiter);
  const found = folders.find((folder) => !isAbsolute(folder) || isProgram(`${folder}/${name}`));
  if (found === undefined || !isAbsolute(found)) return false;
  return orElse(
    () => realpathSync(`${found}/${name}`) === realpathSync(`${commands}/${name}`),
    false,
  );
}

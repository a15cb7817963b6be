import { quote } from '../../base/line/quotes.ts';
import { randomHex } from '../../base/system/files.ts';

/** A quoted word is no alias, and `builtin` runs no function. */
export const BUILTIN = '\\builtin';

/*
 * PIPESTATUS and `$_`, which end with the `eval` of a line: they are kept for the report, and given to the next line if it
 * names them, since PIPESTATUS takes a process for each of its numbers.
 */

/** The state that the next line may ask for besides `$?`. */
export interface LastCommand {
  /** PIPESTATUS, or the exit code alone. */
  readonly statuses: readonly number[];
  /** `$_`; undefined if unknown. */
  readonly argument?: string | undefined;
}

/** A command with this exit code, and this PIPESTATUS if there can be one, that neither `set -e` nor an ERR trap counts. */
function statusCommand(exitCode: number, statuses: readonly number[], isAlone: boolean): string {
  const last = statuses.at(-1);
  // With pipefail, that of the last one that failed.
  const isExit = last === exitCode || statuses.findLast(Boolean) === exitCode;
  const isInverted = !isExit && last !== undefined && exitCode === Number(last === 0);
  if (statuses.length < 2 && !isInverted) {
    if (exitCode === 0) return '';
    // Without a process. A DEBUG trap would run for it, and it changes `$_`.
    if (exitCode === 1 && isAlone) return `${BUILTIN} false&&:`;
  }
  const codes = isExit || isInverted ? statuses : [exitCode];
  const pipe = codes.map((code) => `(${BUILTIN} exit ${code})`).join('|');
  return `${isInverted ? '! ' : ''}${pipe}${exitCode === 0 ? '' : '&&:'}`;
}

/** Holds `$?`, `$_` and PIPESTATUS from the end of a line until they are reported. No line knows it, or could make it readonly. */
export const KEPT = `AGENT_SHELL_${randomHex(4)}`;
/** Behind a line, since they are gone once `eval` has returned. After a failed `eval` in the line, bash 5.2 ignores a newline. */
export const KEEP = `\n\n{ ${KEPT}=("$?" "$_" "\${PIPESTATUS[@]}");} 2>/dev/null`;

const NAMED = /PIPESTATUS|\$\{?[!#]?_(?!\w)/;

/** Commands that set `$?`, and PIPESTATUS and `$_` if the line names them. */
export function startCommands(
  line: string,
  exitCode: number,
  last: LastCommand | undefined,
  hasTraps: boolean,
): string[] {
  const { statuses = [], argument } = NAMED.test(line) ? (last ?? {}) : {};
  const given = argument === undefined ? '' : `${BUILTIN} : ${inOneLine(quote(argument))}`;
  return [given, statusCommand(exitCode, statuses, given === '' && !hasTraps)];
}

/** True if the first command of a line names `$_` or PIPESTATUS, and the previous line left `$_` unknown. */
export function asksInVain(line: string, last: LastCommand | undefined): boolean {
  if (last === undefined || last.argument !== undefined) return false;
  const commands = line.replace(/^(?:\s|#.*\n)*/, '').replace(/'[^']*'/g, '');
  return NAMED.test(commands.split(/[;&|\n]/, 1)[0] ?? '');
}

/** Quoted text without newlines, which bash would count as lines. */
export const inOneLine = (quoted: string): string => quoted.replaceAll('\n', () => "'$'\\n''");

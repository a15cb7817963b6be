import { asWord } from '../line/quotes.ts';
import { safeText } from '../safe-text.ts';
import { type CommandResult, EXIT_CODES, failed } from './agent-command.ts';
import { DamagedVersion, errorCode, type StateError, UnnamedList } from './state-error.ts';

/** The problems of an input, one line each, without the leading `- `. */
export interface Problems {
  readonly lines: readonly string[];
  /** The number of problems that are not in `lines`. */
  readonly unlisted?: number;
  /** Lines that come last and are never cut. */
  readonly closing?: readonly string[];
}

const NONE: Problems = { lines: [] };
const MAX_LINES = 20;
/** All of stderr is at most 4 KB, with the first and last lines and warnings. */
const MAX_BYTES_OF_LINES = 3000;
const MAX_BYTES_OF_CHARACTER = 4;

/** A refused request: exit code 1, and an error that lists everything to fix. */
export function refusal(title: string, problems: Problems = NONE, ending = ''): CommandResult {
  return failed('refused', `Error: ${title}\n${bulletList(problems)}${ending}`);
}

function bulletList({ lines, unlisted = 0, closing = [] }: Problems): string {
  const size = (line: string) => Buffer.byteLength(line) + '- \n'.length;
  let room = MAX_BYTES_OF_LINES - closing.reduce((sum, line) => sum + size(line), 0);
  const shown: string[] = [];
  for (const whole of lines.slice(0, MAX_LINES - closing.length)) {
    // One that alone is too long is better than none.
    const isLong = shown.length === 0 && size(whole) > room;
    const line = isLong
      ? `${[...whole].slice(0, room / MAX_BYTES_OF_CHARACTER - 2).join('')}...`
      : whole;
    room -= size(line);
    if (room < 0) break;
    shown.push(line);
  }
  const hidden = unlisted + lines.length - shown.length;
  const all = [...shown, ...closing, ...(hidden > 0 ? [`and ${hidden} more`] : [])];
  return all.map((line) => `- ${line}\n`).join('');
}

/** Text whose lines end at column 80. */
export function inColumns(text: string): string {
  return text.replace(/(?=.{81})(.{1,80}) /g, '$1\n');
}

/** An error of agent-shell itself, for a person; the page has a line of its own if it does not fit. */
export function seeHelp(problem: string, page: string): string {
  const line = `agent-shell: ${problem}; see ${page}\n`;
  return line.length <= 81 ? line : `${inColumns(`agent-shell: ${problem};`)}\nsee ${page}\n`;
}

/** Stderr lines for advice, news and corrected slips; none for undefined. */
export function noteLines(notes: Iterable<string | undefined>): string {
  let text = '';
  for (const note of notes) if (note !== undefined) text += `Note: ${note}\n`;
  return text;
}

/** Appends advice to stderr. */
export function withNotes(result: CommandResult, notes: readonly string[]): CommandResult {
  return { ...result, stderr: result.stderr + noteLines(notes) };
}

/** A call of an agent command in advice; usage is none. */
const ADVISED_CALL = /^(?!Usage:).*\bT(?:odo|ask)[A-Z]\w/m;

/**
 * Tells to repeat these options of a call in the calls that its result advises: without them they are about another list.
 *
 * @param namesIn the options that can be repeated in calls advised by a text.
 */
export function withSameOptions(
  result: CommandResult,
  argv: readonly string[],
  namesIn: (advice: string) => readonly string[] = () => [],
): CommandResult {
  const { stderr } = result;
  if (!ADVISED_CALL.test(stderr)) return result;
  const names = namesIn(stderr);
  const given = argv.flatMap((word, at) => {
    const name = names.find((one) => word === one || word.startsWith(`${one}=`));
    const value = word === name ? argv[at + 1] : name && word.slice(name.length + 1);
    return value === undefined ? [] : [`${name} ${asWord(value)}`];
  });
  return given.length > 0
    ? withNotes(result, [`repeat ${given.join(' ')} in these calls`])
    : result;
}

/** Appends warnings to stderr, one line each. */
export function withWarnings(result: CommandResult, warnings: readonly string[]): CommandResult {
  if (warnings.length === 0) return result;
  return { ...result, stderr: result.stderr + warnings.map((line) => `${line}\n`).join('') };
}

const MAX_REPLY_CHARACTERS = 2000;
/** The titles of errors of commands that change nothing. */
const READS = /^Cannot (read|list|show|check|get|use) /;
const NOT_WRITABLE = ['EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'ENOENT', 'ENOSPC', 'EDQUOT'];
const ELSEWHERE =
  '- to keep lists elsewhere, start this program with TODO_STATE_DIR set to a writable folder with room\n';

export function exitCodeOf(error: StateError): number {
  return error instanceof UnnamedList ? EXIT_CODES.wrongUsage : EXIT_CODES.storageTrouble;
}

/**
 * The result of a command whose list cannot be read or written: an error that names the file.
 *
 * @param repair advice for a list of which every version is damaged.
 */
export function storageTrouble(title: string, error: StateError, repair?: string): CommandResult {
  const ending = error.isOfReading && !READS.test(title) ? '; nothing was changed' : '';
  const reason = safeText(error.message, MAX_REPLY_CHARACTERS) + ending;
  const isNotWritable = NOT_WRITABLE.includes(errorCode(error) ?? '');
  const isDamaged = error instanceof DamagedVersion && repair !== undefined;
  const advice = isNotWritable ? ELSEWHERE : isDamaged ? `- ${repair}\n` : '';
  const stderr = `Error: ${title}\n- ${reason}\n${advice}`;
  return { stdout: '', stderr, exitCode: exitCodeOf(error) };
}

/** To the second: local and for people as in `2026-01-31 13:00:00`, else as in `2026-01-31T12:00:00Z`. */
export function timeText(at: Date, isLocal: boolean): string {
  return isLocal ? at.toLocaleString('sv') : `${at.toISOString().slice(0, 19)}Z`;
}

import type { SeenLine } from '../command/agent-command.ts';
import { type SimpleCommand, simpleCommands } from '../line/simple-commands.ts';

/** Longer lines may have been cut, and are not read. */
const MAX_LINE_LENGTH = 20_000;
/** After these, the rest of the line may not run, or mean something else. */
const DIVERTS =
  /^(?:exit|exec|return|break|continue|logout|kill|eval|source|\.|set|shopt|trap|alias|unalias|enable|builtin|command|function|\d+)$/;

type Chain = readonly SimpleCommand[];
const BEGINS: readonly string[] = ['', ';', '&'];
const ENDS: readonly string[] = ['', ';'];

/**
 * The last line since a time that certainly ran the command with exit code 0: the line exited with 0, and is the command or a
 * list with it joined by `&&`. Returns undefined if there is none, or if the command may have failed later.
 */
export function lastRun(
  command: string,
  since: Date,
  lines: readonly SeenLine[],
): SeenLine | undefined {
  const wanted = chainOf(command);
  for (const seen of lines.toReversed()) {
    if (seen.from < since) break;
    const { line, exitCode } = seen;
    if (exitCode === 0 && isRun(line, command, wanted)) return seen;
    if (exitCode !== 0 && exitCode !== undefined && mayRun(line, command, wanted)) return undefined;
  }
  return undefined;
}

/** The part of a line that has exited with 0 when the command with these words runs. Returns undefined unless `&&` is before it. */
export function runBefore(words: readonly string[], line: string): string | undefined {
  const commands = line.length > MAX_LINE_LENGTH ? [] : (simpleCommands(line) ?? []);
  let at = commands.findIndex(
    (command) =>
      command.words.length === words.length &&
      command.words.every(({ text }, index) => text === words[index]),
  );
  while (commands[at]?.before === '|') at -= 1;
  if (commands[at]?.before !== '&&') return undefined;
  const before = commands.slice(0, at);
  return before.map(({ text, after }, i) => (i < at - 1 ? `${text} ${after} ` : text)).join('');
}

/** True if a line with exit code 0 has certainly run the command with exit code 0. */
function isRun(line: string, command: string, wanted: Chain | undefined): boolean {
  if (line.length > MAX_LINE_LENGTH) return false;
  return line.trim() === command.trim() || (wanted !== undefined && holds(line, wanted));
}

/** True if a failed line may have run the command. An empty line stands for an unknown one. */
function mayRun(line: string, command: string, wanted: Chain | undefined): boolean {
  const commands = line.length > MAX_LINE_LENGTH ? undefined : simpleCommands(line);
  if (commands === undefined || wanted === undefined) return line.includes(command.trim());
  return line.trim() === '' || includes(commands, wanted);
}

/** The commands of a list joined by `&&`. Returns undefined for any other text. */
function chainOf(text: string): Chain | undefined {
  const commands = simpleCommands(text);
  const last = commands?.at(-1);
  if (commands === undefined || last === undefined || !ENDS.includes(last.after)) return undefined;
  const isChain = commands.every(({ before }, at) => before === (at === 0 ? '' : '&&'));
  return isChain ? commands : undefined;
}

/** True if the last list of the line, joined by `&&`, includes these commands. */
function holds(line: string, wanted: Chain): boolean {
  const commands = simpleCommands(line) ?? [];
  const begin = commands.findLastIndex(({ before }) => before !== '&&');
  const [first, last] = [commands[begin], commands.at(-1)];
  if (first === undefined || last === undefined || commands.some(diverts)) return false;
  if (!BEGINS.includes(first.before) || !ENDS.includes(last.after)) return false;
  return includes(commands.slice(begin), wanted);
}

function diverts({ words: [name], assignments }: SimpleCommand): boolean {
  const text = assignments.length > 0 ? '' : (name?.text ?? '');
  return DIVERTS.test(text) || !/^[\w./+:@%-]+$/.test(text);
}

function includes(commands: Chain, wanted: Chain): boolean {
  return commands.some((_, start) =>
    wanted.every((one, index) => isSame(commands[start + index], one)),
  );
}

/** Equal texts, or equal words whatever their quotes. */
function isSame(seen: SimpleCommand | undefined, wanted: SimpleCommand): boolean {
  if (seen === undefined || seen.text === wanted.text) return seen !== undefined;
  const isPlain = ({ words, assignments }: SimpleCommand) =>
    assignments.length === 0 && words.every(({ isLiteral }) => isLiteral);
  return (
    // A redirection is part of a check, but on the seen line it only moves output.
    wanted.redirections.length === 0 &&
    isPlain(wanted) &&
    isPlain(seen) &&
    seen.words.length === wanted.words.length &&
    seen.words.every(({ text }, index) => text === wanted.words[index]?.text)
  );
}

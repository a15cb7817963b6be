import type { SeenLine } from '../command/agent-command.ts';
import { type SimpleCommand, simpleCommands } from '../line/simple-commands.ts';

/** Longer lines are not read: what keeps them may have cut them. */
const MAX_LINE_LENGTH = 20_000;
/** After these, the rest of the line may not run, or run otherwise than it reads. */
const DIVERTS =
  /^(?:exit|exec|return|break|continue|logout|kill|eval|source|\.|set|shopt|trap|alias|unalias|enable|builtin|command|function|\d+)$/;

type Chain = readonly SimpleCommand[];
const BEGINS: readonly string[] = ['', ';', '&'];
const ENDS: readonly string[] = ['', ';'];

/**
 * The last of these lines that certainly ran a command, with exit code 0, since some time. Undefined if there is none,
 * or if the command may have failed later. A line shows that a command ended with 0 where the line did, and is that
 * command or a list joined by `&&` that holds it.
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

/**
 * What a line has run, and what has ended with 0, when it comes to a command of these words: all of the line before it, if
 * the last joint is `&&`.
 */
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

/** Whether a line that ended with 0 has certainly run the command, which then ended with 0 as well. */
function isRun(line: string, command: string, wanted: Chain | undefined): boolean {
  if (line.length > MAX_LINE_LENGTH) return false;
  return line.trim() === command.trim() || (wanted !== undefined && holds(line, wanted));
}

/** Whether a line that failed may have run the command. An empty one is a line that nobody knows. */
function mayRun(line: string, command: string, wanted: Chain | undefined): boolean {
  const commands = line.length > MAX_LINE_LENGTH ? undefined : simpleCommands(line);
  if (commands === undefined || wanted === undefined) return line.includes(command.trim());
  return line.trim() === '' || includes(commands, wanted);
}

/** The commands of a list joined by `&&`; undefined for any other text. */
function chainOf(text: string): Chain | undefined {
  const commands = simpleCommands(text);
  const last = commands?.at(-1);
  if (commands === undefined || last === undefined || !ENDS.includes(last.after)) return undefined;
  const isChain = commands.every(({ before }, at) => before === (at === 0 ? '' : '&&'));
  return isChain ? commands : undefined;
}

/** Whether a line has these commands in its last list, which is joined by `&&`. */
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

/** Letter by letter; or word by word, whatever the blanks and quotes, and wherever the output went. */
function isSame(seen: SimpleCommand | undefined, wanted: SimpleCommand): boolean {
  if (seen === undefined || seen.text === wanted.text) return seen !== undefined;
  const isPlain = ({ words, assignments }: SimpleCommand) =>
    assignments.length === 0 && words.every(({ isLiteral }) => isLiteral);
  return (
    // A redirection is part of what is to be proven; of what was seen it only says where the output went.
    wanted.redirections.length === 0 &&
    isPlain(wanted) &&
    isPlain(seen) &&
    seen.words.length === wanted.words.length &&
    seen.words.every(({ text }, index) => text === wanted.words[index]?.text)
  );
}

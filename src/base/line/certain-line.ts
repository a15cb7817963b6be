import { outsideSingleQuotes } from './quotes.ts';
import { type Redirection, readCommands, type SimpleCommand } from './simple-commands.ts';

type CommandNames = { has(name: string): boolean };

const NO_NAMES: CommandNames = new Set();

/** The builtins of bash 3.2 to 5.3. */
export const BUILTINS: CommandNames = new Set(
  (
    '. : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo enable ' +
    'eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd ' +
    'read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias ' +
    'unset wait'
  ).split(' '),
);
/** Builtins that neither assign to variables nor evaluate text, with tests for their arguments. */
const SAFE_BUILTINS: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  echo: () => true,
  false: () => true,
  pwd: () => true,
  true: () => true,
  cd: (args) => args.length === 1,
  test: testsNoVariable,
  '[': testsNoVariable,
  printf: (args) => !args.some((text) => text.startsWith('-v') || assignsAsFormat(text)),
};
/** Not `%1`, which is a job. */
const PROGRAM = /^[\w./+@:,-]+$/;
/** Uncertain even in quotes, since the program may evaluate the text. */
const SUBSTITUTION = /`|\$[([{]/;
/** No rule that allows lines by their beginning is meant for longer ones. */
const MAX_LENGTH = 64 * 1024;
/** After `set -k`, an assignment may be an argument. */
const ASSIGNS = /^[A-Za-z_]\w*\+?=/;

/** The commands of a line, for an approval request. In doubt, it is not certain. */
export function readForApproval(
  line: string,
  agentCommands: CommandNames = NO_NAMES,
): { readonly commands: readonly (readonly string[])[]; readonly isCertain: boolean } {
  const reading = readCommands(line);
  return {
    commands: reading.commands.map(certainWords).filter(({ length }) => length > 0),
    isCertain: certainCommands(line, agentCommands, reading) !== undefined,
  };
}

/** The commands of a certain line. Returns undefined for any other line. */
export function certainCommands(
  line: string,
  agentCommands: CommandNames,
  { commands, isWhole, isLiteral } = readCommands(line),
): readonly SimpleCommand[] | undefined {
  const isPlain = isWhole && isLiteral && line.length <= MAX_LENGTH;
  return isPlain && commands.every((command) => isCertain(command, agentCommands))
    ? commands
    : undefined;
}

/** The words of a line that is one command of literal words, safe or not. Returns undefined for any other line. */
export function exactWords(line: string): readonly string[] | undefined {
  const { commands, isWhole, isLiteral } = readCommands(line);
  const [command, ...more] = commands;
  if (!isWhole || !isLiteral || command === undefined || more.length > 0) return undefined;
  return command.redirections.length === 0 && isAscii(command) ? certainWords(command) : undefined;
}

function certainWords({ words }: SimpleCommand): readonly string[] {
  const end = words.findIndex(({ isLiteral }) => !isLiteral);
  return (end < 0 ? words : words.slice(0, end)).map(({ text }) => text);
}

function isCertain(command: SimpleCommand, agentCommands: CommandNames): boolean {
  const [name = '', ...args] = command.words.map(({ text }) => text);
  const isAgentCommand = agentCommands.has(name);
  return (
    (isAgentCommand || isSafe(name, args)) &&
    isAscii(command) &&
    !command.words.slice(1).some(({ written }) => ASSIGNS.test(written)) &&
    command.redirections.every(
      (redirection) => isHarmless(redirection) || (isAgentCommand && isCertainHeredoc(redirection)),
    )
  );
}

function isSafe(name: string, args: readonly string[]): boolean {
  if (args.some((text) => SUBSTITUTION.test(text))) return false;
  return BUILTINS.has(name) ? SAFE_BUILTINS[name]?.(args) === true : PROGRAM.test(name);
}

function assignsAsFormat(text: string): boolean {
  return /%[^%diouxXfFeEgGaAcsbqQT]*n/.test(text.replaceAll('%%', ''));
}

/** -v and -R evaluate the index of an element of an array. */
function testsNoVariable(args: readonly string[]): boolean {
  return !args.some((text) => text === '-v' || text === '-R');
}

/** In some locales a character may end with the byte of a backslash or another ASCII character. */
function isAscii({ text }: SimpleCommand): boolean {
  return !/[\u0080-\uffff]/.test(outsideSingleQuotes(text));
}

function isHarmless({ descriptor, operator, target }: Redirection): boolean {
  if (!/^[12]?$/.test(descriptor)) return false;
  if (operator === '<') return descriptor === '' && target.text === '/dev/null';
  if (operator === '>&') return /^[12]$/.test(target.written);
  return /^(?:>|>>|>\||&>|&>>)$/.test(operator) && target.text === '/dev/null';
}

function isCertainHeredoc({ descriptor, operator, target }: Redirection): boolean {
  return descriptor === '' && operator === '<<' && /^'[A-Za-z]+'$/.test(target.written);
}

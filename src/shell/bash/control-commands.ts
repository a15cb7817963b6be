import { statSync } from 'node:fs';
import { join } from 'node:path';
import { CALLER_VARIABLES, type Environment } from '../../base/environment.ts';
import { quote } from '../../base/line/quotes.ts';
import { readCommands } from '../../base/line/simple-commands.ts';
import { randomHex } from '../../base/system/files.ts';
import { BUILTIN, inOneLine, type LastCommand, lastReport, startCommands } from './last-command.ts';

/*
 * The commands that we give bash besides the user's lines. Settings and definitions of the user must not change them, or must
 * end bash, which the session reports:
 *
 * - A quoted word is never an alias, and `builtin` ignores functions.
 * - -e, -x, -v, aliases and the traps ERR, DEBUG and RETURN are off between lines.
 * - Files are opened by name each time, since a line may close or reopen any descriptor.
 *
 * Bash parses these commands for each line, so those that are rarely needed are in files.
 */

export interface ControlFiles {
  /** Bash's own script. Its messages begin with the name `bash`. */
  readonly script: string;
  /** A FIFO: bash waits until it can read a byte from it. */
  readonly go: string;
  readonly status: string;
  readonly outputs: readonly [string, string];
  /** A script that succeeds if both outputs lead to the session in some other way. */
  readonly redirected: string;
  /** The commands after a report that was made out of place. */
  readonly goOn: string;
  /** The line's standard input. */
  readonly stdin: string;
  /** Made if `builtin` is a function, or disabled. */
  readonly hidden: string;
  /** Ends a report. It is in no command before the test of `builtin`, so a function cannot repeat it. */
  readonly seal: string;
}

export function controlFiles(directory: string, mergeStderr: boolean): ControlFiles {
  const path = (name: string) => join(directory, name);
  return {
    script: path('bash'),
    go: path('go'),
    status: path('status'),
    outputs: [path('out'), path(mergeStderr ? 'out' : 'err')],
    redirected: path('redirected'),
    goOn: path('go-on'),
    stdin: path('stdin'),
    hidden: path('hidden'),
    seal: randomHex(8),
  };
}

/** Commands for the script of bash. `text` ends with a command that waits. */
export interface ScriptPart {
  readonly text: string;
  /** Bash reads this after waiting, or at once if an error made it discard all of `text`. */
  readonly unread: string;
}

/** The user's settings that are off between lines. */
export interface HeldSettings {
  /** Some of `exv`. */
  readonly flags: string;
  readonly aliases: boolean;
  /** Commands that restore the traps ERR, DEBUG and RETURN. */
  readonly traps: string;
}

export const NOTHING_HELD: HeldSettings = { flags: '', aliases: false, traps: '' };

/** Bash's report at the end of a line. */
export interface Report {
  readonly exitCode: number;
  /** Undefined if bash does not know it. */
  readonly cwd: string | undefined;
  readonly held: HeldSettings;
  readonly last: LastCommand;
  /** Both outputs lead to the session. */
  readonly isHeard: boolean;
}

/** How bash would run an agent command now. */
export interface FoundCommand {
  /** The exported ones of TODO_SESSION, TODO_AGENT, TODO_TEAM and TODO_TASK_LIST. */
  readonly env: Record<string, string>;
  /** The file that the name means; empty for a function, alias or builtin. */
  readonly program: string;
  /** Both outputs are the session's own. */
  readonly ownOutputs: boolean;
}

export interface Evaluation {
  readonly line: string;
  /** `$?` at the start of the line. */
  readonly lastExitCode: number;
  /** The line before; undefined for the first one. */
  readonly last?: LastCommand | undefined;
  /** The line's standard input; bash's own, which is empty, unless given. */
  readonly stdin?: string | undefined;
}

// The read returns more than 128 if a trapped signal interrupts it in POSIX mode, or after TMOUT; any other failure ends bash
// before it can read half a line. It reads from descriptor 9, which is restored afterwards, and not from standard input, which
// belongs to a trap that runs meanwhile.
const wait = ({ go }: ControlFiles) =>
  `until ${BUILTIN} read -rn1 -u9 _ 9<${quote(go)};do [[ $? -gt 128 ]]||${BUILTIN} exit;done`;

// Redirections of the group before a line. The last one redirects nothing, but sets LINENO, so that bash's messages count from
// line 1: an assignment elsewhere is undone when its command ends.
const NOTHING_SHOWN = '>/dev/null 2>&1 9<&"-${0:LINENO=-1,0:0}"';

export function startCommand(cwd: string, env: Environment, files: ControlFiles) {
  const { OLDPWD } = env;
  const isFolder = OLDPWD && statSync(OLDPWD, { throwIfNoEntry: false })?.isDirectory();
  const oldValue = isFolder ? `=${quote(OLDPWD)}` : '';
  const openFiles = /^\w+$/.exec(env.AGENT_SHELL_OPEN_FILES ?? '');
  const limit = openFiles ? `${BUILTIN} ulimit -Sn ${openFiles[0]};` : '';
  return (
    `{ ${limit}${BUILTIN} cd -- ${quote(cwd)}||${BUILTIN} cd /;` +
    `${BUILTIN} unset -v OLDPWD;${BUILTIN} declare -x OLDPWD${oldValue};} ${NOTHING_SHOWN};${wait(files)}\n`
  );
}

export function fixedTexts(files: ControlFiles): Readonly<Record<string, string>> {
  const [out, err] = files.outputs.map(quote);
  const leads = (fd: number) => `( /dev/fd/${fd} -ef ${out} || /dev/fd/${fd} -ef ${err} )`;
  return {
    [files.redirected]: `[[ ! -d /dev/fd || ${leads(1)} && ${leads(2)} ]]\n`,
    [files.goOn]: `{ ${RESET_PARSER};${refuseHidden(files)};} 2>/dev/null\n${goOnCommand(files)}\n`,
  };
}

/** A first line that reads BASH_ENV as bash does when it starts. Returns undefined if it is not set. */
export function startText({ BASH_ENV }: Environment): string | undefined {
  const file = '\\"$BASH_ENV\\"';
  return BASH_ENV
    ? `${BUILTIN} export BASH_ENV=${quote(BASH_ENV)};${BUILTIN} eval "test -r ${file}&&. ${file}"`
    : undefined;
}

/** Commands that report the start of the line, evaluate it, and report how it ended. */
export function evaluatePart(
  { line, lastExitCode, last, stdin }: Evaluation,
  held: HeldSettings,
  nonce: string,
  files: ControlFiles,
): ScriptPart {
  const status = quote(files.status);
  const isTraced = /DEBUG/.test(line + held.traps);
  // 1. One `eval` reports the start of the line, restores what was off, runs the line, and reports what ends with the `eval`. If a
  // trap ends bash before the start is reported, the line has not run.
  const start = `${BUILTIN} printf %s. ${nonce} >${status}||${BUILTIN} exit`;
  const restore = restoreCommands(held, startCommands(line, lastExitCode, last, held.traps !== ''));
  const end = isTraced || mayShowMore(line, held) ? '' : lastReport(status);
  const evaluated = quote(`${start};${restore}\n${line}${end}`);
  const input = stdin === undefined ? '' : `<${quote(files.stdin)}`;
  // 2. The exit code. Under `set -e` a line whose last command may fail, such as `test && command`, must not end bash here. But
  // before 4.3 a DEBUG trap changes PIPESTATUS.
  const isInverted = !isTraced || held.flags.includes('e');
  const code = isInverted ? '"${PIPESTATUS[0]}"' : '"$?"';
  // 3. The report, which switches settings off; then bash must be fit for the next line. The outputs are /dev/null, which hides
  // what a DEBUG trap prints, and traces of our commands.
  const report = (code: string) => (isTraced ? tracedReport : reportCommand)(code, files);
  const check = `${report(code)};${RESET_PARSER};${refuseHidden(files)};[[ 1 ]]`;
  return {
    text: `${isInverted ? '! ' : ''}${BUILTIN} eval ${evaluated}${input};{ ${check};} >/dev/null 2>&1&&${goOnCommand(files)}\n`,
    // 4. After an error that made bash discard this text, it reports here.
    unread: `{ [[ $? = 0 ]]||! { ${report('"$?"')};};} ${NOTHING_SHOWN}||${BUILTIN} eval "$(<${quote(files.goOn)})"\n`,
  };
}

function restoreCommands({ flags, aliases, traps }: HeldSettings, start: readonly string[]) {
  const all = [
    aliases ? `${BUILTIN} shopt -s expand_aliases` : '',
    flags && `${BUILTIN} set -${flags}`,
    traps,
    ...start,
  ];
  const commands = all.filter(Boolean).join(';');
  return commands && `{ ${commands};} >/dev/null 2>&1`;
}

/** Whether commands after the line may become a part of it, or have an effect that shows. */
function mayShowMore(line: string, { flags, aliases }: HeldSettings): boolean {
  const isPlain = !flags.includes('v') && !aliases && !/\b(?:set|shopt|alias|ulimit)\b/.test(line);
  return !isPlain || !readCommands(line).isComplete;
}

// After a syntax error inside [[ ]], bash 5.2 may parse all that follows as a condition; after an open "$( it may write before
// the buffer of the next command. Another, plain syntax error resets the parser. In POSIX mode that would end bash: `command`
// prevents it, but not in 4.0 to 5.0, which need no reset.
const RESET_PARSER = `case $BASH_VERSION:$SHELLOPTS in 4*posix*|5.0*posix*);;*)${BUILTIN} command eval \\);esac`;

/**
 * Reports how a line ended, and which of its settings would affect our commands, which it switches off. If the FIFO was
 * removed, the report goes into a plain file in its place.
 */
function reportCommand(code: string, { status }: ControlFiles): string {
  const fifo = quote(status);
  // The code is the last argument, so $_ holds it, and a bash that cannot report exits with it.
  return (
    `${BUILTIN} printf %s\\\\0 "$-" ${code} >${fifo}&&[[ -p ${fifo} ]]||${BUILTIN} exit "$_";` +
    `{ ${SETTINGS};} >${fifo};${TRAPS_OFF};${OTHERS_OFF}`
  );
}

/** The same for a DEBUG trap, which runs for the first command only: others run in a subshell of it. */
function tracedReport(code: string, { status }: ControlFiles): string {
  const fifo = quote(status);
  const report = `{ { ${BUILTIN} printf %s\\\\0 "$-" ${code};${SETTINGS};} >${fifo};} 2>/dev/null`;
  return `${TRAPS_OFF} 9>/dev/null"$(${report})";[[ -p ${fifo} ]]||${BUILTIN} exit;${OTHERS_OFF}`;
}

const TRAPS_OFF = `${BUILTIN} trap - ERR DEBUG RETURN`;
const OTHERS_OFF = `${BUILTIN} set +exv;${BUILTIN} shopt -u expand_aliases`;
// The directory is asked of `pwd`, since a line may set $PWD.
const SETTINGS = `${BUILTIN} shopt -p expand_aliases;${BUILTIN} pwd -L;${BUILTIN} printf \\\\0;${BUILTIN} trap -p ERR DEBUG RETURN`;
/**
 * Ends bash if `builtin` is a function: since 4.4, without BASH_COMPAT, no function can leave this loop. Before, one can, but then
 * FUNCNAME holds its name where it evaluates the seal.
 */
const refuseHidden = ({ hidden }: ControlFiles) =>
  `for((;;));do ${BUILTIN} break;>${quote(hidden)};_=\${BASH_VERSINFO[9]?};done`;

/**
 * Checks `eval`, which the next line needs, completes the report with 0 if both outputs lead to the session, and waits. The host
 * goes on once it has the report, which `eval` must not write: `exit 5` in a trap for CHLD exits with 0 while bash is in an `eval`.
 */
function goOnCommand(files: ControlFiles): string {
  const [status = '', out, err] = [files.status, ...files.outputs].map(quote);
  return (
    `${BUILTIN} eval '[[ ! \${FUNCNAME[1]-} ]]'&&` +
    `{ [[ /dev/fd/1 -ef ${out} && /dev/fd/2 -ef ${err} ]]||${BUILTIN} . ${quote(files.redirected)};` +
    `${BUILTIN} printf \\\\0%s\\\\0%s\\\\0 "$?" ${files.seal} >${status};}&&${wait(files)}||${BUILTIN} exit`
  );
}

/** Returns undefined while the seal is missing. */
export function parseReport(fields: readonly string[], seal: string): Report | undefined {
  const hasLast = fields[0] === 'last';
  const end = hasLast ? fields.indexOf('', 2) : 0;
  const report = fields.slice(hasLast ? end + 2 : 0);
  if (end < 0 || report.at(-1) !== seal) return undefined;
  const [flags = '', code, directory = '', traps = '', other] = report;
  const [, option, cwd] = /^(.*)\n(\/.*)\n$/s.exec(directory) ?? [];
  const held = {
    flags: [...'exv'].filter((flag) => flags.includes(flag)).join(''),
    aliases: / -s /.test(option ?? ''),
    traps: trapCommands(traps),
  };
  const exitCode = Number(hasLast ? fields[end + 1] : code);
  const last = hasLast
    ? { argument: fields[1], statuses: fields.slice(2, end).map(Number) }
    : { statuses: [exitCode] };
  return { exitCode, cwd, held, last, isHeard: other === '0' };
}

/** The output of `trap -p` as commands in one line: the lines of bash's messages are those of the user. */
function trapCommands(printed: string): string {
  const traps = printed.matchAll(/trap -- ((?:'[^']*'|\\')+) (\w+)\n/g);
  return [...traps]
    .map(([, text = '', name]) => `${BUILTIN} trap -- ${inOneLine(text)} ${name}`)
    .join(';');
}

export function callerPart(name: string, nonce: string, files: ControlFiles): ScriptPart {
  const [status = '', out, err] = [files.status, ...files.outputs].map(quote);
  const values = CALLER_VARIABLES.map((variable) => `"\${${variable}-}"`).join(' ');
  const attributes = CALLER_VARIABLES.map(
    (variable) => `${BUILTIN} declare -p ${variable};${BUILTIN} printf \\\\0;`,
  ).join('');
  return {
    text:
      `[[ /dev/fd/1 -ef ${out} && /dev/fd/2 -ef ${err} ]];` +
      `{ ${BUILTIN} printf ${nonce}.%s\\\\0 "$?";${BUILTIN} printf %s\\\\0 ${values};${attributes}` +
      `${BUILTIN} type -p ${name};${BUILTIN} printf \\\\0;} >${status} 2>/dev/null&&${wait(files)}\n`,
    unread: `{ [[ 1 ]];} ${NOTHING_SHOWN}\n`,
  };
}

const CALLER_FIELDS = 2 + 2 * CALLER_VARIABLES.length;

/** Returns undefined while fields are missing. */
export function parseFoundCommand(fields: readonly string[]): FoundCommand | undefined {
  if (fields.length < CALLER_FIELDS) return undefined;
  const count = CALLER_VARIABLES.length;
  const env: Record<string, string> = {};
  CALLER_VARIABLES.forEach((variable, index) => {
    const [, attributes = ''] = /^declare -(\w*) /.exec(fields[1 + count + index] ?? '') ?? [];
    // Bash exports no arrays.
    if (attributes.includes('x') && !/a/i.test(attributes)) env[variable] = fields[1 + index] ?? '';
  });
  const program = fields[1 + 2 * count] ?? '';
  return { env, program: program.replace(/\n$/, ''), ownOutputs: fields[0] === '0' };
}

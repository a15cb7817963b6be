import { statSync } from 'node:fs';
import { join } from 'node:path';
import { CALLER_VARIABLES, type Environment } from '../../base/environment.ts';
import { quote } from '../../base/line/quotes.ts';
import { readCommands } from '../../base/line/simple-commands.ts';
import { randomHex } from '../../base/system/files.ts';
import { BUILTIN, inOneLine, KEEP, KEPT, type LastCommand, startCommands } from './last-command.ts';

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
  /** A FIFO for what bash reports. Node reads it when bash has written to `done`, since each write to that wakes Node. */
  readonly status: string;
  readonly done: string;
  readonly outputs: readonly [string, string];
  /** A script that succeeds if both outputs lead to the session in some other way. */
  readonly redirected: string;
  /** A report that is made out of place, and the commands after it. */
  readonly late: string;
  readonly goOn: string;
  /** The line's standard input. */
  readonly stdin: string;
  /** Made if `builtin` is a function, or disabled. */
  readonly hidden: string;
  /** The folder of the agent commands. */
  readonly bin: string;
  /** Begins each answer of bash. */
  readonly mark: string;
  /** Ends a report. It is in no command before the test of `builtin`, so a function cannot repeat it. */
  readonly seal: string;
}

export function controlFiles(directory: string, mergeStderr: boolean): ControlFiles {
  const path = (name: string) => join(directory, name);
  return {
    script: path('bash'),
    go: path('go'),
    status: path('status'),
    done: path('done'),
    outputs: [path('out'), path(mergeStderr ? 'out' : 'err')],
    redirected: path('redirected'),
    late: path('late'),
    goOn: path('go-on'),
    stdin: path('stdin'),
    hidden: path('hidden'),
    bin: path('bin'),
    mark: randomHex(4),
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
// belongs to a trap that runs meanwhile; and not into `_`, which a line may have made readonly.
const wait = ({ go }: ControlFiles) =>
  `until ${BUILTIN} read -rn1 -u9 ${KEPT} 9<${quote(go)}&&${BUILTIN} unset -v ${KEPT};do [[ $? -gt 128 ]]||${BUILTIN} exit;done`;

// Redirections of the group before a line. The last one redirects nothing, but sets LINENO, so that bash's messages count from
// line 1: an assignment elsewhere is undone when its command ends.
const AT_LINE_1 = '2>/dev/null 9<&"-${0:LINENO=-1,0:0}"';
const NOTHING_SHOWN = `>/dev/null ${AT_LINE_1}`;

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
    [files.late]: `{ ${reportCommand('1', files)};${makeReady(files)};} >${quote(files.status)} 2>/dev/null\n`,
    [files.goOn]: `{ ${RESET_PARSER};${refuseHidden(files)};} 2>/dev/null&&\n${goOnCommand(files)}\n`,
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
  files: ControlFiles,
): ScriptPart {
  const status = quote(files.status);
  const isTraced = /DEBUG/.test(line + held.traps);
  // 1. The start of the line is reported. If a trap ends bash before, the line has not run.
  const start = `${BUILTIN} printf %s. ${files.mark} >${status}||${BUILTIN} exit`;
  // 2. One `eval` restores what was off, runs the line, and keeps what ends with the `eval`.
  const restore = restoreCommands(held, startCommands(line, lastExitCode, last, held.traps !== ''));
  const end = isTraced || mayShowMore(line, held) ? '' : KEEP;
  const evaluated = quote(`${restore}\n${line}${end}`);
  const input = stdin === undefined ? '' : `<${quote(files.stdin)}`;
  // 3. The exit code. Under `set -e` a line whose last command may fail, such as `test && command`, must not end bash here. But
  // before 4.3 a DEBUG trap changes PIPESTATUS.
  const isInverted = !isTraced || held.flags.includes('e');
  const code = isInverted ? '${PIPESTATUS[0]}' : '$?';
  // 4. The report, which switches settings off; then bash must be fit for the next line. What a DEBUG trap prints, and traces of
  // our commands, are hidden.
  const report = (isTraced ? tracedReport : reportCommand)(code, files);
  const hiding = isTraced ? '>/dev/null 2>&1' : `>${status} 2>/dev/null`;
  const check = `{ ${report};${RESET_PARSER};${makeReady(files)};${refuseHidden(files)};} ${hiding}`;
  // 5. After an error that made bash discard this text, it reports here.
  const late = isTraced
    ? `{ ${tracedReport('1', files)};}`
    : `${BUILTIN} eval "$(<${quote(files.late)})" >/dev/null`;
  return {
    text: `${start};${isInverted ? '! ' : ''}${BUILTIN} eval ${evaluated}${input};${check}&&${goOnCommand(files)}\n`,
    unread: `{ [[ $? = 0 ]]||! ${late};} ${isTraced ? NOTHING_SHOWN : AT_LINE_1}||${BUILTIN} eval "$(<${quote(files.goOn)})"\n`,
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

/** True if commands after the line may become a part of it, or have a visible effect. */
function mayShowMore(line: string, { flags, aliases }: HeldSettings): boolean {
  const isPlain = !flags.includes('v') && !aliases && !/\b(?:set|shopt|alias|ulimit)\b/.test(line);
  return !isPlain || !readCommands(line).isComplete;
}

// After a syntax error inside [[ ]], bash 5.2 may parse all that follows as a condition; after an open "$( it may write before
// the buffer of the next command. Another, plain syntax error resets the parser. In POSIX mode that would end bash: `command`
// prevents it, but not in 4.0 to 5.0, which need no reset. Nor does a bash that could read KEEP, except for what CAN_EVAL does.
const RESET_PARSER = `case \${${KEPT}+kept}$BASH_VERSION:$SHELLOPTS in kept*|4*posix*|5.0*posix*);;*)${BUILTIN} command eval \\);esac`;

/**
 * Reports how a line ended, and which of its settings would affect our commands, which it switches off. If a FIFO was removed,
 * the report goes into a plain file in its place.
 */
function reportCommand(code: string, files: ControlFiles): string {
  // The code is the last argument, so $_ holds it, and a bash that cannot report exits with it.
  return `${printReport(code)}&&${hasFifos(files)}||${BUILTIN} exit "$_";${SETTINGS};${TRAPS_OFF};${OTHERS_OFF}`;
}

/** As `reportCommand`, with a DEBUG trap, which runs for the first command only: others run in a subshell of it. */
function tracedReport(code: string, files: ControlFiles): string {
  const report = `{ ${printReport(code)};${SETTINGS};} >${quote(files.status)} 2>/dev/null`;
  return `${TRAPS_OFF} 9>/dev/null"$(${report})";${hasFifos(files)}||${BUILTIN} exit;${OTHERS_OFF}`;
}

const printReport = (code: string) =>
  `${BUILTIN} printf \\\\0%s "$-" "\${${KEPT}[@]-}" "\${${KEPT}-${code}}"`;
const hasFifos = ({ status, done }: ControlFiles) =>
  `[[ -p ${quote(status)} && -p ${quote(done)} ]]`;
/** Both outputs are the session's own. */
const ownOutputs = ({ outputs: [out, err] }: ControlFiles) =>
  `[[ /dev/fd/1 -ef ${quote(out)} && /dev/fd/2 -ef ${quote(err)} ]]`;
const TRAPS_OFF = `${BUILTIN} trap - ERR DEBUG RETURN`;
const OTHERS_OFF = `${BUILTIN} set +exv;${BUILTIN} shopt -u expand_aliases`;
/** For the next line: without our variables, and with the agent commands on a PATH that was replaced, unless it is readonly. */
const makeReady = ({ bin }: ControlFiles) =>
  `${BUILTIN} unset -v ${KEPT};case :\${PATH-}: in ::|*:${quote(bin)}:*);;*)${BUILTIN} printf -v PATH %s ${quote(`${bin}:`)}"$PATH";esac`;
// The directory is asked of `pwd`, since a line may set $PWD.
const SETTINGS = `${BUILTIN} shopt -p expand_aliases;${BUILTIN} pwd -L;${BUILTIN} printf \\\\0;${BUILTIN} trap -p ERR DEBUG RETURN`;
/** The next line needs `eval`. */
const CAN_EVAL = `${BUILTIN} command eval '[[ ! \${FUNCNAME[1]-} ]]'`;
/**
 * Ends bash if `builtin` is a function: since 4.4, without BASH_COMPAT, no function can leave this loop. Before, one can, but then
 * FUNCNAME holds its name where it evaluates the seal. Then fails if `eval` does twice: after a syntax error in a file that the line
 * has sourced, bash 5.2 may know no condition, and the failure resets its parser.
 */
const refuseHidden = ({ hidden }: ControlFiles) =>
  `for((;;));do ${BUILTIN} break;>${quote(hidden)};_=\${BASH_VERSINFO[9]?};done;${CAN_EVAL}||${CAN_EVAL}`;

/**
 * Completes the report with 0 if both outputs lead to the session, and waits. The host
 * goes on once it has the report, which `eval` must not write: `exit 5` in a trap for CHLD exits with 0 while bash is in an `eval`.
 */
function goOnCommand(files: ControlFiles): string {
  return (
    `{ ${ownOutputs(files)}||${BUILTIN} . ${quote(files.redirected)};` +
    `${BUILTIN} printf \\\\0%s\\\\0%s\\\\0 "$?" ${files.seal} >${quote(files.done)};}&&${wait(files)}||` +
    `${BUILTIN} exit "\${${KEPT}-\${PIPESTATUS[0]}}"`
  );
}

/** Returns undefined while the seal is missing. */
export function parseReport(fields: readonly string[], seal: string): Report | undefined {
  const [settings = '', traps = '', other, end] = fields.slice(-4);
  if (end !== seal) return undefined;
  // What comes before the first field is not ours.
  const [flags = '', code = '', argument, ...statuses] = fields.slice(1, -4);
  const [, lastCode, option, cwd] = /^(\d+)(.*)\n(\/.*)\n$/s.exec(settings) ?? [];
  const held = {
    flags: [...'exv'].filter((flag) => flags.includes(flag)).join(''),
    aliases: / -s /.test(option ?? ''),
    traps: trapCommands(traps),
  };
  const exitCode = Number(code || lastCode);
  const last = code ? { argument, statuses: statuses.map(Number) } : { statuses: [exitCode] };
  return { exitCode, cwd, held, last, isHeard: other === '0' };
}

/** The output of `trap -p` as commands in one line: the lines of bash's messages are those of the user. */
function trapCommands(printed: string): string {
  const traps = printed.matchAll(/trap -- ((?:'[^']*'|\\')+) (\w+)\n/g);
  return [...traps]
    .map(([, text = '', name]) => `${BUILTIN} trap -- ${inOneLine(text)} ${name}`)
    .join(';');
}

export function callerPart(name: string, files: ControlFiles): ScriptPart {
  const values = CALLER_VARIABLES.map((variable) => `"\${${variable}-}"`).join(' ');
  const attributes = CALLER_VARIABLES.map(
    (variable) => `${BUILTIN} declare -p ${variable};${BUILTIN} printf \\\\0;`,
  ).join('');
  return {
    text:
      `${ownOutputs(files)};` +
      `{ ${BUILTIN} printf ${files.mark}.%s\\\\0 "$?";${BUILTIN} printf %s\\\\0 ${values};${attributes}` +
      `${BUILTIN} type -p ${name};${BUILTIN} printf \\\\0;} >${quote(files.done)} 2>/dev/null&&${wait(files)}\n`,
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

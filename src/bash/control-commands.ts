import { CALLER_VARIABLES } from '../environment.ts';
import { quote } from '../line/quote.ts';

/*
 * The commands that we give bash besides the user's lines. Bash reads them from a pipe byte by byte, at 0.15 us each, so
 * those that come with every line are short. Whatever the user has set, defined or broken must not change what they do:
 *
 * - Aliases do not come before a quoted word, nor functions before what `builtin` runs.
 * - -e, -x, -v and the traps ERR and DEBUG are off while it runs.
 * - No quotes where a broken parser may read it: bash 5.2 would write them before a buffer (see PROBE).
 */

const BUILTIN = '\\builtin';

// Lets each line start with line 1 in bash's messages. An assignment alone is undone when its command ends; one whose
// command is discarded, because it divides by zero, stays. That would end a bash in POSIX mode, which sets this variable.
const RESET_LINENO = 'case $((LINENO=-1))${POSIXLY_CORRECT-$((1/0))} in esac';

// After a syntax error bash 5.2 may take everything that follows for a condition, where it was within [[ ]], or write before
// the buffer that it reads the next command to, where a "$( was left open. A next, plain syntax error ends both. In POSIX
// mode it would end bash: `command` prevents that, but not in 4.0 to 5.0, which need no reset.
const SYNTAX_ERROR = `${BUILTIN} command eval \\)`;
const RESET_PARSER = `case $BASH_VERSION:$SHELLOPTS in 4*posix*|5.0*posix*);;*)${SYNTAX_ERROR};esac`;
const NEVER_ENDED_BY_IT = /^(?:3|5\.[1-9]|[6-9])/;

/** How a line ended, which of its settings would affect our commands, and what was told of bash itself. */
export interface Report {
  exitCode: number;
  cwd: string;
  held: HeldSettings;
  /** That of bash; empty unless it was not known. */
  version: string;
}

/** User settings that are switched off between lines. */
export interface HeldSettings {
  /** Those of -e, -x and -v that are set. */
  flags: string;
  /** Commands that set the ERR and DEBUG traps again. */
  traps: string;
}

export const NOTHING_HELD: HeldSettings = { flags: '', traps: '' };

/** What bash would run for the name of an agent command, and in which state. */
export interface FoundCommand {
  /** Those of TODO_SESSION, TODO_AGENT, TODO_TEAM and TODO_TASK_LIST that are exported. */
  env: Record<string, string>;
  /** The file that bash would run; empty if it would run something else. */
  program: string;
  /** Whether both outputs are still the session's own. */
  ownOutputs: boolean;
}

/** The first command of a bash: where it starts, and the descriptor for its reports. */
export function startCommand(start: {
  cwd: string;
  oldDirectory: string | undefined;
  status: string;
  statusFd: number;
  /** Descriptors to close. */
  leaked: readonly number[];
  /** A file of commands that restore the state of the previous bash. */
  restore: string | undefined;
}): string {
  const { cwd, oldDirectory, status, statusFd, leaked, restore } = start;
  const close = leaked.map((fd) => `exec ${fd}>&-;`).join('');
  const oldValue = oldDirectory === undefined ? '' : `=${quote(oldDirectory)}`;
  const state = restore === undefined ? '' : `. ${quote(restore)};`;
  return (
    `{ ${BUILTIN} cd -- ${quote(cwd)}||${BUILTIN} cd /;` +
    `${BUILTIN} unset -v OLDPWD;${BUILTIN} declare -x OLDPWD${oldValue};` +
    `${close}exec ${statusFd}>${quote(status)};${state}${RESET_LINENO};} >/dev/null 2>&1`
  );
}

/**
 * Reads the file that BASH_ENV names, as bash would at its start. There it would read it before it opens its script, and
 * not find that after a `cd`.
 */
export function startFileCommand(value: string): string {
  const file = '\\"$BASH_ENV\\"';
  return `{ ${BUILTIN} export BASH_ENV=${quote(value)};${BUILTIN} eval "test -r ${file}&&. ${file}";}\n{ ${RESET_LINENO};} 2>/dev/null`;
}

/**
 * Evaluates the text of a file, and reports. If bash could not read the file, it would evaluate nothing, and succeed. So
 * the exit code of reading it follows the text: nothing for 0, and a command that does not exist for 1.
 */
export function evaluateCommand(file: string, stdin: string | undefined, report: string): string {
  const input = stdin === undefined ? '' : `<${quote(stdin)}`;
  return `${BUILTIN} eval "$(<${quote(file)})\${?#0}"${input};${report}`;
}

/** The exit code of a line that bash could not read, and a part of its second error; the first one names the file. */
export const UNREAD = { exitCode: 127, error: ': 1: ' } as const;

/**
 * Reports how a line ended and which of its settings would affect our commands, and switches these off. What need not be
 * done before the report is a command of its own: bash reads it while the report is on its way.
 *
 * @param version that of this bash. If it is not known yet, the report tells it.
 */
export function reportCommand(nonce: string, statusFd: number, version?: string): string {
  const flags = version === undefined ? '"$- $BASH_VERSION"' : '"$-"';
  const reset = version && NEVER_ENDED_BY_IT.test(version) ? SYNTAX_ERROR : RESET_PARSER;
  return (
    `{ ${BUILTIN} printf %s\\\\0 ${nonce} "$?" "$PWD" ${flags};` +
    `${BUILTIN} trap -p ERR DEBUG;${BUILTIN} printf \\\\0;` +
    `${BUILTIN} trap - ERR DEBUG;${BUILTIN} set +exv;${reset};` +
    // Only what cannot be redirected ends bash, and no builtin that is disabled.
    `[[ 1 ]];} >&${statusFd} 2>/dev/null||${BUILTIN} exit 2>/dev/null\n` +
    `{ ${RESET_LINENO};} 2>/dev/null`
  );
}

export const REPORT_FIELDS = 4;

export function parseReport([exitCode, cwd, options = '', traps]: readonly string[]): Report {
  const [set = '', version = ''] = options.split(' ');
  return {
    exitCode: Number(exitCode),
    cwd: cwd ?? '',
    held: { flags: [...'exv'].filter((flag) => set.includes(flag)).join(''), traps: traps ?? '' },
    version,
  };
}

/** The same again, for a bash that waits but did not report: builtins may be hidden or disabled. */
export function rescueCommand(report: string): string {
  const names = 'builtin command enable eval exit printf return set trap .';
  // Bash before 5.1 does not accept a dot as a name here, and says so.
  const unset = `\\unset -f ${names} 2>/dev/null`;
  return (
    `${RESET_PARSER} 2>/dev/null\n` +
    // In POSIX mode, which this variable turns on, nothing hides a special builtin such as unset.
    `case $SHELLOPTS in *posix*)${unset};;*)POSIXLY_CORRECT=1;${unset};\\unset -v POSIXLY_CORRECT;esac\n` +
    // Not with `builtin`, which may be disabled, too.
    `\\enable ${names}\n${report}`
  );
}

/** Restores `$?` and what was switched off, in a file that bash sources; empty if there is nothing to do. */
export function preludeText({ flags, traps }: HeldSettings, lastExitCode: number): string {
  const commands: string[] = [];
  if (traps !== '') {
    commands.push(traps);
  }
  if (flags !== '') {
    commands.push(`${BUILTIN} set -${flags}`);
  }
  // Under `set -e` a status other than 0 would end bash.
  if (lastExitCode !== 0 && !flags.includes('e')) {
    commands.push(`${BUILTIN} return ${lastExitCode}`);
  }
  return commands.length === 0 ? '' : `{ ${commands.join('\n')}\n}\n`;
}

/** Lets bash find its commands in another folder, and reports its PATH, which may be read-only. */
export function moveCommand(from: string, to: string, nonce: string, statusFd: number): string {
  // Not \${PATH//from/to}: there bash 3.2 takes the quotes for text.
  const [old, fresh] = [quote(from), quote(to)];
  return (
    `case $PATH in *${old}*) PATH=\${PATH%%${old}*}${fresh}\${PATH#*${old}};; esac 2>/dev/null\n` +
    `{ ${BUILTIN} printf %s\\\\0 ${nonce} "$PATH";${RESET_LINENO};} >&${statusFd} 2>/dev/null`
  );
}

export const MOVE_FIELDS = 1;

export function preludeCommand(file: string): string {
  return `${BUILTIN} . ${quote(file)} >/dev/null 2>&1`;
}

/** Asks what a call of `name` would run now. */
export function callerCommand(
  name: string,
  nonce: string,
  statusFd: number,
  outputs: readonly [string, string],
): string {
  const [out, err] = outputs.map(quote);
  const values = CALLER_VARIABLES.map((variable) => `"\${${variable}-}"`).join(' ');
  const attributes = CALLER_VARIABLES.map(
    (variable) => `${BUILTIN} declare -p ${variable};${BUILTIN} printf \\\\0;`,
  ).join('');
  return (
    `${BUILTIN} test /dev/fd/1 -ef ${out} -a /dev/fd/2 -ef ${err};` +
    `{ ${BUILTIN} printf %s\\\\0 ${nonce} "$?" ${values};${attributes}` +
    `${BUILTIN} type -p ${name};${BUILTIN} printf \\\\0;${RESET_LINENO};} >&${statusFd} 2>/dev/null`
  );
}

export const CALLER_FIELDS = 2 + 2 * CALLER_VARIABLES.length;

export function parseFoundCommand(fields: readonly string[]): FoundCommand {
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

// More nested quotes than anyone types: to read them, bash has to enlarge its buffer of open quotes.
const NESTED_QUOTES = Array.from({ length: 100 }).reduce<string>((text) => `: "$(${text})"`, ':');

/**
 * Finds out whether bash 5.2 has written before the start of its buffer of open quotes, as it does after an error inside
 * `"$(`: then the C library ends a child that enlarges that buffer. If so, `file` gets the state that can be kept.
 */
export function probeText(file: string): string {
  const list = ['shopt -p', 'alias -p', 'declare -p', 'declare -f', 'declare -F', 'trap -p'];
  const state = [...list, 'umask -p', 'set +o'].map((command) => `${BUILTIN} ${command}`).join(';');
  return `( ${BUILTIN} ulimit -c 0
${BUILTIN} eval '${BUILTIN} true||${NESTED_QUOTES}' ) && ${BUILTIN} return
{ ${state};${BUILTIN} printf 'set --';[[ $# = 0 ]]||${BUILTIN} printf ' %q' "$@"
${BUILTIN} printf '\\n'; } >|${quote(file)}
${BUILTIN} trap - EXIT
${BUILTIN} return 1
`;
}

export const PROBE_FIELDS = 1;

export function probeCommand(file: string, nonce: string, statusFd: number): string {
  return (
    `{ ${BUILTIN} . ${quote(file)} >/dev/null;` +
    `${BUILTIN} printf %s\\\\0 ${nonce} "$?";${RESET_LINENO};} >&${statusFd} 2>/dev/null`
  );
}

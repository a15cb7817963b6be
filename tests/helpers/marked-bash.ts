import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quote } from '../../src/base/line/quotes.ts';
import { temporaryDirectory } from './files.ts';

/** The effects of a line in a real bash. */
export interface Deeds {
  /** The programs called, with their arguments. */
  readonly calls: readonly (readonly string[])[];
  /** The files created. */
  readonly files: readonly string[];
  /** Changed variables, functions, aliases, traps and options, or the end of bash. */
  readonly changes: string;
}

const BATCH = 500;
const LIMIT_S = '250';

// Each line has its own subshell and empty folder. Unsetting removes the special meaning of Bash's variables that change
// all the time, and `:` sets the two that remain.
const PROGRAM = String.raw`
unset -v RANDOM SRANDOM SECONDS EPOCHSECONDS EPOCHREALTIME BASH_COMMAND BASHPID BASH_SUBSHELL HISTCMD LINENO BASH_MONOSECONDS
command_not_found_handle() { printf '%s\0' "$INDEX" "$@" $'\2' >>"$LOG"; }
state() { unset -v PWD OLDPWD; : state; declare -p; declare -f; alias; trap -p; shopt; set -o; }
# Without printf the handler would call itself for ever.
FUNCNEST=10
export LOG=$PWD/log
PATH=$PWD/programs
exec 3>changes
. ./lines
for INDEX in "\${!lines[@]}"; do
  export INDEX
  (
    cd "folders/$INDEX"
    line=\${lines[INDEX]}
    unset -v lines
    printf '%s\0' "before $INDEX" "$(state)" >&3
    eval "$line" </dev/null >/dev/null 2>&1 3>&-
    # Its input, which is ours, does not end.
    [[ ! \${COPROC_PID-} ]] || kill -KILL "$COPROC_PID" 2>/dev/null
    wait
    printf '%s\0' "after $INDEX" "$(state)" >&3
  )
done
exit 0
`.replaceAll('\\$', '$');

/** Runs lines in a bash with only programs on PATH that record their calls. */
export function deedsOf(
  lines: readonly string[],
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Deeds[] {
  const deeds: Deeds[] = [];
  for (let start = 0; start < lines.length; start += BATCH) {
    deeds.push(...deedsOfBatch(lines.slice(start, start + BATCH), names, env));
  }
  return deeds;
}

function deedsOfBatch(
  lines: readonly string[],
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Deeds[] {
  const root = temporaryDirectory();
  const inRoot = (...path: string[]) => join(root, ...path);
  mkdirSync(inRoot('programs'));
  for (const name of names) {
    const text = `#!/bin/sh\nprintf '%s\\0' "$INDEX" "\${0##*/}" "$@" "$(printf '\\2')" >>"$LOG"\n`;
    writeFileSync(inRoot('programs', name), text);
    chmodSync(inRoot('programs', name), 0o755);
  }
  for (const index of lines.keys())
    mkdirSync(inRoot('folders', String(index)), { recursive: true });
  writeFileSync(inRoot('lines'), `lines=(\n${lines.map(quote).join('\n')}\n)\n`);
  writeFileSync(inRoot('log'), '');
  // A line that hangs is killed with all its processes.
  const options = {
    cwd: root,
    // Missing, until a line makes a file of that name.
    env: { ...env, HOME: inRoot('home') },
    stdio: 'ignore',
  } as const;
  const { status } = spawnSync('timeout', ['-s', 'KILL', LIMIT_S, 'bash', '-c', PROGRAM], options);
  const told = readFileSync(inRoot('changes'), 'utf8');
  const last = told.match(/(?:before|after) \d+(?=\0)/g)?.at(-1) ?? '';
  if (status !== 0) throw new Error(`bash hung ${last}: ${lines[Number(last.split(' ')[1])]}`);

  const calls = new Map<number, string[][]>();
  for (const record of readFileSync(inRoot('log'), 'utf8').split('\x02\0').slice(0, -1)) {
    const [index, ...words] = record.split('\0').slice(0, -1);
    calls.set(Number(index), [...(calls.get(Number(index)) ?? []), words]);
  }
  // Bash reports functions with the line number of their call.
  const all = told.replace(/^declare -a BASH_LINENO=.*\n/gm, '');
  const states = new Map(
    Array.from(all.matchAll(/([^\0]*)\0([^\0]*)\0/g), ([, name, state]) => [name, state]),
  );
  const extra = readdirSync(root).filter((name) => !KNOWN.has(name));
  return lines.map((_, index) => ({
    calls: calls.get(index) ?? [],
    files: [...readdirSync(inRoot('folders', String(index))), ...extra],
    changes: difference(states.get(`before ${index}`), states.get(`after ${index}`)),
  }));
}

const KNOWN = new Set(['programs', 'home', 'folders', 'lines', 'log', 'changes']);

function difference(before = '', after = 'bash ended'): string {
  const known = new Set(before.split('\n'));
  const lines = after.split('\n');
  const kept = new Set(lines);
  const lost = [...known].filter((line) => !kept.has(line));
  return [...lost.map((line) => `- ${line}`), ...lines.filter((line) => !known.has(line))].join(
    '\n',
  );
}

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { Environment } from '../../base/environment.ts';
import { safeText } from '../../base/safe-text.ts';
import { ListHome } from '../../lists/list-home.ts';
import { workTreeOf } from '../../lists/list-paths.ts';
import { hookLog, lastFailures } from '../hook/hook-log.ts';

export interface SetupWorld {
  readonly environment: Environment;
  readonly directory: string;
  readonly home: string;
}

export interface Inspection {
  readonly lines: readonly string[];
  readonly isGood: boolean;
}

type Finding = [state: 'ok' | 'missing' | 'note', text: string];

const NEEDED_COMMANDS = ['TodoWrite', 'TodoRead', 'agent-shell'] as const;
const MOST_FAILURES = 5;
const MARK = 'todowrite-install';
const TIMEOUT_MS = 10_000;
/** A login shell may print anything, so our lines begin with a mark. */
const LOOK_SCRIPT = `
for name in ${NEEDED_COMMANDS.join(' ')} node; do echo "${MARK} $name $(command -v "$name")"; done
echo "${MARK} bash $BASH $BASH_VERSION"
echo "${MARK} version $(node --version 2>/dev/null)"
`;

export function inspectInstall(world: SetupWorld): Inspection {
  const { environment, directory } = world;
  const here = askBash('-c', environment, directory);
  // A login shell finds what every harness finds, whatever environment it starts from.
  const login = askBash('-lc', { ...environment, PATH: systemPath(environment) }, directory);
  const home = new ListHome(environment, directory);
  const state = home.folder;
  const trouble = folderProblem(state);
  const inTree = `${state}${sep}`.startsWith(`${workTreeOf(directory) ?? directory}${sep}`);
  const log = hookLog(state);
  const failures = lastFailures(log, MOST_FAILURES);
  const notes = [
    !inTree &&
      trouble === undefined &&
      'that is outside the work tree: a sandbox may not allow writing there; see docs/platforms.md',
    ...home.warnings,
    failures.length > 0 && `the hook has failed recently, see ${log}:`,
  ];
  const findings: Finding[] = [
    found('bash', here),
    found('a login shell (bash -lc)', login),
    ['ok', `bash ${here.get('bash') ?? 'not found'}`],
    nodeFinding(here),
    trouble === undefined
      ? ['ok', `lists are in ${state}`]
      : ['missing', `lists cannot be written in ${state}: ${trouble}; set TODO_STATE_DIR`],
    ...notes.filter((text) => text !== false).map((text): Finding => ['note', text]),
  ];
  return {
    lines: [
      'Commands and lists:',
      ...findings.map(([what, text]) => `  ${what.padEnd(8)} ${safeText(text)}`),
      ...failures.map((line) => `             ${line}`),
    ],
    isGood: findings.every(([what]) => what !== 'missing'),
  };
}

function nodeFinding(said: ReadonlyMap<string, string>): Finding {
  const isPortable = existsSync(join(process.execPath, '../../dist/bin/agent-shell.cjs'));
  if (isPortable) return ['ok', `Node ${process.version} ${process.execPath}`];
  return said.get('version')
    ? ['ok', `Node ${said.get('version')} ${said.get('node')}`]
    : ['missing', 'Node: the commands need it on PATH'];
}

function found(who: string, said: ReadonlyMap<string, string>): Finding {
  const missing = NEEDED_COMMANDS.filter((name) => !said.get(name));
  if (missing.length === 0) {
    return ['ok', `${who} finds the commands in ${dirname(said.get('TodoWrite') ?? '')}`];
  }
  return ['missing', `${who} does not find ${missing.join(', ')}; add their folder to its PATH`];
}

/** The environment of a login before its startup files run. */
function systemPath({ PATH = '' }: SetupWorld['environment']): string {
  return existsSync('/etc/profile') ? '/usr/local/bin:/usr/bin:/bin' : PATH;
}

/** Undefined if the folder can be written or created. It tries, because in a sandbox nothing else tells. */
function folderProblem(folder: string): string | undefined {
  try {
    rmdirSync(mkdtempSync(join(folder, 'trial~')));
    return undefined;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const parent = dirname(folder);
    const isThere = existsSync(folder);
    if (code === 'ENOENT' && !isThere && parent !== folder) return folderProblem(parent);
    return code ?? message;
  }
}

function askBash(
  option: '-c' | '-lc',
  environment: Environment,
  directory: string,
): ReadonlyMap<string, string> {
  const { stdout } = spawnSync('bash', [option, LOOK_SCRIPT], {
    env: environment as NodeJS.ProcessEnv,
    cwd: directory,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const said = new Map<string, string>();
  for (const line of (stdout ?? '').split('\n')) {
    const [mark, name = '', ...rest] = line.split(' ');
    if (mark === MARK) said.set(name, rest.join(' ').trim());
  }
  return said;
}

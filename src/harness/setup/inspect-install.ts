import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { basename, delimiter, dirname, join, sep } from 'node:path';
import type { CommandResult } from '../../base/command/agent-command.ts';
import type { Environment } from '../../base/environment.ts';
import { quote } from '../../base/line/quotes.ts';
import { safeText } from '../../base/safe-text.ts';
import { orElse } from '../../base/system/files.ts';
import { ListHome } from '../../lists/list-home.ts';
import { workTreeOf } from '../../lists/list-paths.ts';
import { hookLog, lastFailures } from '../hook/hook-log.ts';
import { HARNESS_NAMES, HARNESSES, type Harness, type HarnessName } from './harnesses.ts';
import {
  MAX_SETUP_ERROR,
  type Piece,
  piecesOf,
  pieceTitle,
  type SetupWorld,
  type Target,
} from './pieces.ts';
import { SetupError } from './text-edits.ts';

type Finding = [state: 'ok' | 'missing' | 'note', text: string];

const NEEDED_COMMANDS = ['TodoWrite', 'TodoRead', 'agent-shell'] as const;
/** By the user's shell, from which bash inherits PATH. Each of them reads the line that we suggest. */
const START_FILES: Readonly<Record<string, string>> = {
  zsh: '.zshrc',
  fish: '.config/fish/config.fish',
};
const MOST_FAILURES = 5;
const MARK = 'todowrite-install';
const TIMEOUT_MS = 10_000;
/** A login shell may print anything, so our lines begin with a mark. */
const LOOK_SCRIPT = `
for name in ${NEEDED_COMMANDS.join(' ')} node; do echo "${MARK} $name $(command -v "$name")"; done
echo "${MARK} bash $BASH $BASH_VERSION"
echo "${MARK} version $(node --version 2>/dev/null)"
`;

/** `setup --check` of one harness, or, without a name, of all that are set up. Exit code 1 if something is missing. */
export function inspect(name: HarnessName | undefined, target: Target): CommandResult {
  const targets = name
    ? [target]
    : (['project', 'user'] as const).map((scope) => ({ ...target, scope }));
  const setUp = targets.flatMap((own) =>
    (name ? [name] : HARNESS_NAMES).flatMap((one) => {
      // Without a name, a harness whose files cannot be read is not known to be set up.
      const pieces = name ? piecesOf(one, own) : orElse(() => piecesOf(one, own), []);
      const rows = pieces.map((piece) => pieceRow(piece, own));
      const isSetUp = name !== undefined || rows.some(({ state }) => state !== 'missing');
      return isSetUp ? [{ harness: HARNESSES[one] as Harness, rows, scope: own.scope }] : [];
    }),
  );
  const needsLogin = setUp.length === 0 || setUp.some(({ harness }) => !harness.inheritsPath);
  const environment = lastingEnvironment(target.environment);
  const install = inspectInstall({ ...target, environment }, needsLogin);
  const parts = [
    install.lines,
    ...setUp.map(({ harness, rows, scope }) => [
      `${harness.title}, ${scope === 'project' ? 'this project' : 'all projects'}:`,
      ...rows.map(({ state, text }) => `  ${state.padEnd(8)} ${text}`),
    ]),
  ];
  const isGood = install.isGood && setUp.every(({ rows }) => rows.every((row) => row.isGood));
  const stdout = parts.map((lines) => `${lines.join('\n')}\n`).join('\n');
  return { stdout, stderr: '', exitCode: isGood ? 0 : 1 };
}

export function pieceRow(piece: Piece, target: Target) {
  const [state, reason] = pieceState(piece, target);
  const why = reason ? `: ${safeText(reason, MAX_SETUP_ERROR)}` : '';
  const isGood = state === 'ok' || (state === 'missing' && piece.permission === 'all');
  return { state, text: pieceTitle(piece, target) + why, isGood };
}

type PieceState = [state: 'ok' | 'missing' | 'outdated' | 'unreadable', reason?: string];

function pieceState({ path, edit }: Piece, target: Target): PieceState {
  try {
    const text = target.read(path);
    if (text === undefined) return ['missing'];
    if (edit.add(text) === text) return ['ok'];
    return [edit.remove(text) === text ? 'missing' : 'outdated'];
  } catch (error) {
    if (error instanceof SetupError) return ['unreadable', error.message];
    throw error;
  }
}

const OF_NPM = /\/node_modules\/\.bin$/;

/** The environment that agents will have: `npx` and `npm run` add folders to PATH for one command only. */
export function lastingEnvironment(environment: Environment): Environment {
  if (environment.npm_command === undefined) return environment;
  const folders = (environment.PATH ?? '').split(delimiter);
  return { ...environment, PATH: folders.filter((one) => !OF_NPM.test(one)).join(delimiter) };
}

function inspectInstall(
  { environment, directory, home, started }: SetupWorld,
  needsLogin: boolean,
): { lines: readonly string[]; isGood: boolean } {
  const here = askBash('-c', environment, directory);
  // A login shell finds what every harness finds, whatever environment it starts from.
  const login = askBash('-lc', { ...environment, PATH: systemPath(environment) }, directory);
  const loginFile =
    ['.bash_profile', '.bash_login'].find((file) => existsSync(join(home, file))) ?? '.profile';
  const seen = [here, login].flatMap((said) => NEEDED_COMMANDS.map((name) => said.get(name)));
  // In a checkout, agent-shell is in none of the folders; those of npm may not last.
  const folder = [...seen, started]
    .map((path) => (path ? dirname(path) : ''))
    .filter((at) => at !== '' && !OF_NPM.test(at))
    .find((at) => NEEDED_COMMANDS.every((name) => existsSync(join(at, name))));
  const found = (who: string, said: ReadonlyMap<string, string>, file: string): Finding => {
    const missing = NEEDED_COMMANDS.filter((name) => !said.get(name));
    if (missing.length === 0) {
      return ['ok', `${who} finds the commands in ${dirname(said.get('TodoWrite') ?? '')}`];
    }
    const state = said === login && !needsLogin ? 'note' : 'missing';
    const way = folder
      ? `add to ~/${file}: export PATH=${quote(folder)}:"$PATH"`
      : 'to install them: docs/install.md';
    return [state, `${who} does not find ${missing.join(', ')}; ${way}`];
  };
  const lists = new ListHome(environment, directory);
  const state = lists.folder;
  const trouble = folderProblem(state);
  const inTree = `${state}${sep}`.startsWith(`${workTreeOf(directory) ?? directory}${sep}`);
  const log = hookLog(state);
  const failures = lastFailures(log, MOST_FAILURES);
  const notes = [
    !inTree &&
      trouble === undefined &&
      'that is outside the work tree: a sandbox may not allow writing there; see docs/platforms.md',
    ...lists.warnings,
    failures.length > 0 && `the hook has failed recently, see ${log}:`,
  ];
  const findings: Finding[] = [
    found('bash', here, START_FILES[basename(environment.SHELL ?? '')] ?? '.bashrc'),
    found('a login shell (bash -lc)', login, loginFile),
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

/** The environment of a login before its startup files run. */
function systemPath({ PATH = '' }: Environment): string {
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

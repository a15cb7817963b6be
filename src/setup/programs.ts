import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from '../environment.ts';

const MARK = 'todowrite-check';
const TIMEOUT_MS = 10_000;
const COMMANDS = ['TodoWrite', 'TodoRead', 'agent-shell', 'node'] as const;
/** A login shell may print anything, so our lines begin with a mark. */
const SCRIPT = `
for name in ${COMMANDS.join(' ')}; do echo "${MARK} $name $(command -v "$name")"; done
echo "${MARK} bash $BASH $BASH_VERSION"
echo "${MARK} version $(node --version 2>/dev/null)"
`;

/** The path of a program, found through PATH. */
export function findProgram(name: string, { PATH = '' }: Environment): string | undefined {
  return PATH.split(delimiter)
    .filter(Boolean)
    .map((folder) => join(folder, name))
    .find(isProgram);
}

/** What a bash reports: the commands' paths by name, its own version as `bash`, and Node's as `version`. */
export function askBash(
  option: '-c' | '-lc',
  environment: Environment,
  directory: string,
): ReadonlyMap<string, string> {
  const { stdout } = spawnSync('bash', [option, SCRIPT], {
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

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

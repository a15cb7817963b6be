import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { CommandResult } from '../../src/base/command/agent-command.ts';
import { ENV } from './bash.ts';
import { bundled } from './bundle.ts';
import { eventually } from './eventually.ts';
import { type RunningProgram, startProgram } from './executables.ts';
import { temporaryDirectory } from './files.ts';

/** A program that uses the library, in its own process. */
export interface HostProgram extends RunningProgram {
  /** For its sessions' private files. */
  readonly tmp: string;
}

/** `Agent TEXT` prints a line, `Agent TEXT TIMES` a text without an end of line, `Agent -` its standard input. */
const BEGINNING = `
  import { readdirSync } from 'node:fs';
  const execute = async ({ argv: [text = '', times], stdin }) => {
    if (text === 'never') return new Promise(() => {});
    const stdout = text === '-' ? await stdin() : times ? text.repeat(times) : text + '\\n';
    return { stdout, stderr: '', exitCode: 0 };
  };
  const handlers = new Map([['Agent', { name: 'Agent', execute }]]);
  const session = new BashSession({ env: process.env, cwd: process.cwd(), handlers });
`;

interface HostOptions {
  /** A program and arguments to run it with, such as a sandbox. */
  readonly wrapper?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a program that has a `session` with an agent command. @param source the rest of it. */
export async function startHost(
  source: string,
  { wrapper = [], env = {} }: HostOptions = {},
): Promise<HostProgram> {
  const [folder, tmp] = [temporaryDirectory(), temporaryDirectory()];
  const library = await bundled(join(import.meta.dirname, '../../src/shell/bash/bash-session.ts'));
  const program = `import { BashSession } from '${library}';${BEGINNING}${source}`;
  writeFileSync(join(folder, 'host.mjs'), program);
  const [name = '', ...argv] = [...wrapper, process.execPath, join(folder, 'host.mjs')];
  const place = { cwd: temporaryDirectory(), env: { ...ENV, TMPDIR: tmp, ...env } };
  return { ...startProgram(name, argv, { ...place, isOpen: true }), tmp };
}

/** Waits until the program has run its code; it then lives until it is killed. */
export async function startLivingHost(source: string, options?: HostOptions) {
  const host = await startHost(`${source}; process.stdin.resume(); console.log('ready')`, options);
  const isReady = () => host.said.stdout === 'ready\n';
  await eventually(`the host is ready: ${host.said.stderr}`, isReady);
  return host;
}

/** The results of lines in the session of such a program, which then ends. */
export async function runInHost(lines: readonly string[], wrapper: readonly string[], begin = '') {
  const source = `
    ${begin}
    for (const line of ${JSON.stringify(lines)}) console.log(JSON.stringify(await session.run(line)));
    await session.dispose();`;
  const { ended, tmp } = await startHost(source, { wrapper });
  const { stdout, stderr } = await ended;
  expect(stderr).toBe('');
  const results = stdout.trim().split('\n');
  return { results: results.map((line): CommandResult => JSON.parse(line)), tmp };
}

/**
 * A line that leaves jobs: one, one in a process group and one in a session of its own, orphans of these with and without the
 * session's outputs or environment, and one that ignores TERM.
 */
export const LEAVE_JOBS =
  '(setsid sleep 1003 &); (setsid sleep 1004 >/dev/null 2>&1 &); (env -i setsid sh -c "sleep 1005; : $PATH" &); ' +
  'sleep 1000 & set -m; sleep 1001 & set +m; setsid sleep 1002 & bash -c \'trap "" TERM HUP; while :; do sleep 1; done\' &';

import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../settings.ts';

/**
 * Waits for the end of its standard input, which only the session holds open. Each line of it names a list: there, and in the
 * session's own, it then gives back.
 */
const WAIT = `trap "" INT TERM HUP
release=$1
shift 2
while IFS= read -r list; do set -- "$@" "$list"; done
for list; do "$release" --begun --list "$list"; done
exec "$release" --begun`;

/** What gives back at the end of a session. */
export interface ReleaseAtExit {
  /** Has it give back in this list, too, besides the session's own. */
  readonly alsoIn: (list: string) => void;
  /** Ends the session of an agent: gives back and waits until that is done. */
  readonly end: () => Promise<void>;
}

/**
 * Sees to it that what the agent of a session has begun is given back when the session ends, however it ends: a small
 * shell waits for the end of a pipe that only this process holds open. What was assigned to the agent stays its own, and so
 * does what it has begun in the session that comes next, perhaps before that shell is done.
 *
 * @param id of the session, as its tasks have it.
 */
export function releaseAtExit(settings: Settings, id: string): ReleaseAtExit {
  const { agent, session, taskList, releaseAtExit: isWanted = agent !== undefined } = settings;
  // A list in memory ends with its session anyway.
  const isKept = session !== undefined || taskList !== undefined;
  if (!isWanted || !isKept) return { alsoIn: () => {}, end: async () => {} };
  const bin = dirname(realpathSync(process.argv[1] ?? ''));
  const release = join(bin, 'commands', 'TaskRelease');
  const waiting = spawn('/bin/sh', ['-c', WAIT, 'sh', release, '--begun'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // The current directory may be gone by then, but it tells which list it is.
    cwd: process.cwd(),
    env: { ...process.env, AGENT_SHELL_SESSION: id },
  });
  waiting.on('error', () => {});
  waiting.stdin.on('error', () => {});
  waiting.unref();
  (waiting.stdin as unknown as { unref?: () => void }).unref?.();
  const told = new Set([taskList ?? session]);
  return {
    alsoIn: (list) => {
      if (told.has(list) || list.includes('\n')) return;
      told.add(list);
      waiting.stdin.write(`${list}\n`);
    },
    end: () =>
      new Promise((resolve) => {
        if (waiting.exitCode !== null || waiting.pid === undefined) return resolve();
        waiting.ref();
        waiting.once('exit', () => resolve());
        waiting.stdin.end();
      }),
  };
}

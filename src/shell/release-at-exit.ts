import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../settings/settings.ts';

/**
 * Waits for the end of its standard input, which only the session holds open. Then it releases the tasks in the session's
 * own list, and in each list that a line of the input has named.
 */
const WAIT = `trap "" INT TERM HUP
release=$1
shift 2
while IFS= read -r list; do set -- "$@" "$list"; done
for list; do "$release" --begun --list "$list"; done
exec "$release" --begun`;

/** Releases an agent's tasks at the end of a session. */
export interface ReleaseAtExit {
  /** Adds a list, besides the session's own, in which to release tasks. */
  readonly alsoIn: (list: string) => void;
  /** Ends the session of an agent: releases its tasks and waits until that is done. */
  readonly end: () => Promise<void>;
}

/**
 * Makes sure that the tasks which an agent has begun in a session are released when the session ends, however it ends: a
 * small shell waits for the end of a pipe that only this process holds open. Tasks that were assigned to the agent stay its
 * own. So do those that it begins in its next session, perhaps before that shell is done.
 *
 * @param id of the session, as its tasks have it.
 */
export function releaseAtExit(settings: Settings, id: string): ReleaseAtExit {
  const { agent, session, taskList, releaseAtExit: isWanted = agent !== undefined } = settings;
  // A list in memory ends with its session.
  const isKept = session !== undefined || taskList !== undefined;
  if (!isWanted || !isKept) return { alsoIn: () => {}, end: async () => {} };
  const bin = dirname(realpathSync(process.argv[1] ?? ''));
  const release = join(bin, 'commands', 'TaskRelease');
  const waiting = spawn('/bin/sh', ['-c', WAIT, 'sh', release, '--begun'], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    // The current directory may be gone by then, but it says which list is meant.
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

import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Settings } from '../settings.ts';

/** Waits for the end of its standard input, which only the session holds open, and then does what it is told. */
const WAIT = 'trap "" INT TERM HUP; while read -r _; do :; done; exec "$@"';

/**
 * Sees to it that what the agent of a session has begun is given back when the session ends, however it ends: a small
 * shell waits for the end of a pipe that only this process holds open. What was assigned to the agent stays its own, and so
 * does what it has begun in the session that comes next, perhaps before that shell is done.
 *
 * @param id of the session, as its tasks have it.
 * @returns what ends the session of an agent: it gives back and waits until that is done.
 */
export function releaseAtExit(settings: Settings, id: string): () => Promise<void> {
  const { agent, session, taskList, releaseAtExit: isWanted = agent !== undefined } = settings;
  // A list in memory ends with its session anyway.
  const isKept = session !== undefined || taskList !== undefined;
  if (!isWanted || !isKept) return async () => {};
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
  return () =>
    new Promise((resolve) => {
      if (waiting.exitCode !== null || waiting.pid === undefined) return resolve();
      waiting.ref();
      waiting.once('exit', () => resolve());
      waiting.stdin.end();
    });
}

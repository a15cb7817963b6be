import { type ChildProcess, spawn } from 'node:child_process';
import script from './watchdog.sh';

/**
 * Cleans up after a host that cannot do it itself any more: killed by SIGTERM, SIGHUP or SIGKILL, or crashed. A small
 * shell waits for the end of a pipe that only the host holds open, then kills bash's processes and removes the private
 * directory. No handler for signals or exits is put on a host's process.
 */
export class Watchdog {
  readonly #child: ChildProcess;

  constructor(bash: string, directory: string, path: string) {
    this.#child = spawn(bash, ['-c', script, 'watchdog', directory], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: { PATH: `${path}:/usr/bin:/bin`, SHLVL: '1' },
    });
    this.#child.on('error', () => {});
    this.#child.stdin?.on('error', () => {});
    this.#child.unref();
    (this.#child.stdin as { unref?: () => void } | null)?.unref?.();
  }

  /** From now on, this process leads what is to be killed. It must not end with the host on its own. */
  guard(leader: number): void {
    this.#child.stdin?.write(`${leader}\n`);
  }

  /** Ends the watch; the host has cleaned up itself. */
  async dismiss(): Promise<void> {
    this.#child.ref();
    if (this.#child.exitCode === null && this.#child.kill('SIGKILL')) {
      await new Promise((resolve) => this.#child.once('exit', resolve));
    }
  }
}

import { type ChildProcess, spawn } from 'node:child_process';

// Reads one process group a line, the newest being the one that lives, until whoever started it is gone.
const SCRIPT =
  'while read -r line; do group=$line; done; [ -z "$group" ] || kill -9 -- "-$group"; rm -rf -- "$1"';

/**
 * Cleans up after a host that cannot do it itself any more: killed by SIGTERM, SIGHUP or SIGKILL, or crashed. A small
 * shell waits for the end of a pipe that only the host holds open, then kills bash's process group and removes the
 * private directory. No handler for signals or exits is put on a host's process.
 */
export class Watchdog {
  readonly #child: ChildProcess;

  constructor(bash: string, directory: string, path: string) {
    this.#child = spawn(bash, ['-c', SCRIPT, 'watchdog', directory], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: { PATH: path },
    });
    this.#child.on('error', () => {});
    this.#child.stdin?.on('error', () => {});
    this.#child.unref();
    (this.#child.stdin as { unref?: () => void } | null)?.unref?.();
  }

  /** From now on, this is the process group to kill. */
  guard(group: number): void {
    this.#child.stdin?.write(`${group}\n`);
  }

  /** Ends the watch; the host has cleaned up itself. */
  async dismiss(): Promise<void> {
    this.#child.ref();
    if (this.#child.exitCode === null && this.#child.kill('SIGKILL')) {
      await new Promise((resolve) => this.#child.once('exit', resolve));
    }
  }
}

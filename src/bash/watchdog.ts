import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { FifoWriter } from './fifos.ts';
import text from './watchdog.sh';

export interface WatchdogOptions {
  bash: string;
  /** Where to look for its programs besides the system's folders. */
  path: string;
  /** The folder to remove at the end. */
  directory: string;
  /** The process id of the bash whose session of processes is killed; undefined if that did not start. */
  leader: number | undefined;
  /** The descriptor of that bash's script. */
  script: number;
  /** A FIFO without writers but the host; it ends when the host is gone. */
  alive: string;
}

/**
 * Cleans up after a host that no longer can: killed by SIGTERM, SIGHUP or SIGKILL, or crashed. A small
 * shell waits for the end of a pipe that only the host holds open, then kills bash's processes and removes the private
 * directory. It inherits bash's script, so that bash does not end with the host: its descendants would have no parent
 * then, and nothing would tell that they were its own. No handler for signals or exits is put on a host's process.
 */
export class Watchdog {
  readonly #child: ChildProcess;
  readonly #alive: FifoWriter;

  constructor({ bash, path, directory, leader, script, alive }: WatchdogOptions) {
    this.#alive = new FifoWriter(alive, () => {});
    const input = openSync(alive, 'r');
    this.#child = spawn(bash, ['-c', text, 'watchdog', directory, String(leader ?? '')], {
      detached: true,
      // Not a pipe of Node's, which is a socket: some sandboxes forbid them all.
      stdio: [input, 'ignore', 'ignore', script],
      cwd: '/',
      env: { PATH: `${path}:/usr/bin:/bin`, SHLVL: '1' },
    });
    closeSync(input);
    this.#child.on('error', () => {});
    this.#child.unref();
  }

  /** Ends the watch: the host has cleaned up itself. */
  async dismiss(): Promise<void> {
    this.#child.ref();
    if (this.#child.exitCode === null && this.#child.kill('SIGKILL')) {
      await new Promise((resolve) => this.#child.once('exit', resolve));
    }
    this.#alive.close();
  }
}

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import text from './watchdog.sh';

/**
 * Cleans up after a host that no longer can: killed by SIGTERM, SIGHUP or SIGKILL, or crashed. A small shell waits for the end
 * of a FIFO that only the host has open for writing, then kills bash's processes and removes the private directory. Until then
 * bash does not end, though its host has: its descendants would have no parent, and nothing would tell that they were its
 * own. No handler for signals or exits is put on a host's process.
 */
export class Watchdog {
  readonly #child: ChildProcess;
  readonly #aliveFile: string;
  #alive: number | undefined;

  /**
   * @param path where to look for its programs besides the system's folders.
   * @param directory what to remove at the end; it need not be there yet.
   * @param alive a FIFO in it. Those that sweep take the session for dead when nobody has it open.
   */
  constructor(bash: string, path: string, directory: string, alive: string) {
    this.#aliveFile = alive;
    this.#child = spawn(bash, ['-c', text, 'watchdog', directory, String(process.pid), alive], {
      detached: true,
      // Not a pipe of Node's, which is a socket: some sandboxes forbid them all.
      stdio: 'ignore',
      cwd: '/',
      env: { PATH: `${path}:/usr/bin:/bin`, SHLVL: '1' },
    });
    this.#child.on('error', () => {});
    this.#child.unref();
  }

  /** The FIFOs are there. */
  begin(): void {
    this.#alive = openSync(this.#aliveFile, constants.O_RDWR | constants.O_NONBLOCK);
    this.#tell('');
  }

  /** From now on this is the bash whose session of processes is killed. */
  guard(leader: number): void {
    this.#tell(String(leader));
  }

  /** Ends the watch: the host has cleaned up itself. */
  async dismiss(): Promise<void> {
    this.#child.ref();
    if (this.#child.exitCode === null && this.#child.kill('SIGKILL')) {
      await new Promise((resolve) => this.#child.once('exit', resolve));
    }
    if (this.#alive !== undefined) closeSync(this.#alive);
  }

  #tell(line: string): void {
    if (this.#alive !== undefined) writeSync(this.#alive, `${line}\n`);
  }
}

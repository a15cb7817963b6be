import { spawnSync } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Environment } from '../environment.ts';
import { findProgram } from '../system/find-program.ts';

/** Makes FIFOs that only this user can open. */
export function makeFifos(paths: readonly string[], env: Environment): void {
  const PATH = `${env.PATH ?? ''}:/usr/bin:/bin`;
  // Never one in the current directory, even if PATH begins with it.
  const mkfifo = findProgram('mkfifo', { PATH }) ?? 'mkfifo';
  const { error, status } = spawnSync(mkfifo, ['-m', '600', ...paths], {
    env: { PATH },
    // Node's own pipes are sockets, which some sandboxes forbid.
    stdio: 'ignore',
  });
  if (error) throw error;
  if (status !== 0) {
    throw Object.assign(new Error('mkfifo failed'), { code: 'FIFOs cannot be made there' });
  }
}

/** Whether a file is there, and was not shut off. */
export function canReadAndWrite(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The writing end of a FIFO whose readers come and go. It does not open the FIFO for reading, so that readers see its end
 * when this process is gone.
 */
export class FifoWriter {
  readonly #fd: number;
  readonly #onBroken: () => void;
  #socket: Socket | undefined;
  #isClosed = false;

  /** @param onBroken called, once or more, if nobody reads what is written. */
  constructor(path: string, onBroken: () => void) {
    this.#onBroken = onBroken;
    // It can only be opened for writing alone while it has a reader.
    const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      this.#fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } finally {
      closeSync(reader);
    }
  }

  /** Writes what the FIFO has room for at once, and the rest when there is room again. */
  write(bytes: Buffer): void {
    // By now its descriptor may belong to another file.
    if (this.#isClosed) return;
    let written = 0;
    try {
      while (this.#socket === undefined && written < bytes.length) {
        written += writeSync(this.#fd, bytes, written);
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') {
        this.#onBroken();
        return;
      }
      this.#socket = new Socket({ fd: this.#fd, readable: false, writable: true });
      this.#socket.on('error', () => this.#onBroken());
      this.#socket.unref();
    }
    if (written < bytes.length) {
      this.#socket?.write(bytes.subarray(written));
    }
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#socket) this.#socket.destroy();
    else closeSync(this.#fd);
  }
}

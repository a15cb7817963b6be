import { spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';
import type { Environment } from '../../base/environment.ts';
import { findProgram } from '../../base/system/access.ts';
import { codeOf, orElse } from '../../base/system/files.ts';

// No pipe holds more, so this many bytes include all that was in it.
const PIPE_CAPACITY = 1024 * 1024;

export function makeFifos(paths: readonly string[], env: Environment): void {
  const PATH = `${env.PATH ?? ''}:/usr/bin:/bin`;
  // findProgram ignores the current directory, even if it is on PATH.
  const mkfifo = findProgram('mkfifo', { PATH }) ?? 'mkfifo';
  const { error, status } = spawnSync(mkfifo, ['-m', '600', ...paths], {
    env: { PATH },
    // Node's pipes are sockets, which some sandboxes forbid.
    stdio: 'ignore',
  });
  if (error) throw error;
  if (status !== 0) {
    throw Object.assign(new Error('mkfifo failed'), { code: 'FIFOs cannot be made there' });
  }
}

/** Returns true if it cannot be known. */
export function hasReader(fifo: string): boolean {
  try {
    closeSync(openSync(fifo, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    return codeOf(error) !== 'ENXIO';
  }
}

/**
 * The writing end of a FIFO whose readers come and go. It does not open the FIFO for reading, so readers see its end when this
 * process has ended.
 */
export class FifoWriter {
  readonly #fd: number;
  readonly #onBroken: () => void;
  #socket: Socket | undefined;
  #isClosed = false;

  /** @param onBroken called, once or more, if a write finds no reader. */
  constructor(path: string, onBroken: () => void) {
    this.#onBroken = onBroken;
    // Opening a FIFO only for writing fails while it has no reader.
    const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      this.#fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } finally {
      closeSync(reader);
    }
  }

  /** Writes what the FIFO has room for at once, and the rest when there is room again. */
  write(bytes: Buffer): void {
    // The number of its descriptor may belong to another file now.
    if (this.#isClosed) return;
    let written = 0;
    try {
      while (this.#socket === undefined && written < bytes.length) {
        written += writeSync(this.#fd, bytes, written);
      }
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') {
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

/**
 * The reading end of a FIFO. The FIFO is opened for writing, too, so that it does not end between one writer and the next. It does not
 * keep the program from ending.
 */
export class FifoReader {
  readonly #fd: number;
  readonly #socket: Socket;
  readonly #buffer: Buffer;
  readonly #onData: (chunk: Buffer) => void | Promise<void>;
  /** True once `onData` has returned a promise: the kernel may hold more than was read. */
  isSlow = false;

  /**
   * @param onData gets a chunk whose memory is reused. If it returns a promise, nothing more is read before that resolves,
   *   except by `drain()`.
   * @param buffer readers may share one if none keeps its chunk.
   */
  constructor(
    path: string,
    onData: (chunk: Buffer) => void | Promise<void>,
    buffer: Buffer = Buffer.allocUnsafe(64 * 1024),
  ) {
    this.#onData = onData;
    this.#buffer = buffer;
    this.#fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const options: SocketConstructorOpts & { onread: OnReadOpts } = {
      fd: this.#fd,
      onread: {
        buffer: this.#buffer,
        callback: (length) => {
          const heard = onData(this.#buffer.subarray(0, length));
          if (heard === undefined) return true;
          this.isSlow = true;
          void heard.finally(() => this.#socket.resume());
          return false;
        },
      },
    };
    this.#socket = new Socket(options);
    this.#socket.on('error', () => {});
    this.#socket.unref();
  }

  /** Reads everything that was written before this call. No end marker is needed: a write is complete when it returns. */
  drain(): void {
    for (let total = 0; total < PIPE_CAPACITY; ) {
      // EAGAIN: there is nothing to read.
      const length = orElse(() => readSync(this.#fd, this.#buffer), 0);
      total += length;
      if (length > 0) this.#onData(this.#buffer.subarray(0, length));
      // There is no more. To be told so takes Node longer than to read.
      if (length < this.#buffer.length) return;
    }
  }

  /** Only `drain()` reads until `resume()`. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  close(): void {
    this.#socket.destroy();
  }
}

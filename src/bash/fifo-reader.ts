import { constants, openSync, readSync } from 'node:fs';
import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net';

// No pipe holds more than this: after so many bytes, everything that was in it has been read.
const PIPE_CAPACITY = 1024 * 1024;

/**
 * Reads a FIFO as its data comes, or at once if its reader must catch up.
 *
 * The FIFO is opened for writing, too, so that it never ends: one writer may leave and another one come.
 */
export class FifoReader {
  readonly #fd: number;
  readonly #socket: Socket;
  readonly #buffer: Buffer;
  readonly #onData: (chunk: Buffer) => void | Promise<void>;

  /**
   * @param onData gets a chunk whose memory is reused: copy what you keep. If it returns a promise, nothing more is read
   *   before that resolves, except by `drain()`.
   * @param buffer what to read into. Readers may share it if none is read while another one's chunk is in use.
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
          void heard.finally(() => this.#socket.resume());
          return false;
        },
      },
    };
    this.#socket = new Socket(options);
    this.#socket.on('error', () => {});
  }

  /**
   * Hands over everything that was written before this call. A write to a FIFO is complete when it returns, so when a
   * command has ended all of its output is in the FIFO or read already; no marker in the output is needed.
   */
  drain(): void {
    for (let total = 0; total < PIPE_CAPACITY; ) {
      const length = readAvailable(this.#fd, this.#buffer);
      if (length === 0) {
        return;
      }
      total += length;
      this.#onData(this.#buffer.subarray(0, length));
    }
  }

  ref(): void {
    this.#socket.ref();
  }

  /** Lets the process end although the FIFO is open. */
  unref(): void {
    this.#socket.unref();
  }

  close(): void {
    this.#socket.destroy();
  }
}

/** Reads what is there now, as far as the buffer takes it. Returns how many bytes that is. */
export function readAvailable(fd: number, buffer: Buffer): number {
  try {
    return readSync(fd, buffer);
  } catch {
    return 0; // EAGAIN: nothing there now
  }
}

import type { Socket } from 'node:net';
import { checkSize } from './stored-content.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
  /** True if the connection can carry another request. */
  readonly isReusable: boolean;
}

const NOT_HTTP = 'it does not speak HTTP: is this another server?';
const ENDED = 'the connection ended';
const MOST_HEAD_BYTES = 16 * 1024;
const HEAD = /^HTTP\/1\.[01] ([2-5]\d\d)\b[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n/;
const CHUNK = /^(?:\r\n)?0*([1-9a-f][0-9a-f]{0,7})\b[^\r\n]*\r\n/i;
const LAST_CHUNK = /^(?:\r\n)?(0+)\b[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/;

/**
 * Sends a request over a connection without another one under way, and reads the answer (HTTP/1.1, RFC 9112). Loading
 * Node's own client, and running it for the first time, takes a twelfth of Node's start.
 *
 * @param hear gets the pieces of an endless answer with status 200, which are in no text then.
 * @throws Error if the connection ends early, TooMuch for too long an answer; the connection is closed then.
 */
export function exchange(
  socket: Socket,
  request: string,
  hear?: (piece: Buffer) => void,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const reader = new AnswerReader(hear);
    const settle = (error?: unknown) => {
      socket.off('data', see).off('error', settle).off('close', end);
      if (error === undefined) return resolve(reader);
      socket.destroy();
      reject(error);
    };
    const see = (bytes: Buffer) => {
      try {
        if (reader.see(bytes)) settle();
      } catch (error) {
        settle(error);
      }
    };
    const end = () => settle(reader.endsWithConnection ? undefined : new Error(ENDED));
    socket.on('data', see).on('error', settle).on('close', end);
    socket.write(request);
  });
}

class AnswerReader implements HttpAnswer {
  status = 0;
  isReusable = false;
  readonly #hear: ((piece: Buffer) => void) | undefined;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  /** Bytes that are not read yet. */
  #kept: Buffer = Buffer.alloc(0);
  #isChunked = false;
  /** Of the body, or of its present chunk: the bytes to come. */
  #left = 0;

  constructor(hear: ((piece: Buffer) => void) | undefined) {
    this.#hear = hear;
  }

  get text(): string {
    return Buffer.concat(this.#pieces).toString('utf8');
  }

  get endsWithConnection(): boolean {
    return this.#left === Number.POSITIVE_INFINITY;
  }

  /** Returns whether the answer is whole. @throws Error if it is not HTTP. */
  see(arrived: Buffer): boolean {
    let bytes = this.#kept.length > 0 ? Buffer.concat([this.#kept, arrived]) : arrived;
    for (;;) {
      const piece = bytes.subarray(0, this.#left);
      if (piece.length > 0) this.#take(piece);
      bytes = bytes.subarray(piece.length);
      this.#kept = bytes;
      if (this.#left > 0) return false;
      if (this.status > 0 && !this.#isChunked) return true;
      const text = bytes.toString('latin1', 0, MOST_HEAD_BYTES);
      if (this.#isChunked && LAST_CHUNK.test(text)) return true;
      const [head, word = '', headers = ''] = (this.#isChunked ? CHUNK : HEAD).exec(text) ?? [];
      if (head === undefined) {
        const isOther = this.status === 0 && !text.startsWith('HTTP/1.'.slice(0, text.length));
        if (isOther || text.length === MOST_HEAD_BYTES) throw new Error(NOT_HTTP);
        return false;
      }
      bytes = bytes.subarray(head.length);
      if (this.#isChunked) this.#left = Number.parseInt(word, 16);
      else this.#begin(Number(word), headers);
    }
  }

  #take(piece: Buffer): void {
    this.#left -= piece.length;
    if (this.#hear && this.status === 200) {
      this.#hear(piece);
      return;
    }
    this.#bytes += piece.length;
    checkSize(this.#bytes);
    this.#pieces.push(piece);
  }

  #begin(status: number, headers: string): void {
    const header = (name: string) =>
      new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*\r$`, 'im').exec(headers)?.[1]?.toLowerCase();
    this.status = status;
    this.isReusable = header('connection') !== 'close';
    this.#isChunked = header('transfer-encoding') === 'chunked';
    if (this.#isChunked) return;
    const length = header('content-length');
    this.#left = length === undefined ? Number.POSITIVE_INFINITY : Number(length);
    if (!(this.#left >= 0)) throw new Error(NOT_HTTP);
  }
}

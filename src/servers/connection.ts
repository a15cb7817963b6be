import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { StateError } from '../base/command/state-error.ts';
import { splitAddress } from './state-url.ts';
import { refuseTooMuch, TooMuch } from './stored-content.ts';

export class Failed extends Error {
  /**
   * `refused`: nothing was done, and a retry will not help. `undone`: nothing was done. `open`: it may have been carried
   * out. `hopeless`: the same, and a retry will not help.
   */
  readonly outcome: 'refused' | 'undone' | 'open' | 'hopeless';

  constructor(message: string, outcome: Failed['outcome']) {
    super(message);
    this.outcome = outcome;
  }
}

export interface Tls extends ConnectionOptions {
  /** Continue without TLS if the server has none. */
  readonly isOptional?: boolean;
  /** The variables that name certificates. */
  readonly variables?: readonly string[];
}

/** Reads what a server sends: yields how many bytes it needs next, or `LINE`, and receives them. */
export type MessageReading<Result = never> = Generator<number, Result, Buffer>;

/** The bytes up to the next line feed. */
export const LINE = -1;

interface PendingAnswer<Answer> {
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

const MOST_LINE_BYTES = 16 * 1024;
export const NO_ANSWER = 'no answer in time';
const ENDED = 'the connection ended';
export const ENDED_EARLY = 'the connection ended before the server was ready';
/** TLS errors that no retry fixes: a certificate cannot be used, or the other side does not trust it. */
const UNTRUSTED = /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/;
const OTHER_HOST = 'ERR_TLS_CERT_ALTNAME_INVALID';

/**
 * A connection whose server answers requests in the order in which they were sent; they need not wait for each other. It
 * keeps the process alive only while one is under way.
 */
export abstract class Connection<Answer> {
  readonly address: string;
  readonly #tls: Tls | undefined;
  hasEnded = false;
  /** True while a change is under way, which may wait for a standby; reads do not wait behind it. */
  isChanging = false;
  /** Called for each announcement of the server; while it is set, an idle connection stays. */
  heard: ((said: string) => void) | undefined;
  /** Ends when no request was under way for so long; 0 for never. */
  protected readonly idleMs: number = 0;
  protected socket: Socket;
  /** Rejects with Failed, or with the StateError of a password that cannot be read. */
  readonly ready: Promise<void>;
  protected isReady = false;
  readonly #pending: PendingAnswer<Answer>[] = [];
  readonly #reading = this.read();
  /** Bytes that are not read yet. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  #needed = 0;
  /** The bytes of the present answer. */
  #bytesRead = 0;

  /** Connecting keeps no process alive: who waits for it does so within a time limit. */
  constructor(address: string, tls: Tls | undefined) {
    this.address = address;
    this.#tls = tls;
    const { connect } = process.getBuiltinModule('node:net');
    this.socket = connect({ ...splitAddress(address), noDelay: true }).unref();
    this.ready = this.#open().catch((error) => {
      this.#fail(error);
      throw this.#failed(error);
    });
  }

  /** Makes a request once it is ready. It ends if this takes too long. */
  async within<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.end(NO_ANSWER), limitMs);
    try {
      await this.ready;
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }

  /** Pending requests fail. */
  end(reason = this.isReady ? ENDED : ENDED_EARLY): void {
    this.#fail(new Failed(reason, 'open'));
  }

  /** Replaces the socket by one that speaks TLS, if both sides want it. */
  protected async secure(tls: Tls): Promise<void> {
    const { isIP } = process.getBuiltinModule('node:net');
    const { connect } = process.getBuiltinModule('node:tls');
    const { host } = splitAddress(this.address);
    const servername = isIP(host) === 0 ? { servername: host } : {};
    this.socket = connect({ ...tls, ...servername, host, socket: this.socket });
    await once(this.socket, 'secureConnect');
  }

  protected abstract login(): Promise<unknown>;

  protected abstract read(): MessageReading;

  /** @throws Failed if the connection ends before the answer. */
  protected send(request: string | Buffer, isWork = true): Promise<Answer> {
    if (this.hasEnded) return Promise.reject(new Failed(ENDED, 'undone'));
    if (isWork) this.socket.ref();
    this.socket.write(request);
    return new Promise((resolve, reject) => this.#pending.push({ resolve, reject }));
  }

  /** Answers the oldest request. */
  protected answer(answer: Answer | Error): void {
    const pending = this.#pending.shift();
    this.#bytesRead = 0;
    if (this.#pending.length === 0) this.socket.unref();
    if (answer instanceof Error) pending?.reject(answer);
    else pending?.resolve(answer);
  }

  async #open(): Promise<void> {
    await once(this.socket, 'connect');
    if (this.#tls) await this.secure(this.#tls);
    this.socket
      .on('data', (bytes: Buffer) => this.#see(bytes))
      .on('error', (error) => this.#fail(error))
      .on('end', () => this.end())
      .on('close', () => this.end())
      .setTimeout(this.idleMs, () => this.#pending.length > 0 || this.heard || this.end());
    await this.login();
    this.isReady = true;
  }

  #fail(error: Error): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const failed = this.#failed(error);
    this.socket.on('error', () => {}).destroy(failed);
    for (const { reject } of this.#pending.splice(0)) reject(failed);
  }

  #see(arrived: Buffer): void {
    this.#pieces.push(arrived);
    this.#bytes += arrived.length;
    try {
      while (!this.hasEnded && this.#bytes >= this.#needed) {
        const [first] = this.#pieces;
        const bytes = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces);
        const isLine = this.#needed === LINE;
        const end = isLine ? bytes.indexOf('\n') + 1 : this.#needed;
        this.#pieces = [bytes.subarray(end)];
        if (isLine && end === 0) {
          if (bytes.length > MOST_LINE_BYTES) throw new TooMuch('it sent too long a line');
          return;
        }
        this.#bytes -= end;
        this.#bytesRead += end;
        this.#needed = this.#reading.next(bytes.subarray(0, end)).value;
        refuseTooMuch(this.#bytesRead + this.#needed);
      }
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** The error with its outcome: no request is sent before the connection is ready. */
  #failed(error: Error & { code?: string; reason?: string }): Failed | StateError {
    const { isReady } = this;
    if (error instanceof StateError || (isReady && error instanceof Failed)) return error;
    const { code = '', message, reason } = error;
    const isFinal =
      error instanceof Failed
        ? error.outcome === 'refused'
        : error instanceof TooMuch || UNTRUSTED.test(code);
    const outcome = isFinal ? (isReady ? 'hopeless' : 'refused') : isReady ? 'open' : 'undone';
    const variables = UNTRUSTED.test(code) && code !== OTHER_HOST && this.#tls?.variables;
    if (!variables) return new Failed(message || code, outcome);
    return new Failed(`${reason ?? message}; ${variables.join(', ')} name certificates`, outcome);
  }
}

import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Tls } from './secrets.ts';
import { Failed, NO_ANSWER } from './servers.ts';
import { beforeReady, connectTo, overTls } from './socket.ts';
import { checkSize, TooMuch } from './stored-content.ts';

/**
 * The request for TLS, with a code in place of a version
 * (https://www.postgresql.org/docs/current/protocol-message-formats.html).
 */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const YES = 'S';
const NO_TLS = 'it does not speak TLS; for a server without TLS, set sslmode=disable';
const NOT_POSTGRES = "it does not speak PostgreSQL's protocol: is this another server?";
const ENDED = 'the connection ended before the server was ready';

/**
 * Connects to a PostgreSQL. Until the server is ready for a statement, socket errors are Failed, since no statement was
 * sent.
 *
 * @param limitMs until the server is ready.
 */
export async function connectToPostgres(
  address: string,
  tls: Tls | undefined,
  limitMs: number,
): Promise<Socket> {
  const start = performance.now();
  const socket = await connectTo(address, limitMs, async (plain, host) =>
    tls && (await agreesOnTls(plain, tls)) ? overTls(plain, host, tls) : plain,
  );
  const late = () => socket.destroy(new Failed(NO_ANSWER, 'undone'));
  const timer = setTimeout(late, limitMs - (performance.now() - start));
  guard(socket, () => clearTimeout(timer));
  return socket;
}

async function agreesOnTls(socket: Socket, { isOptional = false }: Tls): Promise<boolean> {
  socket.write(SSL_REQUEST);
  const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'end')]);
  if (answer === undefined) throw new Failed(ENDED, 'undone');
  // Bytes that come with the answer were not encrypted, and may be anybody's.
  const isAgreed = answer.toString() === YES;
  if (!isAgreed && !isOptional) throw new Failed(NO_TLS, 'refused');
  return isAgreed;
}

/** Checks messages before the library does: some would crash the program. */
function guard(socket: Socket, onReady: () => void): void {
  let isReady = false;
  const messages = new Messages(() => {
    isReady = true;
    onReady();
  });
  const emit = socket.emit.bind(socket);
  socket.emit = (event: string, ...args: unknown[]) => {
    if (event === 'data') {
      try {
        messages.see(args[0] as Buffer);
      } catch (error) {
        socket.destroy(error as Error);
        return false;
      }
    }
    if (event === 'error' && !isReady) return emit(event, beforeReady(args[0] as Error));
    return emit(event, ...args);
  };
  // The library would reconnect at once, forever.
  socket.once('end', () => {
    if (!isReady) socket.destroy(new Failed(ENDED, 'undone'));
  });
  socket.once('close', onReady);
}

const AUTHENTICATION = 'R';
const READY = 'Z';
const ROW = 'D';
/** The end of a statement: carried out, empty, or failed. */
const ENDS_OF_STATEMENTS = 'CIE';
/** All that a server has to send here. At others the library would crash the program, or print. */
const KINDS = `${AUTHENTICATION}SKNA12tnT${ROW}${ENDS_OF_STATEMENTS}${READY}`;
const HEADER_BYTES = 5;
const MOST_AUTHENTICATION_BYTES = 64 * 1024;
/** PostgreSQL's default is 4,096. A million rounds block the program for most of a second. */
const MOST_ROUNDS = 1_000_000;

/** A server's messages: a letter, the length of the rest, and the rest. */
class Messages {
  readonly #onReady: () => void;
  #kept = Buffer.alloc(0);
  /** The remaining bytes of the current message. */
  #skipped = 0;
  /** True if it may report that it is ready: it has accepted the login, or answered. */
  #hasAnswered = false;
  /** Of this answer's rows. */
  #rowBytes = 0;

  constructor(onReady: () => void) {
    this.#onReady = onReady;
  }

  /** @throws Error for anything that no PostgreSQL sends, or too much of it. */
  see(chunk: Buffer): void {
    let bytes = this.#kept.length > 0 ? Buffer.concat([this.#kept, chunk]) : chunk;
    for (;;) {
      const passed = Math.min(this.#skipped, bytes.length);
      this.#skipped -= passed;
      bytes = bytes.subarray(passed);
      if (bytes.length < HEADER_BYTES) break;
      const kind = String.fromCharCode(bytes[0] ?? 0);
      const length = 1 + bytes.readUInt32BE(1);
      if (!KINDS.includes(kind) || length < HEADER_BYTES) throw new Error(NOT_POSTGRES);
      if (kind === ROW) this.#rowBytes += length;
      checkSize(kind === ROW ? this.#rowBytes : length);
      if (kind === AUTHENTICATION) {
        if (length > MOST_AUTHENTICATION_BYTES)
          throw new TooMuch('its request for a password is too long');
        if (bytes.length < length) break;
        checkLogin(bytes.subarray(HEADER_BYTES, length));
        this.#hasAnswered = true;
      }
      if (ENDS_OF_STATEMENTS.includes(kind)) this.#hasAnswered = true;
      if (kind === READY) this.#ready();
      this.#skipped = length;
    }
    this.#kept = Buffer.from(bytes);
  }

  #ready(): void {
    if (!this.#hasAnswered) throw new Error(NOT_POSTGRES);
    this.#hasAnswered = false;
    this.#rowBytes = 0;
    this.#onReady();
  }
}

/** Authentication requests, by their codes. */
const SCRAM = 10;
const SCRAM_CHALLENGE = 11;
/** No authentication, a password in clear text or MD5, and the final message of SCRAM. */
const WAYS_IN = [0, 3, 5, 12];

/** @param request without its header. */
function checkLogin(request: Buffer): void {
  if (request.length < 4) throw new Error(NOT_POSTGRES);
  const [code, text] = [request.readUInt32BE(), request.toString('latin1', 4)];
  if (code === SCRAM_CHALLENGE) checkChallenge(text);
  else if (code === SCRAM ? !text.split('\0').includes('SCRAM-SHA-256') : !WAYS_IN.includes(code)) {
    const why = `it asks for an unsupported authentication method (${code}); SCRAM-SHA-256 and MD5 are supported`;
    throw new Failed(why, 'refused');
  }
}

/** @param challenge of SCRAM, such as `r=...,s=...,i=4096`. */
function checkChallenge(challenge: string): void {
  const [, rounds] = /^r=[^,]+,s=[^,]+,i=(\d+)$/.exec(challenge) ?? [];
  if (rounds === undefined || Number(rounds) < 1) throw new Error(NOT_POSTGRES);
  if (Number(rounds) > MOST_ROUNDS) {
    throw new TooMuch(`it asks for more than ${MOST_ROUNDS} rounds of SCRAM`);
  }
}

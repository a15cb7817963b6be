import { once } from 'node:events';
import type { Socket } from 'node:net';
import { NOT_POSTGRES, PostgresLogin } from './postgres-login.ts';
import { Failed, NO_ANSWER } from './servers.ts';
import { beforeReady, connectTo, overTls, type Tls } from './socket.ts';
import { checkSize, TooMuch } from './stored-content.ts';

/** The columns of a row, in order, as text. */
export type Row = readonly (string | undefined)[];

export interface Rows {
  readonly rows: readonly Row[];
  /** The server's last warning about the statement. */
  readonly warning: string | undefined;
}

/** An error that the server reports, with its SQLSTATE. */
export class PostgresError extends Error {
  readonly code: string;

  constructor({ C = '', M = '' }: Fields) {
    super(M);
    this.code = C;
  }
}

export interface Login {
  readonly database: string;
  readonly user: string;
  /** Called only if the server asks for it. */
  readonly password: () => string | undefined;
  readonly tls?: Tls | undefined;
}

/** A request for TLS, and a start with version 3.0 of the protocol. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const PROTOCOL = '\0\x03\0\0';
const YES = 'S';
const NO_TLS = 'it does not speak TLS; for a server without TLS, set sslmode=disable';
const ENDED_EARLY = 'the connection ended before the server was ready';
const ENDED = 'the connection ended';
const IDLE_MS = 10_000;

const AUTHENTICATION = 'R';
const PARAMETER = 'S';
const NOTICE = 'N';
const NOTIFICATION = 'A';
const ROW = 'D';
const FAILURE = 'E';
const READY = 'Z';
/** Statements that were carried out, or empty. */
const DONE = 'CI';
/** All that a server has to send here, with its key for cancelling and the description of rows. */
const KINDS = `${AUTHENTICATION}${PARAMETER}${NOTICE}${NOTIFICATION}${ROW}${FAILURE}${READY}${DONE}KT`;
const HEADER_BYTES = 5;
const MOST_AUTHENTICATION_BYTES = 64 * 1024;

interface Pending {
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: Error) => void;
}

/** The fields of an error or a notice, by their letters. */
type Fields = { readonly [letter: string]: string | undefined };

/**
 * One connection to a PostgreSQL, by the protocol of simple queries: a statement is one message with its values, and takes
 * one round trip. Prepared ones take two, and poolers of transactions do not support them. Statements need not wait for
 * each other's answers. The connection keeps the process alive only while one is under way.
 */
export class PostgresConnection {
  /** As the server reports it. */
  isStandby = false;
  /** Called with the payload of each notification; while it is set, an idle connection stays. */
  heard: ((payload: string) => void) | undefined;
  readonly #socket: Socket;
  readonly #login: PostgresLogin;
  readonly #onEnd: () => void;
  /** The login, then statements, in the order in which they were sent. */
  readonly #pending: Pending[] = [];
  #isReady = false;
  #hasEnded = false;
  /** Bytes that are not read yet. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Before anything of them can be. */
  #needed = HEADER_BYTES;
  /** Of the first pending statement. */
  #rows: Buffer[] = [];
  #rowBytes = 0;
  #warning: string | undefined;
  #error: PostgresError | undefined;
  /** True if it may report that it is ready: it has accepted the login, or answered. */
  #hasAnswered = false;

  private constructor(socket: Socket, login: PostgresLogin, onEnd: () => void) {
    this.#socket = socket;
    this.#login = login;
    this.#onEnd = onEnd;
    socket
      .on('data', (bytes: Buffer) => this.#see(bytes))
      .on('error', (error) => this.#fail(error))
      .on('end', () => this.end())
      .on('close', () => this.end())
      .setTimeout(IDLE_MS, () => this.#pending.length > 0 || this.heard || this.end());
  }

  /**
   * @param limitMs until it is ready for a statement.
   * @param onEnd called when an opened connection ends.
   * @throws Failed, StateError or PostgresError: no statement was sent.
   */
  static async open(
    address: string,
    login: Login,
    limitMs: number,
    onEnd: () => void,
  ): Promise<PostgresConnection> {
    const { database, user, password, tls } = login;
    const start = performance.now();
    const socket = await connectTo(address, limitMs, async (plain, host) =>
      tls && (await agreesOnTls(plain, tls)) ? overTls(plain, host, tls) : plain,
    );
    const connection = new PostgresConnection(socket, new PostgresLogin(user, password), onEnd);
    const late = () => socket.destroy(new Failed(NO_ANSWER, 'undone'));
    const timer = setTimeout(late, limitMs - (performance.now() - start));
    const parameters = { user, database, client_encoding: 'UTF8', application_name: 'todowrite' };
    const text = Object.entries(parameters).map(([name, value]) => `${name}\0${value}\0`);
    try {
      await connection.#send('', `${PROTOCOL}${text.join('')}\0`);
      return connection;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Runs a statement as a transaction of its own. @throws PostgresError, or Failed if its outcome is open. */
  query(sql: string): Promise<Rows> {
    if (this.#hasEnded) return Promise.reject(new Failed(ENDED, 'undone'));
    return this.#send('Q', `${sql}\0`);
  }

  /** Pending statements fail. */
  end(): void {
    if (this.#hasEnded) return;
    this.#socket.write(message('X', ''));
    this.#fail(new Failed(this.#isReady ? ENDED : ENDED_EARLY, this.#isReady ? 'open' : 'undone'));
  }

  #send(kind: string, body: string): Promise<Rows> {
    this.#socket.ref().write(message(kind, body));
    return new Promise((resolve, reject) => this.#pending.push({ resolve, reject }));
  }

  #fail(error: Error): void {
    this.#hasEnded = true;
    this.#socket.destroy();
    this.#onEnd();
    const told = this.#isReady ? afterwards(error) : beforeReady(error);
    const failed = error instanceof PostgresError ? error : told;
    for (const { reject } of this.#pending.splice(0)) reject(failed);
  }

  #see(chunk: Buffer): void {
    this.#pieces.push(chunk);
    this.#bytes += chunk.length;
    try {
      while (this.#bytes >= this.#needed && !this.#hasEnded) {
        const [first] = this.#pieces;
        this.#next(this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces));
      }
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  /** A message is a letter, the length of the rest, and the rest. @throws Error for one that no PostgreSQL sends here. */
  #next(bytes: Buffer): void {
    const kind = String.fromCharCode(bytes[0] ?? 0);
    const length = 1 + bytes.readUInt32BE(1);
    if (!KINDS.includes(kind) || length < HEADER_BYTES) throw new Error(NOT_POSTGRES);
    checkSize(kind === ROW ? this.#rowBytes + length : length);
    if (kind === AUTHENTICATION && length > MOST_AUTHENTICATION_BYTES) {
      throw new TooMuch('its request for a password is too long');
    }
    const isWhole = bytes.length >= length;
    const rest = isWhole ? bytes.subarray(length) : bytes;
    this.#pieces = [rest];
    this.#bytes = rest.length;
    this.#needed = isWhole ? HEADER_BYTES : length;
    if (isWhole) this.#take(kind, bytes.subarray(HEADER_BYTES, length));
  }

  #take(kind: string, body: Buffer): void {
    if (kind === ROW) {
      this.#rows.push(body);
      this.#rowBytes += HEADER_BYTES + body.length;
    } else if (kind === AUTHENTICATION) {
      const answer = this.#login.answer(body);
      if (answer) this.#socket.write(message('p', answer));
      this.#hasAnswered = true;
    } else if (kind === PARAMETER) {
      const [name, value] = body.toString().split('\0');
      if (name === 'in_hot_standby') this.isStandby = value === 'on';
    } else if (kind === NOTICE) {
      const { V, M } = fieldsOf(body);
      if (V === 'WARNING') this.#warning = M;
    } else if (kind === NOTIFICATION) {
      const [, payload = ''] = body.toString('utf8', 4).split('\0');
      this.heard?.(payload);
    } else if (kind === FAILURE) {
      this.#error = new PostgresError(fieldsOf(body));
      // A failed login is followed by the end of the connection.
      if (!this.#isReady) throw this.#error;
    }
    if (DONE.includes(kind) || kind === FAILURE) this.#hasAnswered = true;
    if (kind === READY) this.#ready();
  }

  #ready(): void {
    if (!this.#hasAnswered) throw new Error(NOT_POSTGRES);
    const rows = this.#rows.map(columnsOf);
    const [pending, error, warning] = [this.#pending.shift(), this.#error, this.#warning];
    this.#isReady = true;
    this.#hasAnswered = false;
    [this.#error, this.#rows, this.#rowBytes, this.#warning] = [undefined, [], 0, undefined];
    if (this.#pending.length === 0) this.#socket.unref();
    if (error) pending?.reject(error);
    else pending?.resolve({ rows, warning });
  }
}

async function agreesOnTls(socket: Socket, { isOptional = false }: Tls): Promise<boolean> {
  socket.write(SSL_REQUEST);
  const [answer] = await Promise.race([once(socket, 'data'), once(socket, 'end')]);
  if (answer === undefined) throw new Failed(ENDED_EARLY, 'undone');
  // Bytes that come with the answer were not encrypted, and may be anybody's.
  const isAgreed = answer.toString() === YES;
  if (!isAgreed && !isOptional) throw new Failed(NO_TLS, 'refused');
  return isAgreed;
}

/** An error after a statement was sent. */
function afterwards(error: Error): Error {
  if (error instanceof Failed) return error;
  return new Failed(error.message, error instanceof TooMuch ? 'hopeless' : 'open');
}

function message(kind: string, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body as string);
  const header = Buffer.alloc(kind.length + 4);
  header.write(kind);
  header.writeUInt32BE(4 + bytes.length, kind.length);
  return Buffer.concat([header, bytes]);
}

function fieldsOf(body: Buffer): Fields {
  const fields = body.toString().split('\0').filter(Boolean);
  return Object.fromEntries(fields.map((field) => [field[0], field.slice(1)]));
}

function columnsOf(row: Buffer): Row {
  try {
    let at = 2;
    return Array.from({ length: row.readUInt16BE() }, () => {
      const length = row.readInt32BE(at);
      at += 4 + Math.max(length, 0);
      return length < 0 ? undefined : row.toString('utf8', at - length, at);
    });
  } catch {
    throw new Error(NOT_POSTGRES);
  }
}

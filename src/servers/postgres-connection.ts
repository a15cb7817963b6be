import { once } from 'node:events';
import { Connection, ENDED_EARLY, Failed, type MessageReading, type Tls } from './connection.ts';
import { NOT_POSTGRES, PostgresLogin } from './postgres-login.ts';
import { TooMuch } from './stored-content.ts';

/** The columns of a row, in order, as text. */
export type ResultRow = readonly (string | undefined)[];

export interface ResultRows {
  readonly rows: readonly ResultRow[];
  /** The server's last warning about the statement. */
  readonly warning: string | undefined;
}

/** An error that the server reports, with its SQLSTATE. */
export class PostgresError extends Failed {
  readonly code: string;

  constructor({ C = '', M = '' }: ErrorFields) {
    const way = C === ALL_TAKEN ? '; try again, or allow more connections there' : '';
    super(M + way, TRY_AGAIN.has(C) ? 'undone' : IS_OPEN.test(C) ? 'open' : 'refused');
    this.code = C;
  }
}

/** By other clients, of all or of this role. */
const ALL_TAKEN = '53300';
/**
 * No rows were touched, and a retry may succeed: a server that accepts no writes now, a deadlock, a statement's time
 * limit, or a server that is starting or has too many clients.
 */
const TRY_AGAIN = new Set(['25006', '40001', '40P01', '57014', '57P03', ALL_TAKEN]);
/** The server went away or gave up, and the statement may have been carried out. */
const IS_OPEN = /^(08|57)/;

export interface Login {
  readonly database: string;
  readonly user: string;
  /** Called only if the server at this address asks for it. */
  readonly password: (address: string) => string | undefined;
  /** The methods by which the server may ask for the password. */
  readonly methods: ReadonlySet<string>;
  readonly tls?: Tls | undefined;
}

/** A request for TLS, and a start with version 3.0 of the protocol. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const PROTOCOL = '\0\x03\0\0';
const [YES, NO] = ['S', 'N'];
const POSTGRES_WITHOUT_TLS = 'it does not speak TLS; for a server without TLS, set sslmode=disable';

const AUTHENTICATION = 'R';
const PARAMETER = 'S';
const NOTICE_MESSAGE = 'N';
const NOTIFICATION = 'A';
const ROW = 'D';
const FAILURE = 'E';
const READY = 'Z';
/** A login is accepted or asks, a statement was carried out, was empty, or failed. */
const ANSWERS = `${AUTHENTICATION}CI${FAILURE}`;
/** The kinds that a server has to send here; K is its key for cancelling, T the description of rows. */
const MESSAGE_KINDS = `${PARAMETER}${NOTICE_MESSAGE}${NOTIFICATION}${ROW}${READY}${ANSWERS}KT`;
const HEADER_BYTES = 5;
const MOST_AUTHENTICATION_BYTES = 64 * 1024;
/** The most rows of an answer: a small row takes much more memory than bytes. */
const MOST_RESULT_ROWS = 500_000;
/** Other roles may have created functions and operators in a schema of the role's own search path. */
const OWN_OPERATORS = 'set local search_path = pg_catalog;';

/** The fields of an error or a notice, by their letters. */
type ErrorFields = { readonly [letter: string]: string | undefined };

/**
 * One connection to a PostgreSQL, by the protocol of simple queries: a statement is one message with its values, and takes
 * one round trip. Prepared ones take two, and poolers of transactions do not support them.
 */
export class PostgresConnection extends Connection<ResultRows> {
  /** As the server reports it. */
  isStandby = false;
  /** Each connection is a process of the server, which has 100 by default. */
  protected override readonly idleMs = 10_000;
  readonly #login: Login;

  constructor(address: string, login: Login) {
    super(address, login.tls);
    this.#login = login;
  }

  /** Runs a statement as a transaction of its own. @throws Failed. */
  query(sql: string): Promise<ResultRows> {
    return this.send(message('Q', `${OWN_OPERATORS}${sql}\0`));
  }

  override end(reason?: string): void {
    if (!this.hasEnded) this.socket.write(message('X', ''));
    super.end(reason);
  }

  protected override async secure(tls: Tls): Promise<void> {
    this.socket.write(SSL_REQUEST);
    const [answer] = await Promise.race([once(this.socket, 'data'), once(this.socket, 'end')]);
    if (answer === undefined) throw new Failed(ENDED_EARLY, 'undone');
    // Bytes that come with the answer were not encrypted, and may be anybody's.
    if (answer.toString() === YES) return super.secure(tls);
    if (answer.toString() !== NO) throw new Error(NOT_POSTGRES);
    if (!tls.isOptional) throw new Failed(POSTGRES_WITHOUT_TLS, 'refused');
  }

  protected login(): Promise<unknown> {
    const { user, database } = this.#login;
    const parameters = { user, database, client_encoding: 'UTF8', application_name: 'todowrite' };
    const text = Object.entries(parameters).map(([name, value]) => `${name}\0${value}\0`);
    return this.send(message('', `${PROTOCOL}${text.join('')}\0`));
  }

  protected *read(): MessageReading {
    const { user, password, methods } = this.#login;
    const login = new PostgresLogin(user, () => password(this.address), methods);
    for (;;) this.answer(yield* this.#readAnswer(login));
  }

  /** Reads until the server is ready for the next statement. */
  *#readAnswer(login: PostgresLogin): MessageReading<ResultRows | PostgresError> {
    const rows: Buffer[] = [];
    let warning: string | undefined;
    let error: PostgresError | undefined;
    let isAnswered = false;
    for (;;) {
      const { kind, body } = yield* readMessage();
      if (!login.isAccepted && kind !== AUTHENTICATION && kind !== FAILURE) {
        throw new Error(NOT_POSTGRES);
      }
      if (kind === ROW) {
        if (rows.push(body) > MOST_RESULT_ROWS)
          throw new TooMuch(`it sent more than ${MOST_RESULT_ROWS} rows`);
      } else if (kind === NOTICE_MESSAGE) {
        const { V, M } = errorFields(body);
        if (V === 'WARNING') warning = M;
      } else if (kind === FAILURE) {
        error = new PostgresError(errorFields(body));
        // A failed login is followed by the end of the connection.
        if (!this.isReady) throw error;
      } else if (kind === READY) {
        if (!isAnswered) throw new Error(NOT_POSTGRES);
        return error ?? { rows: rows.map(columnsOf), warning };
      } else this.#take(kind, body, login);
      isAnswered ||= ANSWERS.includes(kind);
    }
  }

  /** Takes a message that is no part of an answer. */
  #take(kind: string, body: Buffer, login: PostgresLogin): void {
    if (kind === AUTHENTICATION) {
      const answer = login.answer(body);
      if (answer) this.socket.write(message('p', answer));
    } else if (kind === PARAMETER) {
      const [name, value] = body.toString().split('\0');
      if (name === 'in_hot_standby') this.isStandby = value === 'on';
    } else if (kind === NOTIFICATION) {
      const [, payload = ''] = body.toString('utf8', 4).split('\0');
      this.heard?.(payload);
    }
  }
}

/** A message is a letter, the length of the rest, and the rest. @throws Error for one that no PostgreSQL sends here. */
function* readMessage(): MessageReading<{ kind: string; body: Buffer }> {
  const header = yield HEADER_BYTES;
  const kind = header.toString('latin1', 0, 1);
  const length = header.readUInt32BE(1) - 4;
  if (!MESSAGE_KINDS.includes(kind) || length < 0) throw new Error(NOT_POSTGRES);
  if (kind === AUTHENTICATION && length > MOST_AUTHENTICATION_BYTES) {
    throw new TooMuch('its request for a password is too long');
  }
  return { kind, body: yield length };
}

function message(kind: string, body: string | Buffer): Buffer {
  const bytes = Buffer.from(body as string);
  const header = Buffer.alloc(kind.length + 4);
  header.write(kind);
  header.writeUInt32BE(4 + bytes.length, kind.length);
  return Buffer.concat([header, bytes]);
}

function errorFields(body: Buffer): ErrorFields {
  const fields = body.toString().split('\0').filter(Boolean);
  return Object.fromEntries(fields.map((field) => [field[0], field.slice(1)]));
}

function columnsOf(row: Buffer): ResultRow {
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

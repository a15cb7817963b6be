import { inTime } from '../time-limit.ts';
import { Connection, Failed, LINE, type Reading, type Tls } from './connection.ts';
import { answerOf, type EtcdAnswer } from './etcd-answer.ts';
import { type Answer, type Purpose, Servers, type ServersOptions } from './servers.ts';

interface EtcdLogin {
  readonly tls?: Tls | undefined;
  readonly user?: { readonly name: string; readonly password: string } | undefined;
}

export type EtcdOptions = EtcdLogin & ServersOptions;

// The next member is tried after this; an election takes about a second.
const TRY_MS = 1500;

const TLS_ENDED =
  'the connection ended before TLS was agreed on; without TLS the URL begins with etcd://';
const NO_TLS = 'the server does not speak TLS; without TLS the URL begins with etcd://';
const NOT_HTTP = 'it does not speak HTTP: is this another server?';
const STATUS = /^HTTP\/1\.[01] ([2-5]\d\d)$/;
const STATUS_BYTES = 'HTTP/1.1 200'.length;

/**
 * Calls one member of etcd after the other. A request without an answer may have been carried out; the sender of a change
 * must be able to tell from the next answer.
 */
export class EtcdClient extends Servers<EtcdConnection> {
  readonly #login: EtcdLogin;
  readonly #watching = new Set<EtcdConnection>();

  constructor(options: EtcdOptions) {
    const connect = (member: string) => new EtcdConnection(member, options);
    super(`etcd at ${options.hosts.join(', ')}`, options, TRY_MS, connect);
    this.#login = options;
  }

  /** @throws StateError if no member answers in time, or one refuses. */
  call(path: string, body: object, purpose: Purpose = 'read'): Promise<Answer<EtcdAnswer>> {
    return this.ask(purpose, (connection) => connection.call(path, body));
  }

  /**
   * Watches keys at one member. It keeps no process alive.
   *
   * @param hear called for each event, and once before, with a function that ends the watch.
   * @returns when it has ended, for whatever reason.
   */
  async watch(body: object, hear: (end: () => void) => void): Promise<void> {
    const connection = new EtcdConnection(this.current, this.#login, false);
    const end = () => connection.end();
    const timer = setTimeout(end, this.tryMs).unref();
    connection.heard = () => {
      clearTimeout(timer);
      hear(end);
    };
    this.#watching.add(connection);
    await connection.ready.then(() => connection.watch(body)).catch(() => {});
    clearTimeout(timer);
    this.#watching.delete(connection);
  }

  /** Each member's own report, in the order of the endpoints. */
  status(): Promise<{ endpoint: string; answer: EtcdAnswer | Error; ms: number }[]> {
    const start = performance.now();
    return inTime(TRY_MS, (deadline) => {
      const limitMs = Math.min(TRY_MS, deadline - start);
      const asked = this.hosts.map(async (endpoint) => {
        const connection = new EtcdConnection(endpoint, this.#login);
        const call = () => connection.call('maintenance/status', {});
        const answer = await connection.within(limitMs, call).catch((error: Error) => error);
        connection.end();
        return { endpoint, answer, ms: performance.now() - start };
      });
      return Promise.all(asked);
    });
  }

  override close(): void {
    super.close();
    for (const connection of this.#watching) connection.end();
  }
}

/**
 * One connection to a member of etcd, over its JSON gateway (https://etcd.io/docs/v3.5/dev-guide/api_grpc_gateway/): each
 * call is one POST (HTTP/1.1, RFC 9112), and may be sent before the last one is answered. Loading Node's own client, and
 * running it for the first time, takes a twelfth of Node's start.
 */
class EtcdConnection extends Connection<EtcdAnswer> {
  readonly #user: EtcdLogin['user'];
  #token: string | undefined;

  /** @param isWork whether connecting keeps the process alive. */
  constructor(member: string, { tls, user }: EtcdLogin, isWork = true) {
    super(member, tls, isWork);
    this.#user = user;
  }

  /** @throws Failed for anything but success. */
  call(path: string, body: object): Promise<EtcdAnswer> {
    return this.send(this.#request(path, body));
  }

  /**
   * Watches keys until the connection ends; it keeps no process alive, and carries nothing else.
   *
   * `hasleader` makes the member end it when it loses the cluster; without it a cut-off member just goes silent.
   */
  watch(body: object): Promise<unknown> {
    return this.send(this.#request('watch', body, 'Grpc-Metadata-hasleader: true'), false);
  }

  protected override secure(tls: Tls): Promise<void> {
    return super.secure(tls).catch(withoutTls);
  }

  protected async login(): Promise<void> {
    if (this.#user) this.#token = (await this.call('auth/authenticate', this.#user)).token;
  }

  protected *read(): Reading {
    for (;;) {
      const start = (yield STATUS_BYTES).toString('latin1');
      const status = Number(STATUS.exec(start)?.[1]);
      if (Number.isNaN(status)) throw new Error(NOT_HTTP);
      yield LINE;
      const headers = yield* lines();
      const isWatched = this.heard !== undefined && status === 200;
      const pieces: Buffer[] = [];
      if (headers.get('transfer-encoding') === 'chunked') {
        for (let length = yield* chunkLength(); length > 0; length = yield* chunkLength()) {
          const chunk = yield length;
          if (isWatched) this.heard?.();
          else pieces.push(chunk);
          yield LINE;
        }
        yield* lines();
      } else pieces.push(yield lengthIn(headers.get('content-length'), 10));
      this.answer(answerOf(status, Buffer.concat(pieces).toString('utf8')));
      if (headers.get('connection') === 'close') this.end();
    }
  }

  #request(path: string, body: object, ...headers: string[]): string {
    const text = JSON.stringify(body);
    const head = [
      `POST /v3/${path} HTTP/1.1`,
      `Host: ${this.address}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(text)}`,
      ...(this.#token === undefined ? [] : [`Authorization: ${this.#token}`]),
      ...headers,
    ];
    return `${head.join('\r\n')}\r\n\r\n${text}`;
  }
}

/** Headers, or what follows the last chunk. */
function* lines(): Reading<Map<string, string>> {
  const headers = new Map<string, string>();
  for (;;) {
    const line = (yield LINE).toString('latin1').trim();
    if (line === '') return headers;
    const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/.exec(line) ?? [];
    headers.set(name.toLowerCase(), value.toLowerCase());
  }
}

function* chunkLength(): Reading<number> {
  const [length] = (yield LINE).toString('latin1').trim().split(';');
  return lengthIn(length, 16);
}

/** @throws Error for anything but a length. */
function lengthIn(text: string | undefined, base: 10 | 16): number {
  const length = Number.parseInt(text ?? '', base);
  if (!(length >= 0)) throw new Error(NOT_HTTP);
  return length;
}

function withoutTls(error: NodeJS.ErrnoException): never {
  if (error.code === 'EPROTO') throw new Failed(NO_TLS, 'refused');
  throw error.code === 'ECONNRESET' ? new Failed(TLS_ENDED, 'undone') : error;
}

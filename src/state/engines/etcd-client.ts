import type { Socket } from 'node:net';
import { inTime } from '../time-limit.ts';
import { exchange, type HttpAnswer } from './http.ts';
import { type Answer, Failed, NO_ANSWER, type Purpose, Servers } from './servers.ts';
import { connectTo, overTls, type Tls } from './socket.ts';
import { parse, TooMuch } from './stored-content.ts';

export interface EtcdOptions {
  /** `host:port` of each member; all are tried in turn. */
  readonly hosts: readonly string[];
  readonly tls?: Tls | undefined;
  readonly user?: { readonly name: string; readonly password: string };
  /** The time limit, in milliseconds, of a request outside of any command, including retries. */
  readonly timeoutMs: number;
}

// The next member is tried after this; an election takes about a second.
const TRY_MS = 1500;
const AUTHENTICATE = 'auth/authenticate';
const TLS_ENDED =
  'the connection ended before TLS was agreed on; without TLS the URL begins with etcd://';
const NO_TLS = 'the server does not speak TLS; without TLS the URL begins with etcd://';

/**
 * Speaks to etcd over its JSON gateway (https://etcd.io/docs/v3.5/dev-guide/api_grpc_gateway/): each call is one POST.
 *
 * A call tries one member after the other. A request without an answer may have been carried out; the sender of a change
 * must be able to tell from the next answer.
 */
export class EtcdClient {
  readonly members: Servers;
  readonly #options: EtcdOptions;
  readonly #sockets = new Set<Socket>();
  /** Connections without a request under way, by member. */
  readonly #idle = new Map<string, Socket[]>();
  #token: Promise<string> | undefined;

  constructor(options: EtcdOptions) {
    this.#options = options;
    const { hosts, timeoutMs } = options;
    this.members = new Servers(`etcd at ${hosts.join(', ')}`, hosts, TRY_MS, timeoutMs);
  }

  /** @throws StateError if no member answers in time, or one refuses. */
  call(path: string, body: object, purpose: Purpose = 'read'): Promise<Answer<EtcdAnswer>> {
    return this.members.ask(purpose, (limitMs) =>
      this.#try(this.members.current, path, body, limitMs),
    );
  }

  /**
   * Watches keys at one member. It keeps no process alive.
   *
   * `hasleader` makes the member end it when it loses the cluster; without it a cut-off member just goes silent.
   *
   * @param hear called for each event, and once before.
   * @returns when it has ended, for whatever reason.
   */
  async watch(body: object, hear: () => void, signal: AbortSignal): Promise<void> {
    const { current, tryMs } = this.members;
    await this.#post(current, 'watch', body, tryMs, { hear, signal }).catch(() => {});
  }

  /** Each member's own report, in the order of the endpoints. */
  status(): Promise<{ endpoint: string; answer: EtcdAnswer | Error; ms: number }[]> {
    const start = performance.now();
    return inTime(TRY_MS, (deadline) => {
      const limitMs = Math.min(TRY_MS, deadline - start);
      const asked = this.members.all.map(async (endpoint) => {
        const call = this.#try(endpoint, 'maintenance/status', {}, limitMs);
        const answer = await call.catch((error: Error) => error);
        return { endpoint, answer, ms: performance.now() - start };
      });
      return Promise.all(asked);
    });
  }

  /** Pending requests fail. */
  close(): void {
    this.members.isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  async #try(member: string, path: string, body: object, limitMs: number): Promise<EtcdAnswer> {
    try {
      const { status, text } = await this.#post(member, path, body, limitMs);
      return answerOf(status, text);
    } catch (error) {
      // A token expires, or its member restarts.
      if (error instanceof OldToken) this.#token = undefined;
      if (error instanceof Failed) throw error;
      const outcome = error instanceof TooMuch ? 'hopeless' : 'open';
      throw new Failed((error as Error).message, outcome);
    }
  }

  /** @param watching is for an endless answer: its pieces are heard, and it can be ended. */
  async #post(
    member: string,
    path: string,
    body: object,
    limitMs: number,
    watching?: { readonly hear: () => void; readonly signal: AbortSignal },
  ): Promise<HttpAnswer> {
    const start = performance.now();
    const token = path === AUTHENTICATE ? undefined : await this.#tokenFrom(member, limitMs);
    const left = () => limitMs - (performance.now() - start);
    const socket = await this.#connection(member, left(), watching === undefined);
    const timer = setTimeout(() => socket.destroy(new Error(NO_ANSWER)), left());
    const end = () => socket.destroy();
    // Watching keeps no process alive.
    if (watching) timer.unref();
    if (watching?.signal.aborted) end();
    watching?.signal.addEventListener('abort', end);
    const hear = () => {
      clearTimeout(timer);
      watching?.hear();
    };
    try {
      const text = JSON.stringify(body);
      const lines = [
        `POST /v3/${path} HTTP/1.1`,
        `Host: ${member}`,
        'Content-Type: application/json',
        `Content-Length: ${Buffer.byteLength(text)}`,
        ...(token === undefined ? [] : [`Authorization: ${token}`]),
        ...(watching ? ['Grpc-Metadata-hasleader: true'] : []),
      ];
      const request = `${lines.join('\r\n')}\r\n\r\n${text}`;
      const answer = await exchange(socket, request, watching && hear);
      if (answer.isReusable) this.#keep(member, socket);
      else socket.destroy();
      return answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws Failed: nothing was sent. */
  async #connection(member: string, limitMs: number, isWork: boolean): Promise<Socket> {
    for (let idle = this.#idle.get(member); idle && idle.length > 0; ) {
      const socket = idle.pop();
      if (socket?.destroyed === false) return isWork ? socket.ref() : socket;
    }
    const { tls } = this.#options;
    const secure = async (socket: Socket, host: string) =>
      tls ? overTls(socket, host, tls).catch(withoutTls) : socket;
    const socket = await connectTo(member, limitMs, secure, isWork);
    this.#sockets.add(socket);
    // An exchange has its own listener; without this one, the error of an idle socket would end the program.
    socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket));
    return socket;
  }

  #keep(member: string, socket: Socket): void {
    socket.unref();
    this.#idle.set(member, [...(this.#idle.get(member) ?? []), socket]);
  }

  /** Authenticates once for all calls that come meanwhile. */
  #tokenFrom(member: string, limitMs: number): Promise<string> | undefined {
    const { user } = this.#options;
    if (user === undefined) return undefined;
    const asked =
      this.#token ??
      this.#try(member, AUTHENTICATE, user, limitMs)
        .then(({ token = '' }) => token)
        .catch((error: Failed) => {
          if (this.#token === asked) this.#token = undefined;
          // The request that needs the token was never sent.
          throw error.outcome === 'refused' ? error : new Failed(error.message, 'undone');
        });
    this.#token = asked;
    return asked;
  }
}

function withoutTls(error: NodeJS.ErrnoException): never {
  if (error.code === 'EPROTO') throw new Failed(NO_TLS, 'refused');
  throw error.code === 'ECONNRESET' ? new Failed(TLS_ENDED, 'undone') : error;
}

const NO_SPACE = ': its quota is full';

/** The quota is full. The change may have been made: etcd checks its quota again while making it. */
export class QuotaFull extends Failed {}

/** The token is no longer valid. */
class OldToken extends Failed {}

/** As the gateway returns it, in base64. */
export interface KeyValue {
  readonly key: string;
  readonly value?: string;
  readonly mod_revision?: string;
}

/** The used parts of an answer to a range, a transaction, a login or a status. Numbers are strings. */
export interface EtcdAnswer {
  readonly kvs?: readonly KeyValue[];
  readonly more?: boolean;
  readonly count?: string;
  readonly succeeded?: boolean;
  readonly responses?: readonly { readonly response_range?: EtcdAnswer }[];
  readonly token?: string;
  readonly header?: { readonly member_id?: string };
  readonly version?: string;
  readonly leader?: string;
  readonly dbSize?: string;
}

/** @throws Failed for anything but success. */
function answerOf(status: number | undefined, text: string): EtcdAnswer {
  const answer = objectIn(text);
  if (status === 200 && isObject(answer?.header) && isAnswer(answer)) return answer;
  throw refusedBy(status, text);
}

/** The answer to a transaction contains the answers to its operations. */
function isAnswer(value: unknown): value is EtcdAnswer {
  if (!isObject(value)) return false;
  const { kvs = [], responses = [], response_range: range } = value;
  if (!Array.isArray(kvs) || !Array.isArray(responses)) return false;
  return kvs.every(isPair) && responses.every(isAnswer) && (range === undefined || isAnswer(range));
}

function isPair(value: unknown): value is KeyValue {
  return isObject(value) && isText(value.key) && isText(value.value ?? '');
}

function refusedBy(status: number | undefined, text: string): Failed {
  const { error, message: said = error } = objectIn(text) ?? {};
  const words = isObject(said) ? said.message : said;
  if (status === 200 || !isText(words)) {
    const why = `HTTP status ${status}, not from etcd: is this a proxy, or another server?`;
    return new Failed(why, isSettled(status) ? 'refused' : 'open');
  }
  const message = words.replace(/^etcdserver: /, '').slice(0, 200);
  if (/invalid auth token|auth token is not provided|auth revision/.test(message)) {
    return new OldToken(message, 'undone');
  }
  if (/space exceeded/.test(message)) return new QuotaFull(message + NO_SPACE, 'refused');
  if (/no leader/.test(message)) return new Failed(message, 'undone');
  return new Failed(message, isSettled(status) ? 'refused' : 'open');
}

/** True if this status means that the request was not carried out, and will not be. */
function isSettled(status = 0): boolean {
  return status >= 300 && status < 500 && status !== 408 && status !== 429;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value = parse(text);
    return isObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof TooMuch) throw error;
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

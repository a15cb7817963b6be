import type { Agent, IncomingMessage } from 'node:http';
import { inTime } from '../time-limit.ts';
import type { Tls } from './secrets.ts';
import { type Answer, Failed, NO_ANSWER, type Purpose, Servers, UNTRUSTED } from './servers.ts';
import { checkSize, parse, TooMuch } from './stored-content.ts';

export interface EtcdOptions {
  /** `host:port` of each member; all are tried in turn. */
  readonly endpoints: readonly string[];
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
  readonly members: Servers<string>;
  readonly #options: EtcdOptions;
  #agent: Agent | undefined;
  #token: Promise<string> | undefined;

  constructor(options: EtcdOptions) {
    this.#options = options;
    const { endpoints, timeoutMs } = options;
    this.members = new Servers(`etcd at ${endpoints.join(', ')}`, endpoints, TRY_MS, timeoutMs);
  }

  /** @throws StateError if no member answers in time, or one refuses. */
  call(path: string, body: object, purpose: Purpose = 'read'): Promise<Answer<EtcdAnswer>> {
    return this.members.ask(purpose, (limitMs) =>
      this.#try(this.members.current, path, body, limitMs),
    );
  }

  /**
   * Opens a call with an endless answer, such as a watch, at one member.
   *
   * `hasleader` makes the member end it when it loses the cluster; without it a cut-off member just goes silent.
   */
  async stream(path: string, body: object, signal: AbortSignal): Promise<IncomingMessage> {
    const { current, tryMs } = this.members;
    const response = await this.#post(current, path, body, tryMs, signal);
    if (response.statusCode !== 200) throw refusedBy(response.statusCode, await textOf(response));
    return response;
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
    this.#agent?.destroy();
  }

  async #try(member: string, path: string, body: object, limitMs: number): Promise<EtcdAnswer> {
    try {
      const response = await this.#post(member, path, body, limitMs);
      return answerOf(response.statusCode, await textOf(response));
    } catch (error) {
      // A token expires, or its member restarts.
      if (error instanceof OldToken) this.#token = undefined;
      if (error instanceof Failed) throw error;
      const outcome = error instanceof TooMuch ? 'hopeless' : 'open';
      throw new Failed((error as Error).message, outcome);
    }
  }

  /** @param watching ends an endless answer. */
  async #post(
    member: string,
    path: string,
    body: object,
    limitMs: number,
    watching?: AbortSignal,
  ): Promise<IncomingMessage> {
    const start = performance.now();
    const token = path === AUTHENTICATE ? undefined : await this.#tokenFrom(member, limitMs);
    const { tls } = this.#options;
    // Loaded here, since programs with lists in files need no network.
    const http = process.getBuiltinModule(tls ? 'node:https' : 'node:http');
    this.#agent ??= new http.Agent({ keepAlive: true, ...tls });
    const text = JSON.stringify(body);
    const request = http.request({
      ...splitEndpoint(member),
      path: `/v3/${path}`,
      method: 'POST',
      agent: this.#agent,
      signal: watching,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
        ...(token !== undefined && { Authorization: token }),
        ...(watching && { 'Grpc-Metadata-hasleader': 'true' }),
      },
    });
    return new Promise((resolve, reject) => {
      let isConnected = false;
      request.once('socket', (socket) => {
        // A watch keeps no process alive.
        if (watching) socket.unref();
        isConnected = request.reusedSocket;
        const connected = () => {
          isConnected = true;
        };
        if (!isConnected) socket.once(tls ? 'secureConnect' : 'connect', connected);
      });
      let answering: IncomingMessage | undefined;
      const late = () => (answering ?? request).destroy(new Error(NO_ANSWER));
      const timer = setTimeout(late, limitMs - (performance.now() - start));
      if (watching) timer.unref();
      request.once('error', (error) => reject(isConnected ? error : this.#unconnected(error)));
      request.once('close', () => clearTimeout(timer));
      request.once('response', (response) => {
        if (watching) clearTimeout(timer);
        answering = response;
        resolve(response);
      });
      request.end(text);
    });
  }

  /** Nothing was sent. */
  #unconnected({ code = '', message }: NodeJS.ErrnoException): Failed {
    if (UNTRUSTED.test(code)) return new Failed(message, 'refused');
    if (code === 'EPROTO') return new Failed(NO_TLS, 'refused');
    const isCutOff = this.#options.tls && code === 'ECONNRESET';
    return new Failed(isCutOff ? TLS_ENDED : message, 'undone');
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

function splitEndpoint(endpoint: string): { host: string; port: number } {
  const [, host = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(endpoint) ?? [];
  return { host, port: Number(port) };
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

/** Whether this status means that the request was not carried out, and will not be. */
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

/** Rejects with TooMuch. An iterator over the chunks would take twice as long. */
function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    response.on('error', reject);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      try {
        checkSize(bytes);
      } catch (error) {
        response.destroy(error as Error);
      }
    });
    response.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}

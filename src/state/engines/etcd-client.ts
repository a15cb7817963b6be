import type { Agent, IncomingMessage } from 'node:http';
import { inTime } from '../time-limit.ts';
import { TooMuch } from './bounds.ts';
import { answerOf, type EtcdAnswer, OldToken, refusedBy, textOf } from './etcd-answer.ts';
import type { Tls } from './secrets.ts';
import { type Answer, Failed, NO_ANSWER, type Purpose, Servers, UNTRUSTED } from './servers.ts';

/** How to reach one etcd cluster. */
export interface EtcdOptions {
  /** `host:port` of each member; all are tried in turn. */
  readonly endpoints: readonly string[];
  readonly tls?: Tls | undefined;
  readonly user?: { readonly name: string; readonly password: string };
  /** The time limit, in milliseconds, of a request that no command makes, including retries. */
  readonly timeoutMs: number;
}

// A member that does not answer is left for the next one after so long; an election takes about a second.
const TRY_MS = 1500;
const AUTHENTICATE = 'auth/authenticate';
const TLS_ENDED =
  'the connection ended before TLS was agreed on; without TLS the URL begins with etcd://';
const NO_TLS = 'the server does not speak TLS; without TLS the URL begins with etcd://';

/**
 * Speaks to etcd over its JSON gateway (https://etcd.io/docs/v3.5/dev-guide/api_grpc_gateway/): each call is one POST.
 *
 * A call goes to one member after the other until one answers. A request that got no answer may have been carried out;
 * the sender of a change must be able to tell from the next answer.
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

  /** Makes one call. @throws StateError where no member answers in time, or one refuses. */
  call(path: string, body: object, purpose: Purpose = 'read'): Promise<Answer<EtcdAnswer>> {
    return this.members.ask(purpose, (limitMs) =>
      this.#try(this.members.current, path, body, limitMs),
    );
  }

  /**
   * Opens a call whose answer has no end, such as a watch, at one member.
   *
   * `hasleader` makes the member end it when it loses the cluster; without it a cut-off member just goes silent.
   */
  async stream(path: string, body: object, signal: AbortSignal): Promise<IncomingMessage> {
    const { current, tryMs } = this.members;
    const response = await this.#post(current, path, body, tryMs, signal);
    if (response.statusCode !== 200) throw refusedBy(response.statusCode, await textOf(response));
    return response;
  }

  /** What each member says of itself, in the order of the endpoints. */
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

  /** Ends its connections; what is under way fails. */
  close(): void {
    this.members.isClosed = true;
    this.#agent?.destroy();
  }

  async #try(member: string, path: string, body: object, limitMs: number): Promise<EtcdAnswer> {
    try {
      const response = await this.#post(member, path, body, limitMs);
      return answerOf(response.statusCode, await textOf(response));
    } catch (error) {
      // Tokens end with time, and with the member that gave them.
      if (error instanceof OldToken) this.#token = undefined;
      if (error instanceof Failed) throw error;
      const outcome = error instanceof TooMuch ? 'hopeless' : 'open';
      throw new Failed((error as Error).message, outcome);
    }
  }

  /** @param watching ends an answer that has no end. */
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
    // Loaded only now: programs that keep their lists in files need no network.
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
        // Who only looks on keeps no process alive.
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

  /** Why there is no connection: nothing was sent. */
  #unconnected({ code = '', message }: NodeJS.ErrnoException): Failed {
    if (UNTRUSTED.test(code)) return new Failed(message, 'refused');
    if (code === 'EPROTO') return new Failed(NO_TLS, 'refused');
    const isCutOff = this.#options.tls && code === 'ECONNRESET';
    return new Failed(isCutOff ? TLS_ENDED : message, 'undone');
  }

  /** What the user is known by. One call asks for it, for all that come meanwhile. */
  #tokenFrom(member: string, limitMs: number): Promise<string> | undefined {
    const { user } = this.#options;
    if (user === undefined) return undefined;
    const asked =
      this.#token ??
      this.#try(member, AUTHENTICATE, user, limitMs)
        .then(({ token = '' }) => token)
        .catch((error: Failed) => {
          if (this.#token === asked) this.#token = undefined;
          // What the token is for was never sent.
          throw error.outcome === 'refused' ? error : new Failed(error.message, 'undone');
        });
    this.#token = asked;
    return asked;
  }
}

function splitEndpoint(endpoint: string): { host: string; port: number } {
  const { hostname, port } = new URL(`http://${endpoint}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 2379) };
}

import type { Agent, IncomingMessage, RequestOptions } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { notKnown, StateError } from '../state-error.ts';
import {
  answerOf,
  NeverSent,
  NO_SPACE,
  QuotaFull,
  Refused,
  refusedBy,
  textOf,
} from './etcd-refusal.ts';
import { UNTRUSTED } from './untrusted.ts';

/** How to reach one etcd cluster. */
export interface EtcdOptions {
  /** `host:port` of each member; all are tried in turn. */
  readonly endpoints: readonly string[];
  /** Present: TLS, with what it needs. */
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
  readonly user?: { readonly name: string; readonly password: string };
  /** The time limit of one request in milliseconds, including retries. */
  readonly timeoutMs: number;
}

/** The cluster's answer; `wasResent` if an earlier try of the same request may have been carried out too. */
export interface EtcdAnswer<T> {
  readonly body: T;
  readonly wasResent: boolean;
}

// A member that does not answer is left for the next one after so long; an election takes about a second.
const TRY_MS = 1500;
const PAUSE_MS = 100;
const NO_ANSWER = 'no answer in time';
const TLS_ENDED =
  'the connection ended before TLS was agreed on; without TLS the URL begins with etcd://';
const NO_TLS = 'the server does not speak TLS; without TLS the URL begins with etcd://';

/**
 * Speaks to etcd over its JSON gateway (https://etcd.io/docs/v3.5/dev-guide/api_grpc_gateway/): each call is one POST.
 *
 * A call goes to one member after the other until one answers, for `timeoutMs` at most. A request that got no answer
 * may have been carried out; the sender of a change must be able to tell from the next answer.
 */
export class EtcdClient {
  readonly #options: EtcdOptions;
  #agent: Agent | undefined;
  #current = 0;
  #isClosed = false;
  #token: Promise<string> | undefined;

  constructor(options: EtcdOptions) {
    this.#options = options;
  }

  /** The members, as an error names them. */
  get name(): string {
    return `etcd at ${this.#options.endpoints.join(', ')}`;
  }

  /**
   * Makes one call.
   *
   * @param isChange whether it may change something: then the error says whether it can have been carried out.
   * @throws StateError where no member answers in time, or one refuses.
   */
  async call<T>(path: string, body: object, isChange = false): Promise<EtcdAnswer<T>> {
    const deadline = Date.now() + this.#options.timeoutMs;
    let mayBeDone = false;
    let reason = NO_ANSWER;
    for (let tries = 0; ; tries++) {
      const left = this.#isClosed ? 0 : deadline - Date.now();
      if (left <= 0) throw this.#unanswered(reason, isChange, mayBeDone);
      try {
        const answer = await this.#try<T>(path, body, Math.min(left, this.#tryMs()));
        return { body: answer, wasResent: mayBeDone };
      } catch (error) {
        if (error instanceof Refused && error.isFinal) {
          throw this.#refused(error, isChange, mayBeDone);
        }
        // What the last try had too little time for is no reason.
        const { message } = error as Error;
        if (message !== NO_ANSWER) reason = message;
        mayBeDone ||= !(error instanceof NeverSent || (error instanceof Refused && error.isUndone));
        this.#current = (this.#current + 1) % this.#options.endpoints.length;
        // All members have been tried: give the cluster a moment, an election may be under way.
        if ((tries + 1) % this.#options.endpoints.length === 0)
          await pause(Math.min(PAUSE_MS, left));
      }
    }
  }

  /**
   * Opens a call whose answer has no end, such as a watch, at one member.
   *
   * `hasleader` makes the member end it when it loses the cluster; without it a cut-off member just goes silent.
   */
  async stream(path: string, body: object, signal: AbortSignal): Promise<IncomingMessage> {
    const response = await this.#post(path, body, { signal, hasLeader: true }, this.#tryMs());
    if (response.statusCode !== 200) throw refusedBy(response.statusCode, await textOf(response));
    return response;
  }

  /** Asks the next member from now on. */
  turnAway(): void {
    this.#current = (this.#current + 1) % this.#options.endpoints.length;
  }

  /** What each member says of itself, in the order of the endpoints. */
  async status(): Promise<{ endpoint: string; answer: EtcdStatus | Error; ms: number }[]> {
    const all = [];
    for (const [index, endpoint] of this.#options.endpoints.entries()) {
      this.#current = index;
      const start = performance.now();
      const answer = await this.#try<EtcdStatus>('maintenance/status', {}, TRY_MS).catch(
        (error: Error) => error,
      );
      all.push({ endpoint, answer, ms: performance.now() - start });
    }
    return all;
  }

  /** Ends its connections; what is under way fails. */
  close(): void {
    this.#isClosed = true;
    this.#agent?.destroy();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  #tryMs(): number {
    return this.#options.endpoints.length > 1 ? TRY_MS : this.#options.timeoutMs;
  }

  async #try<T>(path: string, body: object, limitMs: number): Promise<T> {
    const response = await this.#post(path, body, {}, limitMs);
    const text = await textOf(response);
    try {
      return answerOf<T>(response.statusCode, text);
    } catch (error) {
      // Tokens end with time, and with the member that gave them.
      if (error instanceof Refused && error.isTokenOld) this.#token = undefined;
      throw error;
    }
  }

  async #post(
    path: string,
    body: object,
    { signal, hasLeader = false }: { signal?: AbortSignal; hasLeader?: boolean },
    limitMs: number,
  ): Promise<IncomingMessage> {
    const { user } = this.#options;
    const authorization =
      user && path !== 'auth/authenticate' ? { Authorization: await this.#authenticate(user) } : {};
    const headers = { ...authorization, ...(hasLeader && { 'Grpc-Metadata-hasleader': 'true' }) };
    const text = JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = this.#request(path, {
        method: 'POST',
        headers: {
          ...headers,
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(text),
        },
        ...(signal && { signal }),
      });
      let isConnected = false;
      request.once('socket', (socket) => {
        // Who only looks on keeps no process alive.
        if (hasLeader) socket.unref();
        isConnected = request.reusedSocket;
        if (isConnected) return;
        socket.once(this.#options.tls ? 'secureConnect' : 'connect', () => {
          isConnected = true;
        });
      });
      const timer = setTimeout(() => request.destroy(new Error(NO_ANSWER)), limitMs);
      if (hasLeader) timer.unref();
      request.once('error', (error: NodeJS.ErrnoException) => {
        if (isConnected) reject(error);
        else if (UNTRUSTED.test(error.code ?? '')) reject(new Refused(error.message, 'final'));
        else if (error.code === 'EPROTO') reject(new Refused(NO_TLS, 'final'));
        else if (this.#options.tls && error.code === 'ECONNRESET') reject(new NeverSent(TLS_ENDED));
        else reject(new NeverSent(error.message));
      });
      request.once('close', () => clearTimeout(timer));
      request.once('response', (response) => {
        if (hasLeader) clearTimeout(timer);
        resolve(response);
      });
      request.end(text);
    });
  }

  #request(path: string, options: RequestOptions) {
    const { endpoints, tls } = this.#options;
    const { host, port } = splitEndpoint(endpoints[this.#current] ?? '');
    // Loaded only now: programs that keep their lists in files need no network.
    const http = process.getBuiltinModule(tls ? 'node:https' : 'node:http');
    this.#agent ??= new http.Agent({ keepAlive: true, ...tls });
    return http.request({ ...options, agent: this.#agent, host, port, path: `/v3/${path}` });
  }

  #authenticate({ name, password }: { name: string; password: string }): Promise<string> {
    this.#token ??= this.#try<{ token: string }>(
      'auth/authenticate',
      { name, password },
      this.#tryMs(),
    ).then(({ token }) => token);
    const token = this.#token;
    token.catch(() => {
      if (this.#token === token) this.#token = undefined;
    });
    return token;
  }

  #unanswered(reason: string, isChange: boolean, mayBeDone: boolean): StateError {
    if (!isChange) {
      return new StateError(`cannot read from ${this.name}: ${reason}`, { isOfReading: true });
    }
    if (mayBeDone) return notKnown(`${this.name}: ${reason}`);
    return new StateError(`cannot reach ${this.name}: ${reason}; nothing was changed`);
  }

  #refused({ message }: Refused, isChange: boolean, mayBeDone: boolean): StateError {
    if (isChange && mayBeDone) return notKnown(`${this.name}: ${message}`);
    const ending = isChange ? '; nothing was changed' : '';
    if (message.endsWith(NO_SPACE))
      return new QuotaFull(`${this.name} refused: ${message}${ending}`);
    return new StateError(`${this.name} refused: ${message}${ending}`, { isOfReading: !isChange });
  }
}

/** As much of a member's status as is shown. Numbers come as text. */
export interface EtcdStatus {
  readonly version?: string;
  readonly leader?: string;
  readonly dbSize?: string;
  readonly errors?: readonly string[];
}

function splitEndpoint(endpoint: string): { host: string; port: number } {
  const { hostname, port } = new URL(`http://${endpoint}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 2379) };
}

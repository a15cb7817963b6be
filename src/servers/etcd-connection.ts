import { Connection, Failed, LINE, type MessageReading, type Tls } from './connection.ts';
import { answerOf, type EtcdAnswer } from './etcd-answer.ts';

export interface EtcdLogin {
  readonly tls?: Tls | undefined;
  readonly user?: { readonly name: string; readonly password: string } | undefined;
}

const TLS_ENDED =
  'the connection ended before TLS was agreed on; without TLS the URL begins with etcd://';
const ETCD_WITHOUT_TLS = 'the server does not speak TLS; without TLS the URL begins with etcd://';
const UNANSWERED = 'the connection ended unanswered; with TLS the URL begins with etcds://';
const NOT_HTTP = 'it does not speak HTTP: is this another server?';
const STATUS = /^HTTP\/1\.[01] ([2-5]\d\d)$/;
const LINE_FEED = 10;
const STATUS_BYTES = 'HTTP/1.1 200'.length;

/**
 * One connection to a member of etcd, over its JSON gateway (https://etcd.io/docs/v3.5/dev-guide/api_grpc_gateway/): each
 * call is one POST (HTTP/1.1, RFC 9112), and may be sent before the last one is answered. Loading Node's own client, and
 * running it for the first time, takes a twelfth of Node's start.
 */
export class EtcdConnection extends Connection<EtcdAnswer> {
  readonly #user: EtcdLogin['user'];
  #token: string | undefined;
  /** A server that wants TLS just ends the connection. */
  #mayWantTls: boolean;

  constructor(member: string, { tls, user }: EtcdLogin) {
    super(member, tls);
    this.#user = user;
    this.#mayWantTls = tls === undefined;
  }

  override end(reason = this.#mayWantTls ? UNANSWERED : undefined): void {
    super.end(reason);
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

  protected *read(): MessageReading {
    for (;;) {
      const start = (yield STATUS_BYTES).toString('latin1');
      const status = Number(STATUS.exec(start)?.[1]);
      if (Number.isNaN(status)) throw new Error(NOT_HTTP);
      this.#mayWantTls = false;
      yield LINE;
      const headers = yield* lines();
      const body =
        headers.get('transfer-encoding') === 'chunked'
          ? yield* this.#chunks(status)
          : yield lengthIn(headers.get('content-length'), 10);
      this.answer(answerOf(status, body.toString('utf8')));
      if (headers.get('connection') === 'close') this.end();
    }
  }

  /** The body of a chunked answer. That of a watch never ends: its lines are announcements, and each is told as it comes. */
  *#chunks(status: number): MessageReading<Buffer> {
    const pieces: Buffer[] = [];
    for (let length = yield* chunkLength(); length > 0; length = yield* chunkLength()) {
      pieces.push(yield length);
      yield LINE;
      const isWatched = this.heard !== undefined && status === 200;
      if (!isWatched || pieces.at(-1)?.at(-1) !== LINE_FEED) continue;
      for (const line of Buffer.concat(pieces.splice(0)).toString().trim().split('\n')) {
        this.heard?.(line);
      }
    }
    yield* lines();
    return Buffer.concat(pieces);
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
function* lines(): MessageReading<Map<string, string>> {
  const headers = new Map<string, string>();
  for (;;) {
    const line = (yield LINE).toString('latin1').trim();
    if (line === '') return headers;
    const [, name = '', value = ''] = /^([^:]*):\s*(.*)$/.exec(line) ?? [];
    headers.set(name.toLowerCase(), value.toLowerCase());
  }
}

function* chunkLength(): MessageReading<number> {
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
  if (error.code === 'EPROTO') throw new Failed(ETCD_WITHOUT_TLS, 'refused');
  throw error.code === 'ECONNRESET' ? new Failed(TLS_ENDED, 'undone') : error;
}

import { clockMs } from '../base/command/time-limit.ts';
import { Failed } from './connection.ts';
import { saslprep } from './saslprep.ts';
import { TooMuch } from './stored-content.ts';

export const NOT_POSTGRES = "it does not speak PostgreSQL's protocol: is this another server?";

/** Authentication requests, by their codes (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const ACCEPTED = 0;
const CLEAR_TEXT = 3;
const MD5 = 5;
const SCRAM = 10;
const SCRAM_CHALLENGE = 11;
const SCRAM_FINAL = 12;
const UNPROVEN = 'it does not prove that it knows the password that it asks for';
const NO_PASSWORD =
  'it asks for a password; set PGPASSWORD or TODO_STATE_PASSWORD_FILE, or write it into ~/.pgpass';
const MECHANISM = 'SCRAM-SHA-256';
/** The methods of `require_auth`, by the requests that begin them. */
const METHODS: Readonly<Record<number, string>> = {
  [ACCEPTED]: 'none',
  [CLEAR_TEXT]: 'password',
  [MD5]: 'md5',
  [SCRAM]: 'scram-sha-256',
};

/** Only this may follow a request: a server can neither skip its proof of SCRAM nor ask again. */
const NEXT: Readonly<Record<number, number>> = {
  [CLEAR_TEXT]: ACCEPTED,
  [MD5]: ACCEPTED,
  [SCRAM]: SCRAM_CHALLENGE,
  [SCRAM_CHALLENGE]: SCRAM_FINAL,
  [SCRAM_FINAL]: ACCEPTED,
};

/** PostgreSQL's default is 4,096. A million rounds block the program for most of a second. */
const MOST_ROUNDS = 1_000_000;
const ROUNDS_FOR_MS = 60_000;
/** The rounds of this minute for servers that have not proven yet that they know a password. */
let [rounds, roundsSince] = [0, 0];

type Hash = 'md5' | 'sha256';

/** Answers a server's requests for a password. */
export class PostgresLogin {
  readonly #user: string;
  readonly #password: () => string | undefined;
  /** SCRAM: our first message, and how the server proves that it knows the password. */
  #first = '';
  #proof: string | undefined;
  readonly #methods: ReadonlySet<string>;
  /** The request that must come next; undefined before the first one, and once the server has accepted. */
  #due: number | undefined;
  isAccepted = false;

  /** @param password called only if the server asks for it. */
  constructor(user: string, password: () => string | undefined, methods: ReadonlySet<string>) {
    this.#user = user;
    this.#password = password;
    this.#methods = methods;
  }

  /**
   * @param request without its header.
   * @returns the body of the answer; undefined if none is due.
   * @throws Error for a request that no PostgreSQL makes, Failed or TooMuch for one that is not supported.
   */
  answer(request: Buffer): Buffer | undefined {
    if (request.length < 4) throw new Error(NOT_POSTGRES);
    const [code, text] = [request.readUInt32BE(), request.toString('latin1', 4)];
    this.#expectOrder(code, text);
    this.#due = NEXT[code];
    this.isAccepted = code === ACCEPTED;
    if (code === CLEAR_TEXT) return Buffer.from(`${this.#secret}\0`);
    if (code === MD5) {
      const inner = digest('md5', this.#secret + this.#user).toString('hex');
      const outer = digest('md5', inner, request.subarray(4, 8)).toString('hex');
      return Buffer.from(`md5${outer}\0`);
    }
    if (code === SCRAM) return this.#begin();
    if (code === SCRAM_CHALLENGE) return Buffer.from(this.#prove(text));
    if (code === SCRAM_FINAL && text !== this.#proof) throw new Failed(UNPROVEN, 'refused');
    if (code === SCRAM_FINAL) rounds = 0;
    return undefined;
  }

  #expectOrder(code: number, text: string): void {
    if (this.#due !== undefined || this.isAccepted) {
      if (code === this.#due) return;
      throw code === ACCEPTED ? new Failed(UNPROVEN, 'refused') : new Error(NOT_POSTGRES);
    }
    const method = METHODS[code];
    if (method === undefined || (code === SCRAM && !text.split('\0').includes(MECHANISM))) {
      const why = `it asks for an unsupported authentication method (${code}); SCRAM-SHA-256 and MD5 are supported`;
      throw new Failed(why, 'refused');
    }
    if (this.#methods.has(method)) return;
    throw new Failed(`its method, ${method}, is not one of require_auth`, 'refused');
  }

  get #secret(): string {
    const secret = this.#password();
    if (secret) return secret;
    throw new Failed(NO_PASSWORD, 'refused');
  }

  /** SCRAM without channel binding (RFC 5802). PostgreSQL ignores the name in it. */
  #begin(): Buffer {
    const { randomBytes } = process.getBuiltinModule('node:crypto');
    this.#first = `n=*,r=${randomBytes(18).toString('base64')}`;
    const message = Buffer.from(`n,,${this.#first}`);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(message.length);
    return Buffer.concat([Buffer.from(`${MECHANISM}\0`), length, message]);
  }

  /** @param challenge such as `r=...,s=...,i=4096`. */
  #prove(challenge: string): string {
    const [, nonce = '', salt = '', count] = /^r=([^,]+),s=([^,]+),i=(\d+)$/.exec(challenge) ?? [];
    if (count === undefined || Number(count) < 1) throw new Error(NOT_POSTGRES);
    const own = this.#first.slice('n=*,r='.length);
    // Without a part of the server's own, an answer that was recorded could be used again.
    if (!nonce.startsWith(own) || nonce === own) throw new Error(NOT_POSTGRES);
    spendRounds(Number(count));
    const { pbkdf2Sync } = process.getBuiltinModule('node:crypto');
    const secret = saslprep(this.#secret);
    const salted = pbkdf2Sync(secret, Buffer.from(salt, 'base64'), Number(count), 32, 'sha256');
    const last = `c=biws,r=${nonce}`;
    const said = `${this.#first},${challenge},${last}`;
    const key = hmac(salted, 'Client Key');
    const signature = hmac(digest('sha256', key), said);
    const proof = key.map((byte, index) => byte ^ (signature[index] ?? 0));
    this.#proof = `v=${hmac(hmac(salted, 'Server Key'), said).toString('base64')}`;
    return `${last},p=${Buffer.from(proof).toString('base64')}`;
  }
}

/** @throws TooMuch. */
function spendRounds(count: number): void {
  const now = clockMs();
  if (now - roundsSince > ROUNDS_FOR_MS) [rounds, roundsSince] = [0, now];
  if (rounds + count > MOST_ROUNDS) {
    throw new TooMuch(`it asks for more than ${MOST_ROUNDS} rounds of SCRAM`);
  }
  rounds += count;
}

function digest(hash: Hash, ...parts: (string | Buffer)[]): Buffer {
  const { createHash } = process.getBuiltinModule('node:crypto');
  const hashed = createHash(hash);
  for (const part of parts) hashed.update(part);
  return hashed.digest();
}

function hmac(key: Buffer, text: string): Buffer {
  const { createHmac } = process.getBuiltinModule('node:crypto');
  return createHmac('sha256', key).update(text).digest();
}

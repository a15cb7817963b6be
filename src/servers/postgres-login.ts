import { Failed } from './connection.ts';
import { TooMuch } from './stored-content.ts';

export const NOT_POSTGRES = "it does not speak PostgreSQL's protocol: is this another server?";

/** Authentication requests, by their codes (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const ACCEPTED = 0;
const CLEAR_TEXT = 3;
const MD5 = 5;
const SCRAM = 10;
const SCRAM_CHALLENGE = 11;
const SCRAM_FINAL = 12;
const MECHANISM = 'SCRAM-SHA-256';
/** PostgreSQL's default is 4,096. A million rounds block the program for most of a second. */
const MOST_ROUNDS = 1_000_000;

type Hash = 'md5' | 'sha256';

/** Answers a server's requests for a password. */
export class PostgresLogin {
  readonly #user: string;
  readonly #password: () => string | undefined;
  /** Of SCRAM: our first message, and how the server proves that it knows the password. */
  #first = '';
  #proof: string | undefined;

  /** @param password called only if the server asks for it. */
  constructor(user: string, password: () => string | undefined) {
    this.#user = user;
    this.#password = password;
  }

  /**
   * @param request without its header.
   * @returns the body of the answer; undefined if none is due.
   * @throws Error for a request that no PostgreSQL makes, Failed or TooMuch for one that is not supported.
   */
  answer(request: Buffer): Buffer | undefined {
    if (request.length < 4) throw new Error(NOT_POSTGRES);
    const [code, text] = [request.readUInt32BE(), request.toString('latin1', 4)];
    if (code === ACCEPTED) return undefined;
    if (code === CLEAR_TEXT) return Buffer.from(`${this.#secret}\0`);
    if (code === MD5) {
      const inner = digest('md5', this.#secret + this.#user).toString('hex');
      const outer = digest('md5', inner, request.subarray(4, 8)).toString('hex');
      return Buffer.from(`md5${outer}\0`);
    }
    if (code === SCRAM && text.split('\0').includes(MECHANISM)) return this.#begin();
    if (code === SCRAM_CHALLENGE) return Buffer.from(this.#prove(text));
    if (code === SCRAM_FINAL) {
      if (text === this.#proof) return undefined;
      throw new Failed('it does not know the password that it asks for', 'refused');
    }
    const why = `it asks for an unsupported authentication method (${code}); SCRAM-SHA-256 and MD5 are supported`;
    throw new Failed(why, 'refused');
  }

  get #secret(): string {
    return this.#password() ?? '';
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
    const [, nonce = '', salt = '', rounds] = /^r=([^,]+),s=([^,]+),i=(\d+)$/.exec(challenge) ?? [];
    if (rounds === undefined || Number(rounds) < 1) throw new Error(NOT_POSTGRES);
    if (Number(rounds) > MOST_ROUNDS) {
      throw new TooMuch(`it asks for more than ${MOST_ROUNDS} rounds of SCRAM`);
    }
    const own = this.#first.slice('n=*,r='.length);
    if (own === '' || !nonce.startsWith(own)) throw new Error(NOT_POSTGRES);
    const { pbkdf2Sync } = process.getBuiltinModule('node:crypto');
    // SASLprep (RFC 4013), without the characters that it removes or forbids.
    const secret = this.#secret.normalize('NFKC');
    const salted = pbkdf2Sync(secret, Buffer.from(salt, 'base64'), Number(rounds), 32, 'sha256');
    const last = `c=biws,r=${nonce}`;
    const said = `${this.#first},${challenge},${last}`;
    const key = hmac(salted, 'Client Key');
    const signature = hmac(digest('sha256', key), said);
    const proof = key.map((byte, index) => byte ^ (signature[index] ?? 0));
    this.#proof = `v=${hmac(hmac(salted, 'Server Key'), said).toString('base64')}`;
    return `${last},p=${Buffer.from(proof).toString('base64')}`;
  }
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

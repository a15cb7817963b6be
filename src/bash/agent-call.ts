import type { Socket } from 'node:net';
import type { CommandResult, Invocation } from '../command/agent-command.ts';
import { randomHex } from './random-hex.ts';

/** The most that a request may hold, and what is read of a caller's standard input: 1 MiB. */
const REQUEST_LIMIT = 1024 * 1024;
// A caller says at once who it is and what it wants; one that does not is none.
const REQUEST_TIMEOUT_MS = 5_000;
// Bash writes what is shorter at once.
const SHORT_REQUEST = 4096;
// Bash holds replies up to this size in a variable; larger ones, and those with a NUL byte, it passes on with head(1).
const TEXT_LIMIT = 64 * 1024;

/**
 * One call of an agent command from inside bash, over one connection.
 *
 *     caller  KEY NUL name NUL count NUL argument NUL argument NUL ...
 *     host    stdin LIMIT MARK \\n                when the handler reads its standard input
 *     caller  ... MARK
 *     host    text CODE OUT ERR \\n output errors  lengths in bytes
 *     host    bytes CODE OUT ERR \\n output errors end \\n  the same for what is no text
 *
 * An empty line from the host means nothing: it comes for each part of a text that is not yet whole.
 */
export class AgentCall {
  onRequest: ((name: string, invocation: Invocation) => void) | undefined;
  onEnd: (() => void) | undefined;

  readonly #socket: Socket;
  readonly #key: Buffer;
  readonly #timer: NodeJS.Timeout;
  #received: Buffer = Buffer.alloc(0);
  #read: () => void = () => this.#readRequest();
  #stdin: Promise<string> | undefined;

  constructor(socket: Socket, key: string) {
    this.#socket = socket;
    this.#key = Buffer.from(`${key}\0`);
    this.#timer = setTimeout(() => this.end(), REQUEST_TIMEOUT_MS);
    this.#timer.unref();
    socket.on('error', () => {});
    socket.on('end', () => this.end());
    socket.on('close', () => {
      clearTimeout(this.#timer);
      this.onEnd?.();
    });
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#read();
    });
  }

  end(): void {
    this.#socket.destroy();
  }

  reply({ stdout, stderr, exitCode }: CommandResult): void {
    const output = Buffer.from(stdout);
    const errors = Buffer.from(stderr);
    const isText =
      output.length + errors.length < TEXT_LIMIT && !output.includes(0) && !errors.includes(0);
    const header = `${isText ? 'text' : 'bytes'} ${exitCode} ${output.length} ${errors.length}\n`;
    const end = isText ? '' : 'end\n';
    this.#socket.write(Buffer.concat([Buffer.from(header), output, errors, Buffer.from(end)]));
  }

  #readRequest(): void {
    const known = this.#received.subarray(0, this.#key.length);
    if (known.length < this.#key.length) {
      return;
    }
    // Loaded only now: see randomHex.
    const { timingSafeEqual } = process.getBuiltinModule('node:crypto');
    if (!timingSafeEqual(known, this.#key)) {
      this.end();
      return;
    }
    if (this.#received.length > REQUEST_LIMIT) {
      this.#refuse();
      return;
    }
    const fields = this.#received.subarray(this.#key.length).toString('utf8').split('\0');
    const [name, count, ...rest] = fields;
    // The last field is what comes after the last NUL: nothing, once all is there.
    if (name !== undefined && count !== undefined && rest.length === Number(count) + 1) {
      this.#expectNothing();
      this.onRequest?.(name, { argv: rest.slice(0, -1), stdin: () => this.#readStdin() });
    } else if (this.#received.length >= SHORT_REQUEST) {
      this.#acknowledge();
    }
  }

  /**
   * Tells the caller's system that a part is here, by sending anything at all: else it holds back the next one, where
   * that is short, until our system has waited for 40 ms (Nagle's algorithm, and delayed acknowledgement).
   */
  #acknowledge(): void {
    this.#socket.write('\n');
  }

  /** Answers at once and lets the caller finish writing, or it would not come to read the answer. */
  #refuse(): void {
    this.#expectNothing();
    this.reply({ stdout: '', stderr: 'Error: The arguments are larger than 1 MiB\n', exitCode: 1 });
  }

  #expectNothing(): void {
    clearTimeout(this.#timer);
    const drop = () => {
      this.#received = Buffer.alloc(0);
    };
    this.#read = drop;
    drop();
  }

  #readStdin(): Promise<string> {
    this.#stdin ??= new Promise((resolve) => {
      const mark = randomHex(16);
      this.#read = () => {
        if (this.#received.subarray(-mark.length).equals(Buffer.from(mark))) {
          const text = this.#received.subarray(0, -mark.length).toString('utf8');
          this.#expectNothing();
          resolve(text);
        } else if (this.#received.length > REQUEST_LIMIT + 1 + mark.length) {
          this.end();
        } else {
          this.#acknowledge();
        }
      };
      this.#socket.write(`stdin ${REQUEST_LIMIT + 1} ${mark}\n`);
    });
    return this.#stdin;
  }
}

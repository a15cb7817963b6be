import { type CommandResult, failed, type Invocation } from '../../base/command/agent-command.ts';
import { InvalidUtf8, refuseInvalidUtf8, textOfBytes } from '../../base/command/utf8.ts';
import { CALLER_VARIABLES } from '../../base/environment.ts';
import { randomHex } from '../../base/system/files.ts';

/** The most bytes of a call's arguments, and of its standard input. */
const REQUEST_LIMIT = 1024 * 1024;
// Bash reads a reply byte by byte into a variable, which cannot hold a NUL byte. Other replies go through head(1).
const TEXT_LIMIT = 64 * 1024;
// The command's name, the caller's variables, its directory, surroundings and parent, and the number of arguments.
const FIELDS_BEFORE = CALLER_VARIABLES.length + 5;
const CALLER_POLL_MS = 200;

export type Execute = (name: string, invocation: Invocation) => Promise<CommandResult>;

export interface AgentCallOptions {
  write: (bytes: Buffer) => void;
  execute: Execute;
  /** The caller has read the whole reply: the next bytes are another one's. */
  onDone: () => void;
  isGone: () => boolean;
}

/**
 * One call of an agent command from inside bash.
 *
 *     caller  name NUL =session NUL =agent NUL =team NUL =list NUL directory NUL surroundings NUL parent NUL
 *             count NUL argument NUL ...
 *     host    stdin LIMIT MARK \n                 when the handler reads its standard input
 *     caller  ... MARK
 *     host    text CODE ERR OUT \n errors output  lengths in bytes
 *     caller  .
 *
 * An unset variable is empty, without the `=`. Only TodoProve and TaskProve send their directory and surroundings. A reply that
 * is long or not text comes in parts:
 *
 *     host    bytes CODE ERR OUT \n errors
 *     caller  .
 *     host    output
 *     caller  .
 *     host    end \n
 *     caller  .
 */
export class AgentCall {
  readonly #options: AgentCallOptions;
  #chunks: Buffer[] = [];
  #read: (chunk: Buffer) => void;
  #stdin: Promise<string> | undefined;
  #abandonStdin: ((error: Error) => void) | undefined;
  /** Undefined before the whole request has come: to abort takes long, and most slots are idle. */
  #gone: AbortController | undefined;

  constructor(options: AgentCallOptions) {
    this.#options = options;
    this.#read = this.#requestReader();
  }

  /** Takes bytes from the caller. The chunk's memory may be reused afterwards. */
  receive(chunk: Buffer): void {
    this.#read(chunk);
  }

  /** Call this when the caller is gone. */
  abandon(): void {
    this.#gone?.abort();
    this.#expectNothing();
    this.#abandonStdin?.(new Error('its caller is gone'));
  }

  #requestReader(): (chunk: Buffer) => void {
    let fields = 0;
    let size = 0;
    let wanted = FIELDS_BEFORE;
    return (chunk) => {
      // A caller reads the answer only after it has written its whole request, however long.
      const isTooLong = size > REQUEST_LIMIT;
      size += chunk.length;
      if (!isTooLong || fields < FIELDS_BEFORE) this.#chunks.push(Buffer.from(chunk));
      for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, at + 1)) {
        fields += 1;
        if (fields === FIELDS_BEFORE) wanted += this.#argumentCount();
      }
      if (fields >= wanted) {
        const request = this.#take();
        this.#expectNothing();
        void this.#answer(size > REQUEST_LIMIT ? undefined : request);
      }
    };
  }

  #argumentCount(): number {
    const fields = Buffer.concat(this.#chunks).toString('latin1').split('\0', FIELDS_BEFORE);
    return Number(fields.at(-1));
  }

  async #answer(request: Buffer | undefined): Promise<void> {
    if (request === undefined) {
      return this.#reply(failed('refused', 'Error: The arguments are larger than 1 MiB\n'));
    }
    const fields = splitAtNul(request);
    try {
      // A strange variable in the environment is no reason to refuse the call.
      const none = Buffer.alloc(0);
      const ofCaller = fields.splice(CALLER_VARIABLES.length + 1, 3, none, none, none);
      const [cwd = '', surroundings = '', parent] = ofCaller.map(String);
      const [name = '', ...rest] = fields.map((field) => textOfBytes(field));
      this.#gone = new AbortController();
      const invocation: Invocation = {
        argv: rest.slice(FIELDS_BEFORE - 1),
        stdin: () => this.#readStdin(),
        env: environment(rest),
        calledBy: Number(parent),
        signal: this.#gone.signal,
        ...(surroundings !== '' && { cwd, surroundings }),
      };
      this.#reply(await this.#execute(name, invocation));
    } catch (error) {
      if (!(error instanceof InvalidUtf8)) throw error;
      this.#reply(refuseInvalidUtf8(error));
    }
  }

  async #execute(name: string, invocation: Invocation): Promise<CommandResult> {
    const timer = setInterval(() => {
      if (this.#options.isGone()) this.#gone?.abort();
      if (invocation.signal?.aborted) clearInterval(timer);
    }, CALLER_POLL_MS);
    try {
      return await this.#options.execute(name, invocation);
    } finally {
      clearInterval(timer);
    }
  }

  #reply({ stdout, stderr, exitCode }: CommandResult): void {
    const output = Buffer.from(stdout);
    const errors = Buffer.from(stderr);
    const isText =
      output.length + errors.length < TEXT_LIMIT && !output.includes(0) && !errors.includes(0);
    const header = `${isText ? 'text' : 'bytes'} ${exitCode} ${errors.length} ${output.length}\n`;
    const parts = isText ? [] : [output, Buffer.from('end\n')];
    let wanted = parts.length + 1;
    this.#read = (chunk) => {
      for (const part of parts.splice(0, chunk.length)) this.#options.write(part);
      wanted -= chunk.length;
      if (wanted <= 0) this.#options.onDone();
    };
    this.#options.write(Buffer.concat([Buffer.from(header), errors, ...(isText ? [output] : [])]));
  }

  #readStdin(): Promise<string> {
    this.#stdin ??= new Promise((resolve, reject) => {
      const mark = Buffer.from(randomHex(16));
      let tail: Buffer = Buffer.alloc(0);
      this.#abandonStdin = reject;
      this.#read = (chunk) => {
        this.#chunks.push(Buffer.from(chunk));
        tail = Buffer.concat([tail, chunk.subarray(-mark.length)]).subarray(-mark.length);
        if (tail.equals(mark)) {
          const bytes = this.#take().subarray(0, -mark.length);
          this.#expectNothing();
          if (bytes.length > REQUEST_LIMIT) reject(new Error('standard input is over 1 MiB'));
          else resolve(new Promise((decoded) => decoded(textOfBytes(bytes))));
        }
      };
      this.#options.write(Buffer.from(`stdin ${REQUEST_LIMIT + 1} ${mark}\n`));
    });
    return this.#stdin;
  }

  #take(): Buffer {
    const bytes = Buffer.concat(this.#chunks);
    this.#chunks = [];
    return bytes;
  }

  #expectNothing(): void {
    this.#chunks = [];
    this.#read = () => {};
  }
}

function splitAtNul(bytes: Buffer): Buffer[] {
  const fields = bytes.toString('latin1').split('\0').slice(0, -1);
  return fields.map((field) => Buffer.from(field, 'latin1'));
}

function environment(fields: readonly string[]): Record<string, string> {
  const set = CALLER_VARIABLES.flatMap((name, index) => {
    const field = fields[index] ?? '';
    return field === '' ? [] : [[name, field.slice(1)]];
  });
  return Object.fromEntries(set);
}

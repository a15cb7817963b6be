import type { CommandResult } from '../../base/command/agent-command.ts';
import { tellListener } from '../../base/system/listener.ts';
import type { LineTime, RunOptions } from './run-options.ts';

type ChunkListener = (chunk: Buffer) => void;

/** The output of a session's lines: kept for their results, and passed to listeners. */
export class SessionOutput {
  readonly #stdout = new OutputCapture();
  readonly #stderr = new OutputCapture();
  #listener: Pick<RunOptions, 'onStdout' | 'onStderr'> | undefined;

  /** Takes output of bash, in chunks whose memory is reused. Returns a promise if the listener does. */
  readonly onStdout: (chunk: Buffer) => void | Promise<void>;
  readonly onStderr: (chunk: Buffer) => void | Promise<void>;

  /** @param always hears all output, also between lines. */
  constructor(always: { onStdout?: ChunkListener; onStderr?: ChunkListener }) {
    const heard = (output: OutputCapture, name: 'onStdout' | 'onStderr') => (chunk: Buffer) => {
      output.add(chunk);
      void tellListener(always[name], chunk);
      return tellListener(this.#listener?.[name], chunk);
    };
    this.onStdout = heard(this.#stdout, 'onStdout');
    this.onStderr = heard(this.#stderr, 'onStderr');
  }

  /** A line begins. Its listener gets the output of background jobs since the previous line. */
  async begin(line: RunOptions, limit: LineTime): Promise<void> {
    this.#listener = line;
    const outputs = [
      [this.#stdout, line.onStdout],
      [this.#stderr, line.onStderr],
    ] as const;
    for (const [output, listener] of outputs) {
      output.keepEnds(line.maxOutputBytes);
      for (const chunk of output.pending) await limit.within(tellListener(listener, chunk));
    }
  }

  end(): void {
    this.#listener = undefined;
  }

  /** @param message appended to stderr, on a line of its own. */
  take(exitCode: number, message?: string): CommandResult {
    const stdout = this.#stdout.take();
    const stderr = this.#stderr.take();
    const lineBreak = stderr === '' || stderr.endsWith('\n') ? '' : '\n';
    return {
      stdout,
      stderr: message ? `${stderr}${lineBreak}agent-shell: ${message}\n` : stderr,
      exitCode,
    };
  }
}

const CAPTURE_LIMIT = 64 * 1024 * 1024;

/** Keeps a bounded part of a stream, and counts the rest. */
export class OutputCapture {
  readonly #most: number;
  #headLimit: number;
  #tailLimit = 0;
  #head: Buffer[] = [];
  #headLength = 0;
  /** At least the last `#tailLimit` bytes after the head. */
  #tail: Buffer[] = [];
  #tailLength = 0;
  #total = 0;

  constructor(limit: number = CAPTURE_LIMIT) {
    this.#most = limit;
    this.#headLimit = limit;
  }

  /** Until the next `take`, keeps at most this many bytes, the first and the last half. */
  keepEnds(bytes: number | undefined): void {
    if (bytes === undefined || !(bytes < this.#most)) return;
    const { pending } = this;
    const limit = Math.max(0, Math.floor(bytes));
    this.#clear();
    this.#tailLimit = Math.floor(limit / 2);
    this.#headLimit = limit - this.#tailLimit;
    for (const chunk of pending) this.add(chunk);
  }

  /** Copies the bytes of `chunk`. */
  add(chunk: Buffer): void {
    this.#total += chunk.length;
    const first = chunk.subarray(0, this.#headLimit - this.#headLength);
    if (first.length > 0) this.#head.push(Buffer.from(first));
    this.#headLength += first.length;
    if (first.length < chunk.length) this.#addToTail(chunk.subarray(first.length));
  }

  get pending(): readonly Buffer[] {
    return [...this.#head, ...this.#tail];
  }

  /** Empties the capture. Bytes that are not UTF-8 become U+FFFD. */
  take(): string {
    const isAll = this.#total === this.#headLength + this.#tailLength;
    const text = isAll ? Buffer.concat(this.pending).toString('utf8') : this.#ends();
    this.#clear();
    this.#headLimit = this.#most;
    this.#tailLimit = 0;
    return text;
  }

  #addToTail(chunk: Buffer): void {
    if (this.#tailLimit === 0) return;
    const last = chunk.subarray(-this.#tailLimit);
    this.#tail.push(Buffer.from(last));
    this.#tailLength += last.length;
    for (let [first] = this.#tail; first !== undefined; [first] = this.#tail) {
      if (this.#tailLength - first.length < this.#tailLimit) return;
      this.#tail.shift();
      this.#tailLength -= first.length;
    }
  }

  #ends(): string {
    const head = wholeCharacters(Buffer.concat(this.#head));
    const surplus = Math.max(0, this.#tailLength - this.#tailLimit);
    const last = Buffer.concat(this.#tail).subarray(surplus);
    const tail = last.subarray(lengthOfCutCharacter(last));
    const leftOut = this.#total - head.length - tail.length;
    const what = `${leftOut} ${this.#tailLimit === 0 ? 'more ' : ''}${leftOut === 1 ? 'byte' : 'bytes'}`;
    return `${head}\n[agent-shell: ${what} left out]\n${tail}`;
  }

  #clear(): void {
    this.#head = [];
    this.#tail = [];
    this.#headLength = 0;
    this.#tailLength = 0;
    this.#total = 0;
  }
}

/** The first and the last half of at most this many bytes. */
export function endsOf(text: string, bytes: number | undefined): string {
  // A code unit takes at most three bytes.
  if (bytes === undefined || text.length * 3 <= bytes) return text;
  const capture = new OutputCapture();
  capture.keepEnds(bytes);
  capture.add(Buffer.from(text));
  return capture.take();
}

function wholeCharacters(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && end > bytes.length - 4 && isContinuation(bytes[end - 1])) {
    end -= 1;
  }
  const lead = bytes[end - 1] as number;
  const expected = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return end > 0 && expected > bytes.length - end + 1 ? bytes.subarray(0, end - 1) : bytes;
}

/** The number of bytes of an incomplete UTF-8 character at the beginning; 0 if they are not UTF-8. */
function lengthOfCutCharacter(bytes: Buffer): number {
  let length = 0;
  while (length < 4 && isContinuation(bytes[length])) length += 1;
  return length < 4 ? length : 0;
}

function isContinuation(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

import { randomUUID } from 'node:crypto';
import { rescueCommand } from './control-commands.ts';
import { FifoReader } from './fifo-reader.ts';

const ASK_AGAIN_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** A question to bash that it has not answered yet. */
interface Question {
  readonly nonce: string;
  readonly fieldCount: number;
  /** Gets the answer; undefined if bash has ended or will never answer. */
  readonly answer: (fields: readonly string[] | undefined) => void;
}

export interface QuestionsOptions {
  /** The FIFO that bash answers on. */
  readonly path: string;
  /** Gives bash a command. */
  readonly command: (text: string) => void;
  /** Whether bash waits for its next command. */
  readonly isIdle: () => boolean;
  /** Called when bash is asked something, and when it has answered. */
  readonly onAsking: (isAsked: boolean) => void;
}

/** Asks bash one question at a time. Each answer follows a nonce that only its question knows. */
export class Questions {
  readonly reader: FifoReader;
  readonly #options: QuestionsOptions;
  #question: Question | undefined;
  #received = '';
  #asking: NodeJS.Timeout | undefined;
  #hasEnded = false;

  /** The nonce of the last question. */
  lastNonce = '';
  /** Whether builtins had to be given back before bash could answer the last question. */
  isRescued = false;

  constructor(options: QuestionsOptions) {
    this.#options = options;
    this.reader = new FifoReader(options.path, (chunk) => this.#onAnswer(chunk));
  }

  /**
   * Asks bash.
   *
   * @param send writes the question, and returns the command that asks it again, if that makes sense.
   * @returns this many fields; undefined if bash has ended or will never answer.
   */
  ask(
    fieldCount: number,
    send: (nonce: string) => string | undefined,
  ): Promise<readonly string[] | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined);
    return new Promise((answer) => {
      // Node draws random bytes for many of these at once. Bash reads it byte by byte, so its last part is enough.
      const nonce = randomUUID().slice(-12);
      this.lastNonce = nonce;
      this.isRescued = false;
      this.#question = { nonce, fieldCount, answer };
      this.#options.onAsking(true);
      const again = send(nonce);
      this.#asking = setTimeout(() => this.#askAgain(again), ASK_AGAIN_MS);
    });
  }

  /** Bash has ended and will not answer. */
  end(): void {
    this.#hasEnded = true;
    this.#answer(undefined);
  }

  /**
   * Some errors, as in the subscript of ${array[1/0]}, make bash discard the whole command and read the next one. If the
   * report was not needed, nobody waits for its nonce any more.
   */
  #askAgain(again: string | undefined): void {
    if (again !== undefined) this.#options.command(again);
    let pause = ASK_AGAIN_MS;
    const look = () => {
      if (this.#options.isIdle()) this.#onIdle(again);
      pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      if (this.#question) this.#asking = setTimeout(look, pause);
    };
    this.#asking = setTimeout(look, pause);
  }

  /** Bash waits for its next command, so it has run those before, or never will. */
  #onIdle(again: string | undefined): void {
    this.reader.drain();
    if (this.#question === undefined) return;
    if (again === undefined || this.isRescued) {
      this.#answer(undefined);
    } else {
      this.isRescued = true;
      this.#options.command(rescueCommand(again));
    }
  }

  #onAnswer(chunk: Buffer): void {
    if (this.#question === undefined) return;
    const { nonce, fieldCount } = this.#question;
    this.#received += chunk.toString('latin1');
    const start = this.#received.indexOf(`${nonce}\0`);
    if (start < 0) {
      // A command wrote something there, or the nonce has not arrived completely.
      this.#received = this.#received.slice(-nonce.length);
      return;
    }
    const [, ...fields] = this.#received.slice(start).split('\0');
    if (fields.length > fieldCount) {
      this.#answer(fields.slice(0, fieldCount).map(utf8));
    }
  }

  #answer(fields: readonly string[] | undefined): void {
    const question = this.#question;
    this.#question = undefined;
    this.#received = '';
    clearTimeout(this.#asking);
    this.#options.onAsking(false);
    question?.answer(fields);
  }
}

/** Decodes bytes that were read as one character each. */
function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}

import type { CallerSession, SeenLine } from '../../base/command/agent-command.ts';
import { runBefore } from '../../base/proof/last-run.ts';
import { randomHex } from '../../base/system/files.ts';

export class ChildSession implements CallerSession {
  readonly id = randomHex(8);
  readonly #works = new Map<unknown, () => Promise<unknown>>();
  #hasEnded = false;

  atEnd(key: unknown, work: () => Promise<unknown>): void {
    if (this.#hasEnded) work().catch(() => {});
    else this.#works.set(key, work);
  }

  /** Never rejects. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await Promise.allSettled([...this.#works.values()].map((work) => work()));
  }
}

const MOST_SEEN = 500;

/** The latest lines of a bash, and its running line, in which agent commands find proofs. */
export class SeenLines {
  readonly #seen: SeenLine[] = [];
  #running: { readonly line: string; readonly from: Date } | undefined;

  /** Runs and records a line. @param line as typed, for the record. @param fixed for bash. */
  async run<T extends { exitCode: number }>(
    line: string,
    fixed: string,
    run: (line: string) => Promise<T>,
  ): Promise<T> {
    const from = new Date();
    this.#running = { line: fixed, from };
    const result = await run(fixed).finally(() => {
      this.#running = undefined;
    });
    this.#seen.push({ line, exitCode: result.exitCode, from, at: new Date() });
    if (this.#seen.length > MOST_SEEN) this.#seen.shift();
    return result;
  }

  get ended(): readonly SeenLine[] {
    return this.#seen;
  }

  /** The ended lines, and the commands that the running line has run before its command with these words. */
  before(words: readonly string[]): readonly SeenLine[] {
    const { line = '', from = new Date() } = this.#running ?? {};
    const before = runBefore(words, line);
    if (before === undefined) return this.#seen;
    return [...this.#seen, { line: before, exitCode: 0, from, at: new Date() }];
  }
}

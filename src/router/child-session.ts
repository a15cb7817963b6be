import type { CallerSession } from '../command/agent-command.ts';
import { randomHex } from '../system/files.ts';

/** The session of a child, which ends when the child is disposed. */
export class ChildSession implements CallerSession {
  readonly id = randomHex(8);
  readonly #works = new Map<unknown, () => Promise<unknown>>();
  #hasEnded = false;

  atEnd(key: unknown, work: () => Promise<unknown>): void {
    if (this.#hasEnded) work().catch(() => {});
    else this.#works.set(key, work);
  }

  /** Does what is to be done at the end. Nobody is there any more to be told what fails. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    await Promise.allSettled([...this.#works.values()].map((work) => work()));
  }
}

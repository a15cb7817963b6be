import type { CallerSession } from '../../base/command/agent-command.ts';
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

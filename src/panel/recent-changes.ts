import type { TodoStatus } from '../todo/todo-store.ts';

/** For so long a change of state shows. */
export const FRESH_MS = 2000;

/** Which items have changed their state just now, as far as one has looked. */
export class RecentChanges {
  #statuses: ReadonlyMap<string, TodoStatus> = new Map();
  readonly #until = new Map<string, number>();

  /** Takes in the items as they are now. One that is new has not changed. */
  look(statuses: ReadonlyMap<string, TodoStatus>, now: number): void {
    for (const [key, status] of statuses) {
      const before = this.#statuses.get(key);
      if (before !== undefined && before !== status) this.#until.set(key, now + FRESH_MS);
    }
    for (const [key, until] of this.#until) {
      if (until <= now || !statuses.has(key)) this.#until.delete(key);
    }
    this.#statuses = statuses;
  }

  has(key: string): boolean {
    return this.#until.has(key);
  }

  /** The moment at which the next of them settles; undefined where none is left. */
  get nextSettling(): number | undefined {
    return this.#until.size === 0 ? undefined : Math.min(...this.#until.values());
  }
}

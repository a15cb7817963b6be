/** For so long a change of state shows. */
export const FRESH_MS = 2000;

/** What a row shows, which has a state. */
interface Shown {
  readonly status: string;
}

/** The rows that have changed their state just now, as of the last look. */
export class RecentChanges {
  #until: ReadonlyMap<Shown, number> = new Map();

  /** Takes in each thing as it was at the last look, and as it is now. One that is new has not changed. */
  look(
    pairs: readonly { before: Shown | undefined; after: Shown | undefined }[],
    now: number,
  ): void {
    const until = new Map<Shown, number>();
    for (const { before, after } of pairs) {
      if (before === undefined || after === undefined) continue;
      const isChanged = before.status !== after.status;
      const end = isChanged ? now + FRESH_MS : (this.#until.get(before) ?? 0);
      if (end > now) until.set(after, end);
    }
    this.#until = until;
  }

  has(shown: Shown): boolean {
    return this.#until.has(shown);
  }

  /** The moment at which the next of them settles; undefined if none is left. */
  get nextSettling(): number | undefined {
    return this.#until.size === 0 ? undefined : Math.min(...this.#until.values());
  }
}

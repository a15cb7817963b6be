/** How long a change of status stands out. */
export const FRESH_MS = 2000;

/** Something with a status that a row shows. */
interface Shown {
  readonly status: string;
}

/** Keeps track of rows whose status has just changed. */
export class RecentChanges {
  #until: ReadonlyMap<Shown, number> = new Map();

  /** Takes each thing as it was at the last call and as it is now. A new one does not count as changed. */
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

  /** When the next of them settles; undefined if none is left. */
  get nextSettling(): number | undefined {
    return this.#until.size === 0 ? undefined : Math.min(...this.#until.values());
  }
}

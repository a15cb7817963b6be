/** Reproducible random choices: mulberry32. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer in [0, limit). */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** From `least` to `most` results of `make`. */
  list<Item>(least: number, most: number, make: () => Item): Item[] {
    return Array.from({ length: least + this.below(most - least + 1) }, make);
  }
}

/** TEST_SEED, or a new seed each time; printed by a failing test. */
export function testSeed(): number {
  return Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
}

/** The number of rounds of a test that depends on timing: a tenth of `count`, or TEST_RUNS times `count`. */
export function rounds(count: number): number {
  return Math.ceil(count * Number(process.env.TEST_RUNS ?? 0.1));
}

const LEAST_RUNS = 25;

/**
 * The number of runs of a property: a tenth of `count`, if that is many, or TEST_RUNS times `count`, as `npm run
 * test:attack` sets it.
 */
export function runs(count: number): number {
  const { TEST_RUNS } = process.env;
  return TEST_RUNS ? count * Number(TEST_RUNS) : Math.max(Math.min(count, LEAST_RUNS), count / 10);
}

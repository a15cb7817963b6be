import { afterAll, beforeAll, type onTestFinished } from 'vitest';

/**
 * Shares something among all tests of a file or a `describe`, since starting it takes longer than most of them. Created
 * before the first test; functions given to `finished` run after the last, in reverse.
 */
export function forAllTests<Shared>(
  make: (finished: typeof onTestFinished) => Shared,
): () => Shared {
  const ends: (() => unknown)[] = [];
  let shared: Shared;
  beforeAll(() => {
    shared = make((end) => ends.unshift(end as () => unknown));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return () => shared;
}

/** The shortest of some runs, in milliseconds: what other work on the machine adds is left out. Compare ratios only. */
export async function bestTime(run: () => unknown, rounds = 15): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

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

/** How many times longer twenty times the input takes: 20 where the time grows with the length, 400 with its square. */
export async function growth(run: (size: number) => unknown, size: number): Promise<number> {
  const short = await bestTime(() => run(size), 3);
  // What takes next to no time is within any bound.
  return (await bestTime(() => run(20 * size), 3)) / Math.max(short, 2);
}

/** The shortest of several runs, in milliseconds of processor time, which other load does not affect. Compare ratios only. */
export async function bestTime(run: () => unknown, rounds = 15): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) best = Math.min(best, await processorTime(run));
  return best;
}

/**
 * How much longer twenty times the input takes: 20 if time is linear, 400 if quadratic. In processor time, so one run of
 * the long input suffices.
 */
export async function growth(run: (size: number) => unknown, size: number): Promise<number> {
  const short = [];
  while (short.length < 3) short.push(await processorTime(() => run(size)));
  // Very short times are within any bound.
  return (await processorTime(() => run(20 * size))) / Math.max(2, Math.min(...short));
}

async function processorTime(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

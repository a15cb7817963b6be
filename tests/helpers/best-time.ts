/**
 * The shortest of some runs, in milliseconds of the processor, so that it does not matter what else the machine does.
 * Compare ratios only.
 */
export async function bestTime(run: () => unknown, rounds = 15): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) best = Math.min(best, await processorTime(run));
  return best;
}

/**
 * How many times longer twenty times the input takes: 20 where the time grows with the length, 400 with its square. In time
 * of the processor, so that one run of the long input tells, whatever else the machine does.
 */
export async function growth(run: (size: number) => unknown, size: number): Promise<number> {
  const short = [];
  while (short.length < 3) short.push(await processorTime(() => run(size)));
  // What takes next to no time is within any bound.
  return (await processorTime(() => run(20 * size))) / Math.max(2, Math.min(...short));
}

async function processorTime(run: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

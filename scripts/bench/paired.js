// Times two things against each other.

/**
 * `run` consists of so many equal parts (default: 1). All times are those of one part, so that something short runs
 * long enough for the clock.
 *
 * @typedef {{ run: () => unknown, parts?: number }} Subject
 */

/** @returns {Subject} a call repeated so many times. */
export function times(parts, call) {
  return {
    parts,
    run: async () => {
      for (let count = 0; count < parts; count++) await call(count);
    },
  };
}

/**
 * Runs both in turn (A B A B), so that a drifting machine slows both, and compares neighbouring runs. Returns a row
 * without its goal: medians in milliseconds, and the median and quartiles of the ratios.
 *
 * @param {Subject} ours
 * @param {Subject} other
 */
export async function paired(ours, other, runs) {
  await timeOf(ours);
  await timeOf(other);
  const [times, others] = [[], []];
  for (let run = 0; run < runs; run++) {
    times.push(await timeOf(ours));
    others.push(await timeOf(other));
  }
  const ratios = times.map((time, run) => time / others[run]);
  return {
    unit: 'ms',
    ours: median(times),
    other: median(others),
    ratio: { median: median(ratios), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) },
  };
}

/** @param {Subject} subject */
async function timeOf({ run, parts = 1 }) {
  const start = performance.now();
  await run();
  return (performance.now() - start) / parts;
}

export function median(values) {
  return quantile(values, 0.5);
}

function quantile(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(part * (sorted.length - 1))];
}

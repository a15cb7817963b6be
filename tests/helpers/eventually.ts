/**
 * Waits until `condition` returns something other than false or undefined, and returns that.
 *
 * @param deadlineMs then it throws: generous, since it only matters when a test fails.
 */
export async function eventually<Value>(
  what: string,
  condition: () => Value | false | undefined | Promise<Value | false | undefined>,
  deadlineMs = 120_000,
): Promise<Value> {
  const begin = performance.now();
  for (;;) {
    const start = performance.now();
    const value = await condition();
    if (value !== false && value !== undefined) {
      return value;
    }
    const waited = performance.now() - begin;
    if (waited > deadlineMs) {
      throw new Error(`After ${deadlineMs} ms still not so: ${what}`);
    }
    // Many conditions start a program or read all of /proc, so leave most of the time to what is waited for.
    const pause = Math.min(100, Math.max(5, 4 * (performance.now() - start), waited / 20));
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

import { expect, onTestFinished, test, vi } from 'vitest';
import {
  clockMs,
  inTime,
  LONGEST_TIMER_MS,
  limitAnew,
} from '../../../src/base/command/time-limit.ts';

test('concurrent requests share the time limit; work in between does not count', async () => {
  vi.useFakeTimers({ toFake: ['hrtime', 'setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const left = () => inTime(0, async (deadline) => deadline - clockMs());
  await limitAnew(1000, async () => {
    const [first, second] = await Promise.all([
      inTime(0, async (deadline) => {
        await Promise.resolve();
        vi.advanceTimersByTime(100);
        return deadline;
      }),
      inTime(0, async (deadline) => deadline),
    ]);
    expect(first).toBe(second);
    const before = await left();
    expect(before).toBe(900);
    vi.advanceTimersByTime(100);
    expect(await left()).toBe(before);
  });
});

test('a limit of years is one that a timer can hold', async () => {
  const left = await limitAnew(1e12, () => inTime(0, async (deadline) => deadline - clockMs()));
  expect(left).toBeLessThanOrEqual(LONGEST_TIMER_MS);
});

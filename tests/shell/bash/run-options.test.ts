import { expect, onTestFinished, test, vi } from 'vitest';
import { LONGEST_TIMER_MS } from '../../../src/base/command/time-limit.ts';
import { LineTime } from '../../../src/shell/bash/run-options.ts';

function clocks() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
}

test('a line ends at its time limit, once, whatever comes later', () => {
  clocks();
  const time = new LineTime({ timeoutMs: 500 });
  const end = vi.fn();
  time.onReached = end;
  vi.advanceTimersByTime(499);
  expect([time.reached, time.ended.signal.aborted]).toEqual([undefined, false]);
  vi.advanceTimersByTime(1);
  time.cancel('too late');
  expect(time.reached).toEqual({ reason: 'timeout', message: 'timed out after 500 ms' });
  expect(time.ended.signal.aborted).toBe(true);
  expect(end).toHaveBeenCalledTimes(1);
});

test('without a limit, with one beyond the longest timer, or once it is over, no time ends a line', () => {
  clocks();
  for (const timeoutMs of [undefined, LONGEST_TIMER_MS + 1]) new LineTime({ timeoutMs });
  expect(vi.getTimerCount()).toBe(0);
  const time = new LineTime({ timeoutMs: LONGEST_TIMER_MS });
  expect(vi.getTimerCount()).toBe(1);
  time.disarm();
  expect(vi.getTimerCount()).toBe(0);
});

test('an abort ends a line, before it begins as well, and not after it has ended', () => {
  const controller = new AbortController();
  const { signal } = controller;
  const [running, over] = [new LineTime({ signal }), new LineTime({ signal })];
  over.disarm();
  controller.abort();
  const cancelled = { reason: 'cancelled', message: 'cancelled' };
  expect([running.reached, over.reached]).toEqual([cancelled, undefined]);
  const late = new LineTime({ signal });
  const end = vi.fn();
  late.onReached = end;
  expect(late.reached).toEqual(cancelled);
  expect(end).toHaveBeenCalledTimes(1);
});

test('work within a line is waited for until the limit, and not begun after it', async () => {
  const time = new LineTime({});
  expect(time.within(undefined)).toBeUndefined();
  expect(await time.within(Promise.resolve(1))).toBe(1);
  await expect(time.within(Promise.reject(new Error('no')))).rejects.toThrow('no');
  const never = time.within(new Promise(() => {}));
  time.cancel('enough');
  expect(await never).toBeUndefined();
  expect(time.within(Promise.resolve(1))).toBeUndefined();
});

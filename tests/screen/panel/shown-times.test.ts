import { expect, test } from 'vitest';
import { formatElapsed, ShownTimes } from '../../../src/screen/panel/shown-times.ts';

test('elapsed time is in seconds, minutes, hours or, from two days on, days', () => {
  const times = [59_999, 60_000, 3_599_000, 3_600_000, 172_799_000, 187_200_000].map(formatElapsed);
  expect(times).toEqual(['59s', '1m 00s', '59m 59s', '1h 00m', '47h 59m', '2d 04h']);
});

const NOW = +new Date(2026, 4, 5, 12, 0, 0);

test.each([
  ['12s', 'running', 12_300, 700],
  ['59m 59s', 'running', 3_599_999, 1],
  ['1h 00m', 'running', 3_600_000, 60_000],
  ['2h 07m', 'running', 7_650_000, 30_000],
  ['0s', 'running', -5000, 1000],
  ['4s ago', 'ago', 4200, 800],
  ['3m ago', 'ago', 185_000, 55_000],
  ['47h ago', 'ago', 172_799_000, 1000],
  ['2d ago', 'ago', 172_800_000, 86_400_000],
] as const)('%s is said by %s of %d ms, and changes in %d ms', (text, how, ms, change) => {
  const times = new ShownTimes(NOW);
  expect(times.untilChange).toBe(Number.POSITIVE_INFINITY);
  expect(times[how](NOW - ms)).toBe(text);
  expect(times.untilChange).toBe(change);
});

test('what has not begun has taken no time, and changes nothing later', () => {
  const times = new ShownTimes(NOW);
  expect([times.elapsed(undefined), times.untilChange]).toEqual([0, Number.POSITIVE_INFINITY]);
});

test('what was said first is said anew when the first of its times changes', () => {
  const times = new ShownTimes(NOW);
  times.ago(NOW - 185_000);
  times.running(NOW - 1400);
  times.ago(NOW - 4200);
  expect(times.untilChange).toBe(600);
  expect(times.isFresh(NOW - 1900)).toBe(true);
  expect(times.untilChange).toBe(100);
});

test('a change is fresh for two seconds, a new row never', () => {
  const times = new ShownTimes(NOW);
  expect([undefined, NOW - 1999, NOW - 2000].map((at) => times.isFresh(at))).toEqual([
    ...[false, true, false],
  ]);
});

test('a time of another day is a date', () => {
  const times = new ShownTimes(NOW);
  const at = (...parts: [number, number, number, number]) => times.at(+new Date(2026, ...parts));
  expect([at(4, 5, 9, 7), at(4, 4, 23, 59), at(0, 1, 0, 0)]).toEqual([
    ...['09:07', '2026-05-04', '2026-01-01'],
  ]);
});

import { expect, test } from 'vitest';
import { formatElapsed } from '../../../src/screen/panel/shown-times.ts';

test('elapsed time is in seconds, minutes or hours', () => {
  const times = [59_999, 60_000, 3_599_000, 3_600_000, 360_000_000].map(formatElapsed);
  expect(times).toEqual(['59s', '1m 00s', '59m 59s', '1h 00m', '100h 00m']);
});

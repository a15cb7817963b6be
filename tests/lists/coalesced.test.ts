import { expect, test } from 'vitest';
import { coalesced } from '../../src/lists/coalesced.ts';

test('what is asked for during a run, however often, is one more run, and whoever asked waits for it', async () => {
  const ends: (() => void)[] = [];
  const ask = coalesced(() => new Promise((resolve) => ends.push(resolve)));
  let done = 0;
  const asked = [ask(), ask(), ask()].map((run) => Promise.resolve(run).then(() => done++));
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await new Promise(setImmediate);
  expect([ends.length, done]).toEqual([2, 0]);
  ends[1]?.();
  await Promise.all(asked);
  expect(ends).toHaveLength(2);
});

test('a run that waits for nothing is over when asking returns, also one that asks for another', () => {
  let runs = 0;
  const ask = coalesced(() => {
    if (++runs < 3) void ask();
  });
  expect(ask()).toBeUndefined();
  expect(runs).toBe(3);
});

test('a run that fails is told to who asked, and the next one begins', async () => {
  let runs = 0;
  const ask = coalesced(async () => {
    if (++runs === 1) throw new Error('away');
  });
  await expect(ask()).rejects.toThrow('away');
  await ask();
  expect(runs).toBe(2);
});
